import { type PlatformCtx, problem, sql } from '@storeloom/plugin-sdk';
import { type Subject, unauthenticated } from '../session/sessions.ts';

interface Membership {
  tenantId: string;
  slug: string;
  name: string;
  userId: string;
}
/** One account of staff with the tenants it works in. */
export interface StaffAccount {
  id: string;
  passwordHash: string | null;
  sessionVersion: number;
  memberships: Membership[];
}

export const wrongSignIn = (): ReturnType<typeof unauthenticated> =>
  unauthenticated('The e-mail address or the password is wrong.');

export async function staffAccount({ db }: Pick<PlatformCtx, 'db'>, email: string): Promise<StaffAccount | undefined> {
  return db.first(
    sql`select id, password_hash as "passwordHash", session_version as "sessionVersion", memberships from identity_sign_in_account(${email})`,
  );
}

/** The user of the tenant that was named, or of the only one; 409 `tenant_required` when there are several. */
export function subjectOf({ memberships, sessionVersion }: StaffAccount, wanted: string | null): Subject {
  const chosen = wanted === null ? memberships : memberships.filter(({ slug }) => slug === wanted);
  if (chosen.length > 1)
    throw problem('tenant_required', {
      detail: 'The account belongs to several tenants. Select one with tenant.',
      tenants: memberships.map(({ slug, name }) => ({ slug, name })),
    });
  const [membership] = chosen;
  if (!membership) throw wrongSignIn();
  return { audience: 'admin', tenantId: membership.tenantId, id: membership.userId, sessionVersion };
}
