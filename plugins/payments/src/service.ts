import type { PaymentSubject } from '@storeloom/commerce';
import { type Payments, payments, type RefundView } from '@storeloom/commerce';
import { type Ctx, provide } from '@storeloom/plugin-sdk';
import { offeredMethods, toMethodOffer } from './method/offer.ts';
import { recordOffline } from './method/record-offline.ts';
import { attempt, start } from './payment/attempt.ts';
import { instrumentsOf } from './payment/instrument.ts';
import { payment, paymentsOf, viewOf } from './payment/payment.ts';
import { release } from './payment/release.ts';
import { startProvider } from './payment/start-provider.ts';
import { sync } from './payment/sync.ts';
import { moneyRefunds, refundView, requestRefund } from './refund/refund.ts';

function refundsOf(ctx: Ctx, subject: PaymentSubject): Promise<RefundView[]> {
  return ctx.transaction(async (ctx) => {
    const ids = (await paymentsOf(ctx, subject)).map(({ id }) => id);
    return (await moneyRefunds(ctx, ids)).map(refundView);
  });
}

function createPayments(ctx: Ctx): Payments {
  return {
    start: (request) => start(ctx, request),
    status: (id) =>
      ctx.transaction(async (ctx) => {
        const row = await ctx.rows(payment).get(id);
        return row && viewOf(ctx, row);
      }),
    refund: (request) => requestRefund(ctx, request),
    of: (subject, { lock = false } = {}) =>
      ctx.transaction(async (ctx) => (await paymentsOf(ctx, subject, { lock })).map((row) => viewOf(ctx, row))),
    refundsOf: (subject) => refundsOf(ctx, subject),
    methods: (filter) => ctx.transaction(async (ctx) => (await offeredMethods(ctx, filter)).map(toMethodOffer)),
    attempt: (request) => attempt(ctx, request),
    recordOffline: (request) => recordOffline(ctx, request),
    startProvider: (id) => startProvider(ctx, id),
    sync: (id) => sync(ctx, id),
    instruments: (customerId) => instrumentsOf(ctx, customerId),
    release: (subject, options) => release(ctx, subject, options),
  };
}

export const paymentsService = provide(payments, createPayments);
