import { type FlowLine, type Orders, type OrderView, orders, payments } from '@storeloom/commerce';
import {
  type CreateOf,
  type Ctx,
  domainError,
  dryRun,
  f,
  invalid,
  notFound,
  Problem,
  problem,
  referenceNotFound,
  sql,
  type TableRow,
  table,
} from '@storeloom/plugin-sdk';
import { requestLifeMs } from '../carrier/lifetimes.ts';
import { carrierNames } from '../carrier/names.ts';
import { type AwbRow, awb, type awbBody } from './awb.ts';

export type AwbBody = CreateOf<typeof awbBody>;

/** A pending AWB request. Its id is the carrier's idempotency key, so a retry doesn't create a second AWB. */
export const awbRequest = table(
  'awb-request',
  {
    orderId: f.id(),
    /** Null for all unfulfilled units: their parcel is created together with the AWB. */
    fulfillmentId: f.id().optional(),
    lines: f.list(f.object({ lineId: f.id(), quantity: f.int({ min: 1 }) })),
    provider: f.oneOf(carrierNames),
    body: f.json({ max: 65_536 }),
    /** Until then another process is waiting for the carrier. */
    leasedUntil: f.instant().optional(),
  },
  { sqlOnly: { shipping_awb_request_parcel_key: 'expression: a request without a fulfilment is for the whole order' } },
);
export type AwbRequestRow = TableRow<typeof awbRequest>;

/** `done`: the AWB exists. `call`: call the carrier. `wait`: another process is calling it. */
export type Intent =
  | { kind: 'done'; awb: AwbRow }
  | { kind: 'call'; request: AwbRequestRow; order: OrderView }
  | { kind: 'wait' };

const leaseMs = 90_000;

/** The lines that a parcel of all unfulfilled units would contain. A dry run, because the carrier may still refuse. */
async function previewLines(ctx: Ctx, service: Orders, orderId: string): Promise<FlowLine[]> {
  return (await dryRun(ctx, () => service.createFulfillment(orderId, null))).lines;
}

/** The amount due that neither AWBs nor pending requests of the order collect yet, in minor units. */
async function uncollected(ctx: Ctx, order: OrderView): Promise<number> {
  const row = await ctx.db.first<{ amount: number }>(sql`select (
    (select coalesce(sum(cod_amount), 0) from shipping_awb
      where tenant_id = ${ctx.tenant.id} and order_id = ${order.id} and status not in ('cancelled', 'returned'))
    + (select coalesce(sum((body->'cod'->>'amount')::bigint), 0) from shipping_awb_request
      where tenant_id = ${ctx.tenant.id} and order_id = ${order.id}))::int8 as amount`);
  return Math.max(0, order.amountDue - (row?.amount ?? 0));
}

async function isCashOnDelivery(ctx: Ctx, order: OrderView): Promise<boolean> {
  const found = (await ctx.use(payments)?.of({ type: 'orders.order', id: order.id })) ?? [];
  return found.some(({ provider, status }) => provider === 'cod' && status === 'created');
}

/**
 * The amount that the carrier collects; null for nothing.
 *
 * @throws 409 `cod_mismatch {amountDue}` for an amount other than the one due, without a reason
 */
async function codOf(ctx: Ctx, order: OrderView, { cod, codReason }: AwbBody): Promise<AwbBody['cod']> {
  if (cod && cod.currency !== order.currency)
    throw domainError('/cod/currency', 'currency_mismatch', `must be ${order.currency}`);
  if (cod === null && !(await isCashOnDelivery(ctx, order))) return null;
  const due = await uncollected(ctx, order);
  const amount = cod?.amount ?? due;
  if (amount !== due && codReason === null)
    throw problem('cod_mismatch', {
      detail: 'The cash-on-delivery amount must equal the amount due. Another amount requires codReason.',
      amountDue: { amount: due, currency: order.currency },
    });
  return amount === 0 ? null : { amount, currency: order.currency };
}

async function activeAwb(ctx: Ctx, fulfillmentId: string): Promise<AwbRow | undefined> {
  return (await ctx.rows(awb).find({ fulfillmentId })).find(({ status }) => status !== 'cancelled');
}

/** The requested parcel; otherwise a new one of all unfulfilled units; otherwise the only open one without an AWB. */
async function resolveParcel(
  ctx: Ctx,
  service: Orders,
  order: OrderView,
  fulfillmentId: string | null,
): Promise<{ awb: AwbRow } | { fulfillmentId: string | null; lines: FlowLine[] }> {
  if (fulfillmentId !== null) {
    const named = await service.fulfillment(fulfillmentId);
    if (!named || named.orderId !== order.id) throw referenceNotFound('/fulfillmentId');
    const known = await activeAwb(ctx, fulfillmentId);
    if (known) return { awb: known };
    return requireOpen(named);
  }
  const parcels = await service.fulfillmentsOf(order.id);
  try {
    return { fulfillmentId: null, lines: await previewLines(ctx, service, order.id) };
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'quantity_exceeds_unfulfilled') throw error;
    const known = (await ctx.rows(awb).find({ orderId: order.id }, { orderBy: ['-id'] })).filter(
      ({ status }) => status !== 'cancelled',
    );
    const waiting = parcels.filter((each) => isOpen(each.status) && !known.some((row) => row.fulfillmentId === each.id));
    if (waiting.length > 1) throw invalid('/fulfillmentId', 'required', 'is required: several parcels await an AWB');
    if (waiting[0]) return requireOpen(waiting[0]);
    if (known[0]) return { awb: known[0] };
    throw error;
  }
}
const isOpen = (status: string): boolean => status === 'pending' || status === 'packed';
function requireOpen(parcel: { id: string; status: string; lines: FlowLine[] }): { fulfillmentId: string; lines: FlowLine[] } {
  if (!isOpen(parcel.status))
    throw problem('invalid_transition', {
      detail: `The parcel is ${parcel.status}.`,
      from: parcel.status,
      to: 'shipped',
      allowed: [],
    });
  return { fulfillmentId: parcel.id, lines: parcel.lines };
}

/** Under the order's lock: finds the AWB or stores the request before the carrier is called. */
export async function prepareRequest(ctx: Ctx, orderId: string, body: AwbBody): Promise<Intent> {
  const service = ctx.require(orders);
  const order = await service.get(orderId, { lock: true });
  if (!order) throw notFound();
  if (!order.shippingAddress) throw invalid('', 'no_address', 'the order has no shipping address');
  const expired = new Date(ctx.clock.ms() - requestLifeMs).toISOString();
  await ctx.db.run(
    sql`delete from shipping_awb_request where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and created_at < ${expired}`,
  );
  const waiting = await ctx.rows(awbRequest).first({ orderId, fulfillmentId: body.fulfillmentId }, { lock: true });
  if (waiting) return resume(ctx, waiting, order, body.provider);
  const parcel = await resolveParcel(ctx, service, order, body.fulfillmentId);
  if ('awb' in parcel) return { kind: 'done', awb: parcel.awb };
  const again = await ctx.rows(awbRequest).first({ orderId, fulfillmentId: parcel.fulfillmentId }, { lock: true });
  if (again) return resume(ctx, again, order, body.provider);
  const cod = await codOf(ctx, order, body);
  const { fulfillmentId: _, provider, ...rest } = body;
  const request = await ctx.rows(awbRequest).insert({
    orderId,
    fulfillmentId: parcel.fulfillmentId,
    lines: parcel.lines,
    provider,
    body: { ...rest, cod },
    leasedUntil: new Date(ctx.clock.ms() + leaseMs).toISOString(),
  });
  return { kind: 'call', request, order };
}

/** Resumes a request without a response unchanged: with another body the carrier could create a second AWB. */
async function resume(ctx: Ctx, waiting: AwbRequestRow, order: OrderView, provider: string): Promise<Intent> {
  if (waiting.leasedUntil !== null && Date.parse(waiting.leasedUntil) > ctx.clock.ms()) return { kind: 'wait' };
  if (waiting.provider !== provider)
    throw problem('conflict', {
      detail: `An AWB was requested from ${waiting.provider} without a valid response. Repeat that request first.`,
    });
  const request = await ctx
    .rows(awbRequest)
    .update(waiting.id, { leasedUntil: new Date(ctx.clock.ms() + leaseMs).toISOString() });
  return { kind: 'call', request, order };
}
