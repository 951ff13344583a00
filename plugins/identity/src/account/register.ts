import { accepted, type Ctx, f, mailer, platformRoute, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { customerDirectory } from '../contract.ts';
import { shopOf } from '../session/login.ts';
import { evenly } from '../session/throttle.ts';
import { paths, storefrontLink } from './links.ts';
import { newTenantToken } from './mail-tokens.ts';
import { checkNewPassword, hashPassword, newPassword } from './password.ts';

/** Fixed response interval in milliseconds, longer than a registration takes, so that its duration reveals nothing. Only tests of other features change it. */
export const registration = { ms: 400 };

export const acceptedShape = { status: f.oneOf(['accepted']) };

interface Registration {
  email: string;
  passwordHash: string;
  firstName: string | null;
  lastName: string | null;
  phone: string | null;
}

/** Creates the customer's credential, without a password if null; returns false if there is one, also for a simultaneous call. */
export async function addCredential(ctx: Ctx, customerId: string, passwordHash: string | null): Promise<boolean> {
  const ms = ctx.clock.ms();
  const now = new Date(ms).toISOString();
  const added =
    await ctx.db.run(sql`insert into identity_credential (tenant_id, id, customer_id, password_hash, created_at, updated_at)
    values (${ctx.tenant.id}, ${uuidv7(ms)}, ${customerId}, ${passwordHash}, ${now}, ${now}) on conflict (tenant_id, customer_id) do nothing`);
  return added === 1;
}

async function enrol(ctx: Ctx, { email, passwordHash, ...names }: Registration, locale: string): Promise<void> {
  const customers = ctx.require(customerDirectory);
  const known = await customers.byEmail(email);
  const registered =
    known &&
    (await ctx.db.first(
      sql`select id from identity_credential where tenant_id = ${ctx.tenant.id} and customer_id = ${known.id}`,
    ));
  if (!registered) {
    const { id } = await customers.register({ email, ...names });
    if (await addCredential(ctx, id, passwordHash)) {
      const { token } = await newTenantToken(ctx, 'verify', id);
      const data = { shop: ctx.tenant.name, link: storefrontLink(ctx, paths.verifyEmail, token.text) };
      await ctx.require(mailer).send({ to: email, template: 'identity.verify', locale, data, key: `verify:${token.hash}` });
      return;
    }
  }
  await tellRegistered(ctx, email, locale);
}

/** Notifies the owner of a registered address of the attempt, at most once an hour. Changes nothing. */
async function tellRegistered(ctx: Ctx, email: string, locale: string): Promise<void> {
  const customer = await ctx.require(customerDirectory).byEmail(email);
  if (customer?.status !== 'active') return;
  const { token } = await newTenantToken(ctx, 'reset', customer.id);
  const data = { shop: ctx.tenant.name, link: storefrontLink(ctx, paths.resetPassword, token.text) };
  const hour = ctx.clock.now().slice(0, 13);
  await ctx
    .require(mailer)
    .send({ to: customer.email, template: 'identity.registered', locale, data, key: `registered:${customer.id}:${hour}` });
}

export const register = platformRoute(
  'POST',
  '/register',
  {
    summary: 'Register as a customer of the shop',
    body: {
      email: f.email(),
      password: newPassword,
      firstName: f.text({ max: 100 }).optional(),
      lastName: f.text({ max: 100 }).optional(),
      phone: f.phone().optional(),
    },
    response: acceptedShape,
    status: 202,
    idempotent: false,
    rateLimit: [
      { name: 'register', points: 60, seconds: 600, by: 'ip' },
      { name: 'register-host', points: 3000, seconds: 600, by: (req) => req.host },
    ],
    problems: ['tenant_not_found', 'tenant_suspended', 'rate_limited'],
  },
  async (ctx, req) => {
    const shop = shopOf(ctx);
    const { password, ...person } = req.body;
    checkNewPassword(password, person.email);
    return evenly(registration.ms, async () => {
      const passwordHash = await hashPassword(password);
      await ctx.withTenant(shop, (tenant) => enrol(tenant, { ...person, passwordHash }, ctx.locale));
      return accepted({ status: 'accepted' });
    });
  },
);
