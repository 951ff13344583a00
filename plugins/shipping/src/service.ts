import { type Shipping, shipping } from '@storeloom/commerce';
import type { Bail } from '@storeloom/plugin-sdk';
import { type Ctx, provide, type TapFn, token } from '@storeloom/plugin-sdk';
import { awb, cancelAwb, eventsOf } from './awb/awb.ts';
import { readQuote, signQuote } from './pricing/quote-token.ts';

async function awbsOf(ctx: Ctx, orderId: string): ReturnType<Shipping['awbsOf']> {
  const rows = await ctx.rows(awb).find({ orderId }, { orderBy: ['id'] });
  const events = await eventsOf(
    ctx,
    rows.map(({ id }) => id),
  );
  return rows.flatMap(({ id, awbNumber, provider, status, fulfillmentId }) =>
    fulfillmentId === null ? [] : [{ awbNumber, provider, status, fulfillmentId, events: events.get(id) ?? [] }],
  );
}

async function track(ctx: Ctx, awbNumber: string): ReturnType<Shipping['track']> {
  const found = await ctx.rows(awb).find({ awbNumber }, { orderBy: ['-id'] });
  const row = found.find(({ status }) => status !== 'cancelled') ?? found[0];
  if (!row) return undefined;
  const events = (await eventsOf(ctx, [row.id])).get(row.id) ?? [];
  return { awbNumber, provider: row.provider, status: row.status, events };
}

export const shippingService = provide(
  shipping,
  (ctx): Shipping => ({
    cancelAwb: (fulfillmentId) => cancelAwb(ctx, fulfillmentId),
    awbsOf: (orderId) => awbsOf(ctx, orderId),
    signQuote: (quote) => signQuote(ctx, quote),
    readQuote: (quoteToken) => readQuote(ctx, quoteToken),
    track: (awbNumber) => track(ctx, awbNumber),
  }),
);

/** Hook of logistics for AWBs that aren't of its own fleet. */
type TrackingLookup = Bail<
  { awb: string },
  { awb: string; status: string; etaDate: string | null; milestones: { status: string; at: string; city: string | null }[] }
>;
export const trackingLookup = token<TrackingLookup>('logistics:tracking.lookup');
export const lookUpTracking: TapFn<TrackingLookup> = async (ctx, { awb: number }) => {
  const found = await track(ctx, number);
  if (!found) return undefined;
  const milestones = found.events.map(({ status, at, location }) => ({ status, at, city: location }));
  return { awb: found.awbNumber, status: found.status, etaDate: null, milestones };
};
