import { type Ctx, type Person, type peopleErase, type peopleExport, sql, type TapFn } from '@storeloom/plugin-sdk';
import { unlinkAll } from './external/identity.ts';
import { forget } from './session/sessions.ts';

const subjects = ({ customerId, userId }: Person): string[] => [customerId, userId].filter((id) => id !== undefined);

/** Exports the sign-ins of the person, without passwords and tokens. */
export const exportPerson: TapFn<typeof peopleExport> = async (ctx: Ctx, person: Person) => {
  const ids = subjects(person);
  if (ids.length === 0) return [];
  const rows = await ctx.db.rows<
    Record<string, unknown>
  >(sql`select id, audience, created_at as "createdAt", last_seen_at as "lastSeenAt", expires_at as "expiresAt", revoked_at as "revokedAt", ip, user_agent as "userAgent"
    from identity_session where tenant_id = ${ctx.tenant.id} and subject_id = any(${ids}::uuid[]) order by id`);
  const identities = await ctx.db.rows<
    Record<string, unknown>
  >(sql`select id, provider, issuer, subject, created_at as "createdAt", last_used_at as "lastUsedAt"
    from identity_external_identity where tenant_id = ${ctx.tenant.id} and customer_id = any(${ids}::uuid[]) order by id`);
  return [
    { resource: 'identity.session', rows },
    { resource: 'identity.external-identity', rows: identities },
  ].filter((part) => part.rows.length > 0);
};

/** A customer's sign-in goes with all its sessions. Staff are taken out by `rbac/users`. */
export const erasePerson: TapFn<typeof peopleErase> = async (ctx: Ctx, person) => {
  const { customerId } = person;
  if (customerId === undefined) return;
  const t = ctx.tenant.id;
  const sessions = await ctx.db.run(sql`delete from identity_session where tenant_id = ${t} and subject_id = ${customerId}`);
  const tokens = await ctx.db.run(sql`delete from identity_token where tenant_id = ${t} and subject_id = ${customerId}`);
  const credentials = await ctx.db.run(
    sql`delete from identity_credential where tenant_id = ${t} and customer_id = ${customerId}`,
  );
  const identities = await unlinkAll(ctx, customerId);
  ctx.onCommit(() => forget(t));
  person.report({ resource: 'identity.session', erased: sessions });
  person.report({ resource: 'identity.token', erased: tokens });
  person.report({ resource: 'identity.credential', erased: credentials });
  person.report({ resource: 'identity.external-identity', erased: identities });
};
