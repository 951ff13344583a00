import { setTimeout as sleep } from 'node:timers/promises';
import { type OrderView, orders } from '@storeloom/commerce';
import { type Ctx, Problem, problem, reply, route } from '@storeloom/plugin-sdk';
import { type AwbInput, CarrierError, type Recipient } from '../carrier/adapter.ts';
import { adapterOf, callCarrier, carrierProblem, requireCall } from '../carrier/call.ts';
import { queued } from '../queued.ts';
import { type AwbRow, awb, awbBody, awbResponse, awbView } from './awb.ts';
import { replayUnknown } from './event.ts';
import { awbEvents } from './events.ts';
import { type AwbBody, type AwbRequestRow, awbRequest, prepareRequest } from './request.ts';

const waitMs = 15_000;
const stepMs = 150;
type CreatedAwb = { awbNumber: string; price: AwbRow['price'] };

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
function awbInputOf(request: AwbRequestRow, order: OrderView): AwbInput {
  const { serviceCode, parcels, cod, declaredValue, pickupPointId } = request.body as AwbBody;
  const key = request.id;
  return { key, reference: order.number, serviceCode, recipient: recipientOf(order), parcels, cod, declaredValue, pickupPointId };
}

/** Stores parcel, AWB, tracking number and event in one transaction, under the order's lock. Idempotent by the AWB number. */
async function store(ctx: Ctx, request: AwbRequestRow, created: CreatedAwb): Promise<AwbRow> {
  const service = ctx.require(orders);
  await service.get(request.orderId, { lock: true });
  const rows = ctx.rows(awb);
  const existing = await rows.first({ provider: request.provider, awbNumber: created.awbNumber });
  if (existing) {
    await ctx.rows(awbRequest).remove(request.id);
    return existing;
  }
  const fulfillmentId = request.fulfillmentId ?? (await service.createFulfillment(request.orderId, request.lines)).id;
  const { serviceCode, parcels, cod, codReason, declaredValue, pickupPointId } = request.body as AwbBody;
  const { orderId, provider } = request;
  const { awbNumber, price } = created;
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
  await ctx.audit({
    entity: 'shipping.awb',
    entityId: row.id,
    before: null,
    after: row,
    ...(codReason === null ? {} : { extra: { codReason } }),
  });
  await ctx.emit(awbEvents.created, { id: row.id, data: { id: row.id, orderId, fulfillmentId, provider, awbNumber } });
  return replayUnknown(ctx, row);
}

/** The parcel was cancelled during the request: stores the AWB as cancelled and cancels it at the carrier. */
async function storeCancelled(ctx: Ctx, request: AwbRequestRow, { awbNumber, price }: CreatedAwb): Promise<void> {
  const { orderId, provider } = request;
  const { parcels } = request.body as AwbBody;
  const row = await ctx.rows(awb).insert({ orderId, provider, awbNumber, price, parcels, status: 'cancelled' });
  await ctx.rows(awbRequest).remove(request.id);
  await ctx.history({ entity: 'shipping.awb', entityId: row.id, from: null, to: 'cancelled', reason: 'parcel_gone' });
  await ctx.enqueue(queued.cancelAwb, { provider, awbNumber }, { key: `cancel ${row.id}`, retryLimit: 8 });
}

/** Deletes a refused request. Without a response the request stays with its key, for the next attempt. */
async function settleFailure(ctx: Ctx, request: AwbRequestRow, error: unknown): Promise<void> {
  await ctx.transaction(async (ctx) => {
    const rows = ctx.rows(awbRequest);
    if (error instanceof CarrierError && error.kind === 'refused') await rows.remove(request.id);
    else if (await rows.get(request.id, { lock: true })) await rows.update(request.id, { leasedUntil: null });
  });
}

async function createAtCarrier(ctx: Ctx, request: AwbRequestRow, order: OrderView): Promise<AwbRow> {
  const { provider } = request;
  let created: CreatedAwb;
  try {
    const call = await ctx.transaction((ctx) => requireCall(ctx, provider), { readOnly: true });
    created = await callCarrier(ctx, provider, () => adapterOf(provider).createAwb(call, awbInputOf(request, order)));
  } catch (error) {
    await settleFailure(ctx, request, error);
    throw carrierProblem(error);
  }
  try {
    return await ctx.transaction((ctx) => store(ctx, request, created));
  } catch (error) {
    const isFinal = error instanceof Problem && error.code !== 'unavailable' && error.code !== 'conflict';
    if (isFinal) await ctx.transaction((ctx) => storeCancelled(ctx, request, created));
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
    summary: 'Create the AWB of a parcel at a carrier',
    body: awbBody,
    response: awbResponse,
    status: 201,
    otherResponses: { 200: awbResponse },
    transaction: 'none',
    problems: ['conflict', 'invalid_transition', 'cod_mismatch', 'carrier_rejected', 'provider_not_configured', 'unavailable'],
  },
  async (ctx, req) => {
    const orderId = req.params.id as string;
    const until = performance.now() + waitMs;
    for (;;) {
      const intent = await ctx.transaction(async (ctx) => {
        const found = await prepareRequest(ctx, orderId, req.body);
        // After the order is found (404 first). The rollback removes the request of a carrier that isn't configured.
        if (found.kind !== 'done') await requireCall(ctx, req.body.provider);
        return found;
      });
      if (intent.kind === 'done') return awbView(intent.awb);
      if (intent.kind === 'call') {
        const row = await createAtCarrier(ctx, intent.request, intent.order);
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
