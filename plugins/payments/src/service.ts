import { type Payments, payments, type RefundView } from '@storeloom/commerce';
import { type Ctx, provide } from '@storeloom/plugin-sdk';
import { offered, offerOf } from './method/offer.ts';
import { attempt, start } from './payment/attempt.ts';
import { instrumentsOf } from './payment/instrument.ts';
import { payment, paymentsOf, type Thing, viewOf } from './payment/payment.ts';
import { release } from './payment/release.ts';
import { startProvider } from './payment/start-provider.ts';
import { sync } from './payment/sync.ts';
import { moneyRefunds, refundView, requestRefund } from './refund/refund.ts';

function refundsOf(ctx: Ctx, thing: Thing): Promise<RefundView[]> {
  return ctx.transaction(async (ctx) => {
    const ids = (await paymentsOf(ctx, thing)).map(({ id }) => id);
    return (await moneyRefunds(ctx, ids)).map(refundView);
  });
}

function make(ctx: Ctx): Payments {
  return {
    start: (request) => start(ctx, request),
    status: (id) =>
      ctx.transaction(async (ctx) => {
        const row = await ctx.rows(payment).get(id);
        return row && viewOf(ctx, row);
      }),
    refund: (request) => requestRefund(ctx, request),
    of: (thing, { lock = false } = {}) =>
      ctx.transaction(async (ctx) => (await paymentsOf(ctx, thing, { lock })).map((row) => viewOf(ctx, row))),
    refundsOf: (thing) => refundsOf(ctx, thing),
    methods: (filter) => ctx.transaction(async (ctx) => (await offered(ctx, filter)).map(offerOf)),
    attempt: (request) => attempt(ctx, request),
    startProvider: (id) => startProvider(ctx, id),
    sync: (id) => sync(ctx, id),
    instruments: (customerId) => instrumentsOf(ctx, customerId),
    release: (thing, options) => release(ctx, thing, options),
  };
}

export const paymentsService = provide(payments, make);
