import {
  type Ctx,
  f,
  type PlatformCtx,
  platformRoute,
  problem,
  type Req,
  reply,
  type Shape,
  setupToken,
  sql,
  tenants,
  uuidv7,
} from '@storeloom/plugin-sdk';
import { checkNewPassword, hashPassword, newPassword } from './account/password.ts';
import { addCredential } from './account/register.ts';
import { addOperator, addOwner } from './accounts.ts';
import { customerDirectory } from './contract.ts';
import { unauthenticated } from './session/sessions.ts';
import { type SignedIn, signedInShape } from './session/sign-in.ts';

const host = f.text({ max: 253, pattern: /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i });
const name = f.text({ max: 200 });
const tenantShape = f.object({ id: f.id(), slug: f.slug(), name: f.text() });

/** A claim whose process died is taken over after this. Seconds. */
const claimLasts = 60;

/** Before anything else is said, also about the body. */
function requireToken(ctx: PlatformCtx, { headers }: Pick<Req<unknown, unknown, unknown>, 'headers'>): void {
  const given = headers['x-setup-token'];
  if (!ctx.require(setupToken).matches(typeof given === 'string' ? given : undefined))
    throw unauthenticated('X-Setup-Token is missing or wrong.');
}
const used = (): ReturnType<typeof problem> => problem('not_found', { detail: 'The set-up has already been completed.' });

/** Claims the setup: of simultaneous calls one gets the row, the others wait for it and fail. */
async function claim(ctx: PlatformCtx, key: string): Promise<{ tenantId?: string } | undefined> {
  const ms = ctx.clock.ms();
  const row = await ctx.db.first<{
    value: { tenantId?: string };
  }>(sql`insert into identity_setup as s (key, started_at) values (${key}, ${new Date(ms).toISOString()})
    on conflict (key) do update set started_at = excluded.started_at
      where s.done_at is null and s.started_at < ${new Date(ms - claimLasts * 1000).toISOString()}
    returning value`);
  return row?.value;
}

export const setupSuperAdmin = platformRoute(
  'POST',
  '/api/internal/setup-super-admin',
  {
    summary: 'Make the first operator, once',
    body: { email: f.email(), password: newPassword, name: name.optional() },
    response: { user: f.object(signedInShape) },
    status: 201,
    idempotent: false,
    admit: requireToken,
    rateLimit: { name: 'setup', points: 60, seconds: 60, by: 'ip' },
    problems: ['unauthenticated', 'not_found'],
  },
  async (ctx, req) => {
    const { email, password } = req.body;
    checkNewPassword(password, email);
    if (await isDone(ctx, 'operator')) throw used();
    const passwordHash = await hashPassword(password);
    const { userId } = await ctx.transaction(async (platform) => {
      if (!(await claim(platform, 'operator'))) throw used();
      const made = await addOperator(platform, { email, name: req.body.name ?? email, passwordHash });
      if (!made) throw problem('duplicate', { field: 'email' });
      await finish(platform, 'operator');
      return made;
    });
    const user: SignedIn = { id: userId, email, name: req.body.name ?? email, firstName: null, lastName: null };
    return reply(201, { user });
  },
);

async function isDone(ctx: PlatformCtx, key: string): Promise<boolean> {
  return ctx.transaction(
    async ({ db }) =>
      (await db.first(sql`select key from identity_setup where key = ${key} and done_at is not null`)) !== undefined,
    {
      readOnly: true,
    },
  );
}
async function finish(ctx: PlatformCtx, key: string): Promise<void> {
  await ctx.db.run(sql`update identity_setup set done_at = ${ctx.clock.now()} where key = ${key}`);
}

/** After the first operator and tenant exist, first customers can be created for this time. Then the token is dead. */
const graceMs = 60 * 60_000;
async function isOver(ctx: PlatformCtx): Promise<boolean> {
  const before = new Date(ctx.clock.ms() - graceMs).toISOString();
  const row = await ctx.transaction(
    ({ db }) =>
      db.first<{ n: number }>(
        sql`select count(*)::int4 as n from identity_setup where key in ('operator', 'tenant') and done_at < ${before}`,
      ),
    { readOnly: true },
  );
  return row?.n === 2;
}

const setupBody = {
  tenant: f.object({ name, slug: f.slug(), host }),
  owner: f.object({ email: f.email(), password: newPassword, name: name.optional() }),
} satisfies Shape;

/** The tenant of the claim: new, or the one that an attempt left that never ended. */
async function claimTenant(ctx: PlatformCtx, wanted: { name: string; slug: string; host: string }): Promise<string> {
  const known = await claim(ctx, 'tenant');
  if (!known) throw used();
  const directory = ctx.require(tenants);
  const values = { name: wanted.name, slug: wanted.slug, hosts: [wanted.host.toLowerCase()] };
  if (known.tenantId !== undefined) return (await directory.update(known.tenantId, values)).id;
  const { id } = await directory.create(values);
  await ctx.db.run(sql`update identity_setup set value = ${JSON.stringify({ tenantId: id })}::jsonb where key = 'tenant'`);
  return id;
}

/** The tenant's row and its owner can't be one transaction. What fails between them leaves the claim open for the next attempt. */
async function firstOwner(
  ctx: PlatformCtx,
  tenantId: string,
  owner: { email: string; name: string; passwordHash: string },
): Promise<string> {
  try {
    const { userId } = await ctx.withTenant(tenantId, (tenant) => addOwner(tenant, owner));
    await ctx.transaction((platform) => finish(platform, 'tenant'));
    return userId;
  } catch (error) {
    await ctx.transaction(({ db }) =>
      db.run(sql`update identity_setup set started_at = '-infinity' where key = 'tenant' and done_at is null`),
    );
    throw error;
  }
}

export const setup = platformRoute(
  'POST',
  '/api/internal/setup',
  {
    summary: 'Make the first tenant and its owner, once',
    body: setupBody,
    response: { tenant: tenantShape, user: f.object(signedInShape) },
    status: 201,
    idempotent: false,
    admit: requireToken,
    rateLimit: { name: 'setup', points: 60, seconds: 60, by: 'ip' },
    problems: ['unauthenticated', 'not_found', 'duplicate'],
  },
  async (ctx, req) => {
    const { tenant, owner } = req.body;
    checkNewPassword(owner.password, owner.email);
    if (await isDone(ctx, 'tenant')) throw used();
    const passwordHash = await hashPassword(owner.password);
    const id = await ctx.transaction((platform) => claimTenant(platform, tenant));
    const userId = await firstOwner(ctx, id, { email: owner.email, name: owner.name ?? owner.email, passwordHash });
    const user: SignedIn = { id: userId, email: owner.email, name: owner.name ?? owner.email, firstName: null, lastName: null };
    return reply(201, { tenant: { id, slug: tenant.slug, name: tenant.name }, user });
  },
);

async function firstCustomer(
  ctx: Ctx,
  person: { email: string; firstName: string | null; lastName: string | null },
  passwordHash: string,
): Promise<string> {
  const ms = ctx.clock.ms();
  const claimed =
    await ctx.db.run(sql`insert into identity_tenant_setup (tenant_id, id, key, created_at) values (${ctx.tenant.id}, ${uuidv7(ms)}, 'customer', ${new Date(ms).toISOString()})
    on conflict (tenant_id, key) do nothing`);
  if (claimed === 0) throw used();
  const { id } = await ctx.require(customerDirectory).register(person);
  if (!(await addCredential(ctx, id, passwordHash))) throw problem('duplicate', { field: 'email' });
  return id;
}

export const setupCustomer = platformRoute(
  'POST',
  '/api/internal/setup-customer',
  {
    summary: 'Create the first customer of a tenant, once a tenant, up to an hour after the set-up is completed',
    body: {
      tenant: f.slug(),
      email: f.email(),
      password: newPassword,
      firstName: f.text({ max: 100 }).optional(),
      lastName: f.text({ max: 100 }).optional(),
    },
    response: { tenant: tenantShape, user: f.object(signedInShape) },
    status: 201,
    idempotent: false,
    admit: requireToken,
    rateLimit: { name: 'setup', points: 60, seconds: 60, by: 'ip' },
    problems: ['unauthenticated', 'not_found', 'duplicate'],
  },
  async (ctx, req) => {
    const { tenant: slug, password, ...person } = req.body;
    checkNewPassword(password, person.email);
    if (await isOver(ctx)) throw used();
    const tenant = await ctx.require(tenants).bySlug(slug);
    if (!tenant)
      throw problem('not_found', {
        detail: 'There is no tenant with this slug.',
        errors: [{ pointer: '/tenant', code: 'not_found', message: 'is not the slug of a tenant' }],
      });
    const passwordHash = await hashPassword(password);
    const id = await ctx.withTenant(tenant.id, (scoped) => firstCustomer(scoped, person, passwordHash));
    const user: SignedIn = { id, ...person, name: null };
    return reply(201, { tenant: { id: tenant.id, slug: tenant.slug, name: tenant.name }, user });
  },
);
