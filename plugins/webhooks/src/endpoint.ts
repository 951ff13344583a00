import {
  type BaseRow,
  type CreateOf,
  type Ctx,
  created,
  entityEvents,
  f,
  http,
  maskSecret,
  type Req,
  type RowOf,
  resource,
  route,
  type Shape,
  sql,
} from '@storeloom/plugin-sdk';
import { checkPatterns, patternField } from './catalogue.ts';
import { delivery } from './delivery.ts';
import { ping } from './queue.ts';
import { newSecret } from './signature.ts';
import { wake } from './wake.ts';

const entity = 'webhooks.endpoint';
/** Known from the resource's verbs. */
const changes = entityEvents(entity, { created: { data: { id: f.id() } }, updated: { data: { id: f.id() } } });
/** How long a secret that was replaced signs beside the new one. */
const overlapMs = 24 * 3_600_000;
const maxPrevious = 4;

const fields = {
  url: f.url(),
  events: f.list(patternField, { min: 1, max: 100 }),
  description: f.text({ max: 500 }).optional(),
  active: f.bool().default(true).filter(),
  /** Whole only in the answers that made it. */
  secret: f.secret().readonly(),
  health: f.oneOf(['unknown', 'healthy', 'failing']).readonly().virtual(),
  /** Set if it was disabled automatically. */
  disabledReason: f.oneOf(['gone', 'failing']).optional().readonly(),
} satisfies Shape;
type Endpoint = RowOf<typeof fields> & BaseRow;

export const endpoint = resource('endpoint', {
  path: 'webhooks',
  verbs: ['list', 'create', 'get', 'update', 'remove'],
  fields,
  indexes: [{ name: 'webhooks_endpoint_created_idx', fields: ['createdAt', 'id'] }],
  deletes: 'free',
  children: { deliveries: { resource: delivery, parent: 'endpointId' } },
  present: withHealth,
  handlers: { create },
  before: {
    async update(ctx, row, patch) {
      if (patch.events) checkPatterns(ctx, patch.events);
      if (patch.url !== undefined && patch.url !== row.url) await checkAddress(ctx, patch.url);
      return patch.active === true ? ({ disabledReason: null } as Partial<CreateOf<typeof fields>>) : undefined;
    },
  },
  after: {
    async update(ctx, row, _, previous) {
      const moved = row.url !== previous.url;
      const on = row.active && !previous.active;
      // What was learnt of the old address says nothing of the new one.
      if (moved || on) await forget(ctx, row.id, moved);
      if (on) await resume(ctx, row.id);
      if (!row.active && previous.active) await hold(ctx, row.id);
    },
  },
});

/** A name may be answered slowly: it is asked for with no transaction open. */
const checkAddress = (ctx: Ctx, url: string): Promise<void> =>
  ctx.withoutTransaction(`address ${url}`, () => ctx.require(http).check(url));

async function withHealth(ctx: Ctx, rows: Endpoint[]): Promise<Endpoint[]> {
  const found = await ctx.db.rows<{ id: string; health: Endpoint['health'] }>(sql`
    select id, case when failing_since is not null then 'failing' when succeeded_at is not null then 'healthy' else 'unknown' end as health
    from webhooks_endpoint where tenant_id = ${ctx.tenant.id} and id = any(${rows.map(({ id }) => id)}::uuid[])`);
  const healths = new Map(found.map(({ id, health }) => [id, health]));
  return rows.map((row) => ({ ...row, health: healths.get(row.id) ?? 'unknown' }));
}

async function view(ctx: Ctx, row: Endpoint): Promise<Endpoint> {
  const [shown] = await withHealth(ctx, [row]);
  return { ...(shown as Endpoint), secret: maskSecret(ctx.unseal(row.secret)) };
}

/** Its answer is the one that shows the secret. */
async function create(ctx: Ctx, req: Req<Record<string, string>, never, never>) {
  const input = req.body as CreateOf<typeof fields>;
  checkPatterns(ctx, input.events);
  await checkAddress(ctx, input.url);
  const secret = newSecret();
  const row = (await ctx.rows(endpoint).insert({ ...input, secret })) as Endpoint;
  await ping(ctx, row);
  const shown = await view(ctx, row);
  await ctx.audit({ entity, entityId: row.id, before: null, after: shown });
  await ctx.emit(changes.created, { id: row.id, data: { id: row.id } });
  return created(`/webhooks/${row.id}`, { ...shown, secret });
}

export interface PreviousSecret {
  /** Sealed. */
  secret: string;
  until: string;
}

export const rotate = route(
  'POST',
  '/webhooks/{id}/rotate-secret',
  {
    permission: 'webhooks.endpoint.rotate-secret',
    summary: 'A new secret; the one before signs beside it for 24 hours',
    response: { id: f.id(), createdAt: f.instant(), updatedAt: f.instant(), version: f.int(), ...fields },
    problems: ['version_conflict'],
  },
  async (ctx, req) => {
    const rows = ctx.rows(endpoint);
    const id = req.params.id as string;
    const before = (await rows.require(id, { lock: true })) as Endpoint;
    const now = ctx.clock.now();
    const secret = newSecret();
    const kept = await ctx.db.first<{ previous: PreviousSecret[] }>(
      sql`select previous_secrets as previous from webhooks_endpoint where tenant_id = ${ctx.tenant.id} and id = ${id}`,
    );
    const previous: PreviousSecret[] = [
      { secret: before.secret, until: new Date(ctx.clock.ms() + overlapMs).toISOString() },
      ...(kept?.previous ?? []).filter(({ until }) => until > now),
    ].slice(0, maxPrevious);
    await ctx.db.run(sql`update webhooks_endpoint set previous_secrets = ${JSON.stringify(previous)}::jsonb
      where tenant_id = ${ctx.tenant.id} and id = ${id}`);
    const row = (await rows.update(id, { secret })) as Endpoint;
    const shown = await view(ctx, row);
    await ctx.audit({ entity, entityId: id, before: await view(ctx, before), after: shown });
    await ctx.emit(changes.updated, { id, data: { id } });
    return { ...shown, secret };
  },
);

/** Nothing is due while it is off; what waits stays. */
export async function hold(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.run(
    sql`update webhooks_endpoint set off_since = ${ctx.clock.now()} where tenant_id = ${ctx.tenant.id} and id = ${id}`,
  );
  await ctx.db.run(sql`update webhooks_delivery set next_at = null, updated_at = ${ctx.clock.now()}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and endpoint_id = ${id} and status in ('pending', 'retrying') and next_at is not null`);
}

async function resume(ctx: Ctx, id: string): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.run(sql`update webhooks_endpoint set off_since = null where tenant_id = ${ctx.tenant.id} and id = ${id}`);
  await ctx.db.run(sql`update webhooks_delivery set next_at = ${now}, updated_at = ${now}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and endpoint_id = ${id} and status in ('pending', 'retrying')`);
  await wake(ctx, id);
}

async function forget(ctx: Ctx, id: string, moved: boolean): Promise<void> {
  await ctx.db.run(sql`update webhooks_endpoint set failing_since = null, quiet_until = null${moved ? sql`, succeeded_at = null, slow = false` : sql``}
    where tenant_id = ${ctx.tenant.id} and id = ${id}`);
}
