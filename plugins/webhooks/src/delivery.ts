import { type BaseRow, type Ctx, f, problem, type RowOf, resource, route, type Shape, sql, table } from '@storeloom/plugin-sdk';
import { invalidTransition } from '@storeloom/plugin-sdk/state';
import { maxBody } from './payload.ts';
import { wake } from './wake.ts';

const deliveryStatuses = ['pending', 'retrying', 'succeeded', 'dead'] as const;

const answer = {
  statusCode: f.int().optional(),
  durationMs: f.int().optional(),
  /** Why there is no status: `timeout`, `unreachable`, `answer_too_large`, or the guard's reason, `address_refused`. */
  error: f.text({ max: 60 }).optional(),
  /** The first kilobyte of what was answered. Text, never to be rendered. */
  responseExcerpt: f.text({ max: 1024 }).optional(),
} satisfies Shape;

/** Each time that a delivery was sent. */
export const attempt = table(
  'attempt',
  { deliveryId: f.id(), number: f.int(), ...answer, durationMs: f.int() },
  { indexes: [{ name: 'webhooks_attempt_delivery_idx', fields: ['deliveryId', 'number'] }], appendOnly: true },
);

const fields = {
  endpointId: f.id().readonly(),
  /** The header `webhook-id` of every try. */
  eventId: f.id().readonly().filter(),
  type: f.text({ max: 120 }).readonly().filter(),
  /** Attempts so far. */
  attempt: f.int().readonly(),
  status: f.oneOf(deliveryStatuses).readonly().filter(),
  statusCode: answer.statusCode.readonly().filter(),
  durationMs: answer.durationMs.readonly(),
  error: answer.error.readonly(),
  responseExcerpt: answer.responseExcerpt.readonly(),
  nextAt: f.instant().optional().readonly(),
  requestId: f.text({ max: 64 }).optional().readonly(),
  payload: f.json({ max: maxBody }).readonly().virtual().describe('The event as it was sent.'),
  attempts: f
    .list(f.object({ number: f.int(), at: f.instant(), ...answer, durationMs: f.int() }))
    .readonly()
    .virtual(),
} satisfies Shape;
type Delivery = RowOf<typeof fields> & BaseRow;

/** The log of a webhook: one row an event, with its attempts. */
export const delivery = resource('delivery', {
  path: 'webhooks/deliveries',
  verbs: ['list'],
  fields,
  uniques: [{ name: 'webhooks_delivery_event_key', fields: ['endpointId', 'eventId'] }],
  indexes: [
    { name: 'webhooks_delivery_age_idx', fields: ['createdAt'] },
    { name: 'webhooks_delivery_due_idx', fields: ['endpointId', 'nextAt', 'id'], where: "status in ('pending', 'retrying')" },
    { name: 'webhooks_delivery_log_idx', fields: ['endpointId', 'createdAt', 'id'] },
  ],
  sqlOnly: { webhooks_delivery_overdue_idx: 'without tenant: the job that retries reads the due deliveries of all tenants' },
  deletes: 'free',
  present: withAttempts,
});

async function withAttempts(ctx: Ctx, rows: Delivery[]): Promise<Delivery[]> {
  const ids = rows.map(({ id }) => id);
  const found = await ctx.db.rows<{ id: string; body: string; attempts: Delivery['attempts'] }>(sql`
    select d.id, d.body, coalesce((
      select jsonb_agg(jsonb_build_object('number', a.number, 'at', to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'statusCode', a.status_code, 'durationMs', a.duration_ms, 'error', a.error, 'responseExcerpt', a.response_excerpt) order by a.number)
      from webhooks_attempt a where a.tenant_id = d.tenant_id and a.delivery_id = d.id), '[]') as attempts
    from webhooks_delivery d where d.tenant_id = ${ctx.tenant.id} and d.id = any(${ids}::uuid[])`);
  const byId = new Map(found.map((row) => [row.id, row]));
  return rows.map((row) => {
    const { body = '{}', attempts = [] } = byId.get(row.id) ?? {};
    return { ...row, payload: JSON.parse(body) as Record<string, unknown>, attempts };
  });
}

export const retry = route(
  'POST',
  '/webhooks/deliveries/{deliveryId}/retry',
  {
    permission: 'webhooks.delivery.retry',
    summary: 'Send a delivery again, with the whole schedule before it',
    response: { id: f.id(), createdAt: f.instant(), updatedAt: f.instant(), version: f.int(), ...fields },
    problems: ['invalid_transition', 'endpoint_disabled'],
  },
  async (ctx, req) => {
    const rows = ctx.rows(delivery);
    const { id, endpointId, status } = await rows.require(req.params.deliveryId as string, { lock: true });
    const now = ctx.clock.now();
    if (status === 'pending') throw invalidTransition(status, 'pending', []);
    const at = await ctx.db.first<{ active: boolean }>(
      sql`select active from webhooks_endpoint where tenant_id = ${ctx.tenant.id} and id = ${endpointId}`,
    );
    if (!at?.active) throw problem('endpoint_disabled', { detail: 'The webhook is disabled. Enable it first.' });
    await ctx.db.run(sql`update webhooks_delivery set status = 'pending', step = 0, next_at = ${now}, updated_at = ${now}, version = version + 1
      where tenant_id = ${ctx.tenant.id} and id = ${id}`);
    await wake(ctx, endpointId);
    await ctx.audit({ entity: 'webhooks.delivery', entityId: id, before: { status }, after: { status: 'pending' } });
    const [shown] = await withAttempts(ctx, [await rows.require(id)]);
    return shown as Delivery;
  },
);
