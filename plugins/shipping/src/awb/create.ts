import { setTimeout as sleep } from 'node:timers/promises';
import { type OrderView, orders } from '@storeloom/commerce';
import { type Ctx, Problem, problem, reply, route } from '@storeloom/plugin-sdk';
import { type AwbOrder, CarrierError, type Recipient } from '../carrier/adapter.ts';
import { adapterOf, callCarrier, carrierProblem, requireCall } from '../carrier/call.ts';
import { queued } from '../queued.ts';
import { type AwbRow, awb, awbAnswer, awbBody, awbView } from './awb.ts';
import { replayUnknown } from './event.ts';
import { awbEvents } from './events.ts';
import { type AwbBody, type AwbRequestRow, awbRequest, intend } from './request.ts';

const waitMs = 15_000;
const stepMs = 150;
type Printed = { awbNumber: string; price: AwbRow['price'] };

function recipientOf(order: OrderView): Recipient {
  const to = order.shippingAddress as NonNullable<OrderView['shippingAddress']>;
  return {
    name: `${to.firstName} ${to.lastName}`.trim(),
    company: to.company,
    line1: to.line1,
    line2: to.line2,
    city: to.city,
    region: to.region,
    postalCode: to.postalCode,
    country: to.country,
    phone: to.phone ?? order.phone,
    email: to.email ?? order.email,
  };
}
function orderOf(request: AwbRequestRow, order: OrderView): AwbOrder {
  const { serviceCode, parcels, cod, declaredValue, pickupPointId } = request.body as unknown as AwbBody;
  const key = request.id;
  return { key, reference: order.number, serviceCode, recipient: recipientOf(order), parcels, cod, declaredValue, pickupPointId };
}

/** The answer is in: parcel, AWB, tracking number and event in one transaction, under the order's lock. Again: what is there. */
async function store(ctx: Ctx, request: AwbRequestRow, printed: Printed): Promise<AwbRow> {
  const service = ctx.require(orders);
  await service.get(request.orderId, { lock: true });
  const rows = ctx.rows(awb);
  const known = await rows.first({ provider: request.provider, awbNumber: printed.awbNumber });
  if (known) {
    await ctx.rows(awbRequest).remove(request.id);
    return known;
  }
  const fulfillmentId = request.fulfillmentId ?? (await service.createFulfillment(request.orderId, request.lines)).id;
  const { serviceCode, parcels, cod, declaredValue, pickupPointId } = request.body as unknown as AwbBody;
  const { orderId, provider } = request;
  const { awbNumber, price } = printed;
  const row = await rows.insert({
    orderId,
    fulfillmentId,
    provider,
    awbNumber,
    price,
    status: 'created',
    serviceCode,
    parcels,
    cod,
    declaredValue,
    pickupPointId,
  });
  await service.setTracking(fulfillmentId, { awbNumber, carrier: provider, trackingNumber: awbNumber });
  await ctx.rows(awbRequest).remove(request.id);
  await ctx.history({ entity: 'shipping.awb', entityId: row.id, from: null, to: 'created' });
  await ctx.audit({ entity: 'shipping.awb', entityId: row.id, before: null, after: row });
  await ctx.emit(awbEvents.created, { id: row.id, data: { id: row.id, orderId, fulfillmentId, provider, awbNumber } });
  return replayUnknown(ctx, row);
}

/** Printed, but the parcel can't take it any more: it is kept as cancelled, and the carrier is told. */
async function giveUp(ctx: Ctx, request: AwbRequestRow, { awbNumber, price }: Printed): Promise<void> {
  const { orderId, provider } = request;
  const { parcels } = request.body as unknown as AwbBody;
  const row = await ctx.rows(awb).insert({ orderId, provider, awbNumber, price, parcels, status: 'cancelled' });
  await ctx.rows(awbRequest).remove(request.id);
  await ctx.history({ entity: 'shipping.awb', entityId: row.id, from: null, to: 'cancelled', reason: 'parcel_gone' });
  await ctx.enqueue(queued.cancelAwb, { provider, awbNumber }, { key: `cancel ${row.id}`, retryLimit: 8 });
}

/** Refused: nothing stays. No answer: the request stays with its key, free for the next try. */
async function settleFailure(ctx: Ctx, request: AwbRequestRow, error: unknown): Promise<void> {
  await ctx.transaction(async (ctx) => {
    const rows = ctx.rows(awbRequest);
    if (error instanceof CarrierError && error.kind === 'refused') await rows.remove(request.id);
    else if (await rows.get(request.id, { lock: true })) await rows.update(request.id, { leasedUntil: null });
  });
}

async function print(ctx: Ctx, request: AwbRequestRow, order: OrderView): Promise<AwbRow> {
  const { provider } = request;
  let printed: Printed;
  try {
    const call = await ctx.transaction((ctx) => requireCall(ctx, provider), { readOnly: true });
    printed = await callCarrier(ctx, provider, () => adapterOf(provider).createAwb(call, orderOf(request, order)));
  } catch (error) {
    await settleFailure(ctx, request, error);
    throw carrierProblem(error);
  }
  try {
    return await ctx.transaction((ctx) => store(ctx, request, printed));
  } catch (error) {
    const isFinal = error instanceof Problem && error.code !== 'unavailable' && error.code !== 'conflict';
    if (isFinal) await ctx.transaction((ctx) => giveUp(ctx, request, printed));
    else await settleFailure(ctx, request, error);
    throw error;
  }
}

export const createAwb = route(
  'POST',
  '/orders/{id}/awb',
  {
    permission: 'shipping.awb.create',
    entity: 'shipping.awb',
    summary: 'Have a carrier print an AWB, once a parcel',
    body: awbBody,
    response: awbAnswer,
    status: 201,
    transaction: 'none',
    problems: ['cod_mismatch', 'carrier_rejected', 'provider_not_configured', 'unavailable'],
  },
  async (ctx, req) => {
    const orderId = req.params.id as string;
    const until = performance.now() + waitMs;
    for (;;) {
      const intent = await ctx.transaction(async (ctx) => {
        const found = await intend(ctx, orderId, req.body);
        // Not before the order is known to be the tenant's; a request row isn't kept for a carrier that can't be called.
        if (found.kind !== 'done') await requireCall(ctx, req.body.provider);
        return found;
      });
      if (intent.kind === 'done') return awbView(intent.awb);
      if (intent.kind === 'call') {
        const row = await print(ctx, intent.request, intent.order);
        const view = awbView(row);
        return reply(201, view, { location: `/orders/${orderId}/awb/${encodeURIComponent(row.awbNumber)}/tracking` });
      }
      if (performance.now() > until)
        throw problem('unavailable', {
          detail: 'The AWB has already been requested. The carrier has not responded yet.',
          retryAfter: 10,
        });
      await sleep(stepMs, undefined, { signal: ctx.signal });
    }
  },
);
