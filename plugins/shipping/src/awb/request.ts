import { type FlowLine, type Orders, type OrderView, orders } from '@storeloom/commerce';
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

/** An AWB that was asked for and isn't there yet. Its id is the carrier's idempotency key, so a repeat prints nothing twice. */
export const awbRequest = table('awb-request', {
  orderId: f.id(),
  /** Null: of all that is left; that parcel is made when the AWB is there. */
  fulfillmentId: f.id().optional(),
  lines: f.list(f.object({ lineId: f.id(), quantity: f.int({ min: 1 }) })),
  provider: f.oneOf(carrierNames),
  body: f.json({ max: 65_536 }),
  /** Who asked waits for the carrier until then. */
  leasedUntil: f.instant().optional(),
});
export type AwbRequestRow = TableRow<typeof awbRequest>;

/** `done`: it is there. `call`: ask the carrier now. `wait`: somebody else is asking. */
export type Intent =
  | { kind: 'done'; awb: AwbRow }
  | { kind: 'call'; request: AwbRequestRow; order: OrderView }
  | { kind: 'wait' };

const leaseMs = 90_000;

/** What a parcel of all that is left would hold, or why there may be none. Makes nothing: the carrier may still refuse. */
async function rehearse(ctx: Ctx, service: Orders, orderId: string): Promise<FlowLine[]> {
  return (await dryRun(ctx, () => service.createFulfillment(orderId, null))).lines;
}

function checkCod(order: OrderView, cod: AwbBody['cod']): void {
  if (!cod) return;
  if (cod.currency !== order.currency) throw domainError('/cod/currency', 'currency_mismatch', `must be ${order.currency}`);
  if (cod.amount !== order.amountDue)
    throw problem('cod_mismatch', {
      detail: 'The cash-on-delivery amount must equal the amount due.',
      amountDue: { amount: order.amountDue, currency: order.currency },
    });
}

async function liveAwb(ctx: Ctx, fulfillmentId: string): Promise<AwbRow | undefined> {
  return (await ctx.rows(awb).find({ fulfillmentId })).find(({ status }) => status !== 'cancelled');
}

/** The parcel meant: the one named; else a new one of what is left; else the only one that still has no AWB. */
async function parcelOf(
  ctx: Ctx,
  service: Orders,
  order: OrderView,
  fulfillmentId: string | null,
): Promise<{ awb: AwbRow } | { fulfillmentId: string | null; lines: FlowLine[] }> {
  if (fulfillmentId !== null) {
    const named = await service.fulfillment(fulfillmentId);
    if (!named || named.orderId !== order.id) throw referenceNotFound('/fulfillmentId');
    const known = await liveAwb(ctx, fulfillmentId);
    if (known) return { awb: known };
    return open(named);
  }
  const parcels = await service.fulfillmentsOf(order.id);
  try {
    return { fulfillmentId: null, lines: await rehearse(ctx, service, order.id) };
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'quantity_exceeds_unfulfilled') throw error;
    const known = (await ctx.rows(awb).find({ orderId: order.id }, { orderBy: ['-id'] })).filter(
      ({ status }) => status !== 'cancelled',
    );
    const waiting = parcels.filter((each) => isOpen(each.status) && !known.some((row) => row.fulfillmentId === each.id));
    if (waiting.length > 1) throw invalid('/fulfillmentId', 'required', 'is required: several parcels await an AWB');
    if (waiting[0]) return open(waiting[0]);
    if (known[0]) return { awb: known[0] };
    throw error;
  }
}
const isOpen = (status: string): boolean => status === 'pending' || status === 'packed';
function open(parcel: { id: string; status: string; lines: FlowLine[] }): { fulfillmentId: string; lines: FlowLine[] } {
  if (!isOpen(parcel.status))
    throw problem('invalid_transition', {
      detail: `The parcel is ${parcel.status}.`,
      from: parcel.status,
      to: 'shipped',
      allowed: [],
    });
  return { fulfillmentId: parcel.id, lines: parcel.lines };
}

/** Under the order's lock: what is to be done for the request. A row stands before the carrier is called. */
export async function intend(ctx: Ctx, orderId: string, body: AwbBody): Promise<Intent> {
  const service = ctx.require(orders);
  const order = await service.get(orderId, { lock: true });
  if (!order) throw notFound();
  if (!order.shippingAddress) throw invalid('', 'no_address', 'the order has no shipping address');
  const givenUp = new Date(ctx.clock.ms() - requestLifeMs).toISOString();
  await ctx.db.run(
    sql`delete from shipping_awb_request where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and created_at < ${givenUp}`,
  );
  const waiting = await ctx.rows(awbRequest).first({ orderId, fulfillmentId: body.fulfillmentId }, { lock: true });
  if (waiting) return take(ctx, waiting, order, body.provider);
  const parcel = await parcelOf(ctx, service, order, body.fulfillmentId);
  if ('awb' in parcel) return { kind: 'done', awb: parcel.awb };
  const again = await ctx.rows(awbRequest).first({ orderId, fulfillmentId: parcel.fulfillmentId }, { lock: true });
  if (again) return take(ctx, again, order, body.provider);
  checkCod(order, body.cod);
  const { fulfillmentId: _, provider, ...rest } = body;
  const request = await ctx.rows(awbRequest).insert({
    orderId,
    fulfillmentId: parcel.fulfillmentId,
    lines: parcel.lines,
    provider,
    body: rest,
    leasedUntil: new Date(ctx.clock.ms() + leaseMs).toISOString(),
  });
  return { kind: 'call', request, order };
}

/** A request without an answer goes on as it was made: with another body the carrier might print a second AWB. */
async function take(ctx: Ctx, waiting: AwbRequestRow, order: OrderView, provider: string): Promise<Intent> {
  if (waiting.leasedUntil !== null && Date.parse(waiting.leasedUntil) > ctx.clock.ms()) return { kind: 'wait' };
  if (waiting.provider !== provider)
    throw problem('conflict', {
      detail: `An AWB was requested from ${waiting.provider} without a clear response. Repeat that request first.`,
    });
  const request = await ctx
    .rows(awbRequest)
    .update(waiting.id, { leasedUntil: new Date(ctx.clock.ms() + leaseMs).toISOString() });
  return { kind: 'call', request, order };
}
