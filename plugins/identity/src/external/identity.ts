import { type Ctx, f, mailer, shapeSchema, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { dropTenantTokens } from '../account/mail-tokens.ts';
import { addCredential } from '../account/register.ts';
import { customerDirectory } from '../contract.ts';
import { endSessionsOf, raiseCustomerVersion, sessionState } from '../session/sessions.ts';
import { externalIdentity } from '../tables.ts';
import type { ExternalIdentity } from './oidc.ts';

/** Why a sign-in or link failed; returned to the page in `?error=`. */
type Refusal = 'email_unverified' | 'account_disabled' | 'identity_taken' | 'session_over';
export type Outcome = { customerId: string } | { refused: Refusal };

const address = shapeSchema({ email: f.email() }, 'create');

async function ownerOf(ctx: Ctx, { issuer, subject }: ExternalIdentity): Promise<string | undefined> {
  const now = ctx.clock.now();
  const row = await ctx.db.first<{ customerId: string }>(
    sql`update identity_external_identity set last_used_at = ${now}, updated_at = ${now}, version = version + 1
      where tenant_id = ${ctx.tenant.id} and issuer = ${issuer} and subject = ${subject} returning customer_id as "customerId"`,
  );
  return row?.customerId;
}

/** Links an identity. Of simultaneous calls with the same identity the first one links it; the others get the result. */
async function link(ctx: Ctx, identity: ExternalIdentity, customer: { id: string; email: string }): Promise<Outcome> {
  const { provider, issuer, subject } = identity;
  const ms = ctx.clock.ms();
  const now = new Date(ms).toISOString();
  const added =
    await ctx.db.run(sql`insert into identity_external_identity (tenant_id, id, provider, issuer, subject, customer_id, last_used_at, created_at, updated_at)
    values (${ctx.tenant.id}, ${uuidv7(ms)}, ${provider}, ${issuer}, ${subject}, ${customer.id}, ${now}, ${now}, ${now})
    on conflict (tenant_id, issuer, subject) do nothing`);
  if (added === 0)
    return (await ownerOf(ctx, identity)) === customer.id ? { customerId: customer.id } : { refused: 'identity_taken' };
  await ctx.require(mailer).send({
    to: customer.email,
    template: 'identity.identityLinked',
    locale: ctx.locale,
    data: { shop: ctx.tenant.name },
    key: `linked:${customer.id}:${ms}`,
  });
  return { customerId: customer.id };
}

/**
 * Returns the customer of an identity. A new identity is linked by its address only if the provider has verified it: an unregistered address
 * gets a customer without a password; one that the shop has verified too, that customer; an unverified one, that customer after removing
 * password, sessions and links, which can be an intruder's.
 */
export async function customerOf(ctx: Ctx, identity: ExternalIdentity): Promise<Outcome> {
  const customers = ctx.require(customerDirectory);
  const owner = await ownerOf(ctx, identity);
  if (owner !== undefined) {
    const active = (await customers.get(owner))?.status === 'active';
    return active ? { customerId: owner } : { refused: 'account_disabled' };
  }
  // What is no address here can't be anybody's.
  const parsed = address.safeParse({ email: identity.email });
  if (!parsed.success) return { refused: 'email_unverified' };
  const { email } = parsed.data as { email: string };
  const { firstName, lastName } = identity;
  const customer = await customers.byEmail(email);
  if (customer && customer.status !== 'active') return { refused: 'account_disabled' };
  const registered =
    customer &&
    (await ctx.db.first(
      sql`select id from identity_credential where tenant_id = ${ctx.tenant.id} and customer_id = ${customer.id} for update`,
    ));
  if (!registered) {
    const { id } = await customers.register({ email, firstName, lastName });
    if (!(await addCredential(ctx, id, null))) return customerOf(ctx, identity);
    await customers.markVerified(id, { acceptRegistration: true });
    return link(ctx, identity, { id, email });
  }
  // Read again behind the lock: who verified it meanwhile keeps what is theirs.
  if ((await customers.get(customer.id))?.emailVerifiedAt === null) await dispossess(ctx, customer.id);
  return link(ctx, identity, customer);
}

/** Removes the credentials of an unverified registration, since the provider has verified the address of this caller. */
async function dispossess(ctx: Ctx, customerId: string): Promise<void> {
  await ctx.db.run(
    sql`update identity_credential set password_hash = null where tenant_id = ${ctx.tenant.id} and customer_id = ${customerId}`,
  );
  await unlinkAll(ctx, customerId);
  await raiseCustomerVersion(ctx, customerId);
  await endSessionsOf(ctx, customerId);
  await dropTenantTokens(ctx, customerId);
  await ctx.require(customerDirectory).markVerified(customerId, { acceptRegistration: false });
}

/** Links an identity to the customer who was signed in when they set out, and still is. */
export async function linkTo(
  ctx: Ctx,
  identity: ExternalIdentity,
  signedIn: { customerId: string; sessionId: string },
): Promise<Outcome> {
  const session = await sessionState(ctx, ctx.tenant.id, signedIn.sessionId);
  if (session?.audience !== 'storefront' || session.id !== signedIn.customerId) return { refused: 'session_over' };
  const customer = await ctx.require(customerDirectory).get(signedIn.customerId);
  if (customer?.status !== 'active') return { refused: 'account_disabled' };
  if (customer.emailVerifiedAt === null) return { refused: 'email_unverified' };
  return link(ctx, identity, customer);
}

export async function unlinkAll(ctx: Ctx, customerId: string): Promise<number> {
  return ctx.rows(externalIdentity).removeWhere({ customerId });
}
