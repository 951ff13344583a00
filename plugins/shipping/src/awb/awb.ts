import { type Ctx, f, notFound, sql, type TableRow, table } from '@storeloom/plugin-sdk';
import { carrierNames } from '../carrier/names.ts';
import { queued } from '../queued.ts';
import { type AwbStatus, awbMachine, awbStatuses, cancellable } from './states.ts';

const parcel = {
  weightG: f.int({ min: 1, max: 1_000_000 }),
  lengthMm: f.int({ min: 1, max: 100_000 }).optional(),
  widthMm: f.int({ min: 1, max: 100_000 }).optional(),
  heightMm: f.int({ min: 1, max: 100_000 }).optional(),
};
export const awbBody = {
  fulfillmentId: f.id().optional(),
  provider: f.oneOf(carrierNames),
  serviceCode: f.text({ max: 60 }).optional(),
  parcels: f.list(f.object(parcel), { min: 1, max: 50 }),
  /** Cash on delivery. Default: what the order's other AWBs don't collect of the amount due, if it is paid on delivery. */
  cod: f.money({ min: 0 }).optional(),
  /** Required to collect another amount. */
  codReason: f.text({ max: 500 }).optional(),
  declaredValue: f.money({ min: 0 }).optional(),
  pickupPointId: f.text({ max: 100 }).optional(),
};
export const awb = table(
  'awb',
  {
    orderId: f.id(),
    fulfillmentId: f.id().optional(),
    provider: f.oneOf(carrierNames),
    awbNumber: f.text({ max: 60 }),
    serviceCode: f.text({ max: 60 }).optional(),
    status: f.oneOf(awbStatuses),
    parcels: f.list(f.object(parcel)),
    cod: f.money().optional(),
    declaredValue: f.money().optional(),
    pickupPointId: f.text({ max: 100 }).optional(),
    price: f.money().optional(),
    /** Last successful tracking request. */
    trackedAt: f.instant().optional(),
  },
  {
    uniques: [{ fields: ['fulfillmentId'], where: "status <> 'cancelled'" }, { fields: ['provider', 'awbNumber'] }],
    indexes: [
      { name: 'shipping_awb_number_idx', fields: ['awbNumber'] },
      { name: 'shipping_awb_order_idx', fields: ['orderId', 'id'] },
    ],
    sqlOnly: { shipping_awb_open_idx: 'the column track_tried_at is no field' },
  },
);
export type AwbRow = TableRow<typeof awb>;

export const awbEvent = table(
  'awb-event',
  {
    awbId: f.id(),
    code: f.text({ max: 100 }),
    /** The state of the event, or the parcel's state at the time if the event has none. */
    status: f.oneOf(awbStatuses),
    at: f.instant(),
    location: f.text().optional(),
    description: f.text({ max: 500 }).optional(),
  },
  { uniques: [{ fields: ['awbId', 'at', 'code'] }], appendOnly: true },
);

export const awbResponse = {
  awbNumber: f.text(),
  provider: f.oneOf(carrierNames),
  status: f.oneOf(awbStatuses),
  labelUrl: f.text({ max: 500 }),
  price: f.money().optional(),
  cod: f.money().optional(),
  fulfillmentId: f.id().optional(),
};
export function awbView(row: AwbRow) {
  const { awbNumber, provider, status, price, cod, fulfillmentId } = row;
  const labelUrl = `/api/admin/orders/${row.orderId}/awb/${encodeURIComponent(awbNumber)}/label`;
  return { awbNumber, provider, status, labelUrl, price, cod, fulfillmentId };
}

/** The AWB of an order by its number; an active one has precedence over a cancelled one. @throws 404 */
export async function awbOfOrder(ctx: Ctx, orderId: string, awbNumber: string): Promise<AwbRow> {
  const found = await ctx.rows(awb).find({ orderId, awbNumber }, { orderBy: ['-id'] });
  const row = found.find(({ status }) => status !== 'cancelled') ?? found[0];
  if (!row) throw notFound();
  return row;
}

/** Transitions a locked AWB. @throws 409 `invalid_transition` */
export async function setStatus(ctx: Ctx, row: AwbRow, to: AwbStatus, reason: string | null): Promise<AwbRow> {
  awbMachine.check(row.status, to);
  const after = await ctx.rows(awb).update(row.id, { status: to });
  await ctx.history({ entity: 'shipping.awb', entityId: row.id, from: row.status, to, reason });
  return after;
}

/** Cancels the AWB of a parcel; a job informs the carrier after the commit. False if the carrier already has the parcel. */
export async function cancelAwb(ctx: Ctx, fulfillmentId: string): Promise<boolean> {
  const [row] = (await ctx.rows(awb).find({ fulfillmentId }, { lock: true })).filter(({ status }) => status !== 'cancelled');
  if (!row) return true;
  if (!cancellable.includes(row.status)) return false;
  await setStatus(ctx, row, 'cancelled', 'fulfillment_cancelled');
  await ctx.enqueue(
    queued.cancelAwb,
    { provider: row.provider, awbNumber: row.awbNumber },
    { key: `cancel ${row.id}`, retryLimit: 8 },
  );
  return true;
}

export interface AwbEventView {
  code: string;
  status: AwbStatus;
  at: string;
  location: string | null;
  description: string | null;
}
/** Tracking events by AWB, oldest first. */
export async function eventsOf(ctx: Ctx, ids: readonly string[]): Promise<Map<string, AwbEventView[]>> {
  const all = new Map<string, AwbEventView[]>(ids.map((id) => [id, []]));
  if (ids.length === 0) return all;
  const rows = await ctx.db.rows<AwbEventView & { awbId: string }>(
    sql`select awb_id as "awbId", code, status, at, location, description from shipping_awb_event
      where tenant_id = ${ctx.tenant.id} and awb_id = any(${[...ids]}::uuid[]) order by at, id`,
  );
  for (const { awbId, ...event } of rows) all.get(awbId)?.push(event);
  return all;
}
