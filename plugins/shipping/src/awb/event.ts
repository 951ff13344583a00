import { orders } from '@storeloom/commerce';
import { type Ctx, f, sql, table, uuidv7 } from '@storeloom/plugin-sdk';
import type { CarrierEvent } from '../carrier/adapter.ts';
import { carrierNames } from '../carrier/names.ts';
import { type AwbRow, awb, setStatus } from './awb.ts';
import { awbEvents } from './events.ts';
import { type AwbStatus, advances, awbStatuses, hasLeft } from './states.ts';

/** A carrier event of an AWB that isn't stored (yet). */
export const unknownEvent = table(
  'unknown-event',
  {
    provider: f.oneOf(carrierNames),
    awbNumber: f.text({ max: 100 }),
    code: f.text({ max: 100 }),
    /** Empty for an event without a state. */
    status: f.text({ min: 0, max: 40 }),
    at: f.instant(),
    location: f.text().optional(),
    description: f.text({ max: 500 }).optional(),
  },
  {
    uniques: [{ fields: ['provider', 'awbNumber', 'at', 'code'] }],
    sqlOnly: { shipping_unknown_event_created_idx: 'descending: newest first' },
    appendOnly: true,
  },
);

/** Transitions the order's parcel: shipped, delivered, failed or returned. */
async function updateOrder(ctx: Ctx, row: AwbRow): Promise<void> {
  const service = ctx.use(orders);
  const { orderId, fulfillmentId, status, provider } = row;
  if (!service || fulfillmentId === null) return;
  const parcel = await service.fulfillment(fulfillmentId);
  if (!parcel || parcel.status === 'cancelled') return;
  const reason = `${provider}: ${status}`;
  const isOpen = parcel.status === 'pending' || parcel.status === 'packed';
  const isRetried = parcel.status === 'failed_delivery' && (status === 'in_transit' || status === 'out_for_delivery');
  if (hasLeft(status) && (isOpen || isRetried)) await service.ship(orderId, fulfillmentId, reason);
  if (status === 'delivered') await service.deliver(orderId, fulfillmentId, reason);
  if (status === 'failed_attempt') await service.failDelivery(orderId, fulfillmentId, 'failed_delivery', reason);
  if (status === 'returned') await service.failDelivery(orderId, fulfillmentId, 'returned_to_sender', reason);
}

async function emitTransition(ctx: Ctx, row: AwbRow): Promise<void> {
  const { id, orderId, fulfillmentId, provider, awbNumber, status } = row;
  const data = { id, orderId, fulfillmentId, provider, awbNumber };
  if (status === 'delivered') await ctx.emit(awbEvents.delivered, { id, data });
  if (status === 'failed_attempt' || status === 'returned') await ctx.emit(awbEvents.failed, { id, data: { ...data, status } });
}

/** Stores an event; false for a known one. */
async function insertEvent(ctx: Ctx, row: AwbRow, event: CarrierEvent): Promise<boolean> {
  const added =
    await ctx.db.run(sql`insert into shipping_awb_event (tenant_id, id, awb_id, code, status, at, location, description, created_at)
    values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${row.id}, ${event.code}, ${event.status ?? row.status}, ${event.at}, ${event.location}, ${event.description}, ${ctx.clock.now()})
    on conflict (tenant_id, awb_id, at, code) do nothing`);
  return added > 0;
}

/**
 * Applies events of one AWB in chronological order. The caller has locked the order and the AWB. Every event is stored; the state only
 * advances, and `cancelled` is accepted only before pickup.
 */
async function applyLocked(ctx: Ctx, start: AwbRow, events: readonly CarrierEvent[]): Promise<AwbRow> {
  let row = start;
  const known = await ctx.db.first<{ at: string | null }>(
    sql`select max(at) as at from shipping_awb_event where tenant_id = ${ctx.tenant.id} and awb_id = ${row.id}`,
  );
  let latest = known?.at ?? null;
  for (const event of [...events].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))) {
    if (!(await insertEvent(ctx, row, event))) continue;
    if (advances(row.status, event.status, event.at, latest)) {
      row = await setStatus(ctx, row, event.status as AwbStatus, event.code);
      await updateOrder(ctx, row);
      await emitTransition(ctx, row);
    }
    if (latest === null || event.at > latest) latest = event.at;
  }
  return row;
}

/** Locks the order, then its AWB, as every flow does. Undefined for an unknown AWB number. */
async function lockAwb(ctx: Ctx, provider: AwbRow['provider'], awbNumber: string): Promise<AwbRow | undefined> {
  const known = await ctx.rows(awb).first({ provider, awbNumber });
  if (!known) return undefined;
  await ctx.use(orders)?.get(known.orderId, { lock: true });
  return ctx.rows(awb).get(known.id, { lock: true });
}

/** Applies or stores events of one AWB. Idempotent. */
export async function applyEvents(
  ctx: Ctx,
  provider: AwbRow['provider'],
  awbNumber: string,
  events: readonly CarrierEvent[],
): Promise<void> {
  const row = await lockAwb(ctx, provider, awbNumber);
  if (row) {
    await applyLocked(ctx, row, events);
    return;
  }
  for (const { code, status, at, location, description } of events)
    await ctx.db.run(sql`insert into shipping_unknown_event (tenant_id, id, provider, awb_number, code, status, at, location, description, created_at)
      values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${provider}, ${awbNumber}, ${code}, ${status ?? ''}, ${at}, ${location}, ${description}, ${ctx.clock.now()})
      on conflict (tenant_id, provider, awb_number, at, code) do nothing`);
}

/** Applies events received before the AWB was stored. The caller holds the order's lock and has inserted the row. */
export async function replayUnknown(ctx: Ctx, row: AwbRow): Promise<AwbRow> {
  const early = await ctx.rows(unknownEvent).find({ provider: row.provider, awbNumber: row.awbNumber });
  if (early.length === 0) return row;
  const isStatus = (text: string): text is AwbStatus => (awbStatuses as readonly string[]).includes(text);
  const events = early.map(({ awbNumber, code, status, at, location, description }) => ({
    awbNumber,
    code,
    status: isStatus(status) ? status : null,
    at,
    location,
    description,
  }));
  return applyLocked(ctx, row, events);
}
