import { orders } from '@storeloom/commerce';
import { type Ctx, type Job, type JobData, sql } from '@storeloom/plugin-sdk';
import { announce } from './events.ts';
import { methodById } from './method/method.ts';
import { apply, hasEnded } from './payment/apply.ts';
import { type CaptureRow, capture } from './payment/capture.ts';
import { lockPayment, type PaymentRow, payment } from './payment/payment.ts';
import { askForIntent } from './payment/start-provider.ts';
import { type PaymentAdapter, type ProviderCall, ProviderError, type ProviderPayment } from './provider/adapter.ts';
import { providerCall } from './provider/providers.ts';
import { queued } from './queued.ts';
import { adoptRefunds } from './refund/adopt.ts';
import { type RefundRow, refund, settleRefund } from './refund/refund.ts';

/** Payment and provider for a call; undefined where the payment is gone. Opens and ends a transaction of its own. */
export async function reach(
  ctx: Ctx,
  paymentId: string,
): Promise<{ row: PaymentRow; adapter: PaymentAdapter; call: ProviderCall } | undefined> {
  const found = await ctx.transaction(
    async (ctx) => {
      const row = await ctx.rows(payment).get(paymentId);
      return row && { row, method: await methodById(ctx, row.methodId) };
    },
    { readOnly: true },
  );
  if (!found) return undefined;
  return { row: found.row, ...providerCall(ctx, found.row.provider, found.method.config) };
}

/** Takes the shares that wait, oldest first. Each carries its own key, so two workers at once take each share once. */
export const captureJob: Job<JobData<typeof queued.capture>> = {
  transaction: 'none',
  retryLimit: 20,
  async run(ctx, { paymentId }) {
    const done = new Set<string>();
    for (;;) {
      const reached = await reach(ctx, paymentId);
      if (!reached) return;
      const next = await ctx.transaction(
        (ctx) => ctx.rows(capture).first({ paymentId, status: 'pending' }, { orderBy: ['id'] }),
        { readOnly: true },
      );
      if (!next || done.has(next.id)) return;
      done.add(next.id);
      await takeShare(ctx, reached, next);
    }
  },
};

async function takeShare(
  ctx: Ctx,
  { row, adapter, call }: { row: PaymentRow; adapter: PaymentAdapter; call: ProviderCall },
  share: CaptureRow,
): Promise<void> {
  const settle = (status: CaptureRow['status'], change: Partial<CaptureRow> = {}): Promise<CaptureRow> =>
    ctx.transaction((ctx) => ctx.rows(capture).update(share.id, { status, ...change }));
  if (row.providerRef === null || hasEnded(row)) return void (await settle('cancelled', { error: row.status }));
  const rest = Math.max(0, row.amount.amount - row.capturedAmount);
  const amount = share.final ? rest : Math.min(share.amount ?? 0, rest);
  if (amount === 0 && !share.final) return void (await settle('succeeded'));
  const ref = row.providerRef;
  let truth: ProviderPayment;
  try {
    truth =
      amount === 0
        ? await adapter.void(call, { ref, key: `${row.id}:void` })
        : await adapter.capture(call, {
            ref,
            amount,
            currency: row.amount.currency,
            final: share.final,
            key: `${row.id}:capture:${share.id}`,
          });
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind === 'unavailable') throw error;
    if (error.code === 'multicapture_unavailable') return void (await settle('deferred', { error: error.code }));
    ctx.log.warn({ payment: row.id, capture: share.id, code: error.code }, 'a capture was refused');
    return captureRefused(ctx, row.id, share, error.code);
  }
  await ctx.transaction(async (ctx) => {
    await apply(ctx, row.id, truth, 'shipped');
    await ctx.rows(capture).update(share.id, { status: 'succeeded', amount });
  });
}

async function captureRefused(ctx: Ctx, paymentId: string, share: CaptureRow, code: string): Promise<void> {
  await ctx.transaction(async (ctx) => {
    const { row, order } = await lockPayment(ctx, paymentId);
    await ctx.rows(capture).update(share.id, { status: 'failed', error: code });
    const marked = await ctx.rows(payment).update(row.id, { error: code });
    await announce(ctx, 'failed', marked);
    if (order) await ctx.require(orders).refreshPayment(order.id);
  });
}

/** Closes at the provider what has ended here. Money that was taken in the meantime is then late money. */
export const voidJob: Job<JobData<typeof queued.void>> = {
  transaction: 'none',
  retryLimit: 20,
  async run(ctx, { paymentId }) {
    const reached = await reach(ctx, paymentId);
    if (!reached?.row.voiding) return;
    const { row, adapter, call } = reached;
    if (row.providerRef === null) {
      // The call that made it may be under way, or have been lost.
      await ctx.transaction((ctx) => ctx.enqueue(queued.recover, { paymentId }, { key: paymentId, startAfter: 5 }));
      return;
    }
    const truth = await adapter.void(call, { ref: row.providerRef, key: `${row.id}:void` });
    await ctx.transaction(async (ctx) => {
      await apply(ctx, row.id, truth, 'voided');
      if (!ends.has(truth.status)) return;
      await ctx.db.run(
        sql`update payments_payment set voiding = false, version = version + 1 where tenant_id = ${ctx.tenant.id} and id = ${row.id}`,
      );
    });
    if (!ends.has(truth.status)) throw new Error(`the provider keeps the payment ${row.id} ${truth.status}`);
  },
};
const ends = new Set<ProviderPayment['status']>(['captured', 'cancelled', 'expired']);

/** Hours for which the provider remembers a key; after them the same call would make a second intent. */
const keyHours = 20;

/**
 * An answer of the provider was lost: the same call with the same key tells what became of it. Without an end there, it is closed; with
 * money, the money is late, or the order's after all.
 */
export const recoverJob: Job<JobData<typeof queued.recover>> = {
  transaction: 'none',
  retryLimit: 20,
  async run(ctx, { paymentId }) {
    const row = (await reach(ctx, paymentId))?.row;
    if (!row || row.providerRef !== null || row.claimedAt === null || !hasEnded(row)) return;
    if (Date.parse(row.createdAt) < ctx.clock.ms() - keyHours * 3600_000) {
      ctx.log.warn({ payment: row.id }, 'what became of a payment can not be asked any more');
      return lose(ctx, row, 'key_forgotten');
    }
    let truth: ProviderPayment;
    try {
      truth = await askForIntent(ctx, row);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind === 'unavailable') throw error;
      ctx.log.warn({ payment: row.id, code: error.code }, 'the provider refuses to say what became of a payment');
      return lose(ctx, row, error.code);
    }
    await ctx.transaction(async (ctx) => {
      const after = await apply(ctx, paymentId, truth, 'recovered');
      if (after.voiding) await ctx.enqueue(queued.void, { paymentId }, { key: paymentId });
    });
  },
};

/** What the provider has of it, if anything, stays unknown: staff find it in the audit. */
function lose(ctx: Ctx, { id }: PaymentRow, code: string): Promise<void> {
  return ctx.transaction(async (ctx) => {
    await ctx.rows(payment).update(id, { voiding: false });
    await ctx.audit({ entity: 'payments.payment', entityId: id, action: 'payments.payment.lost', extra: { code } });
  });
}

/** Sends money back. The provider does it once for the refund's id; after a lost answer it is asked first. */
export const refundJob: Job<JobData<typeof queued.refund>> = {
  transaction: 'none',
  retryLimit: 20,
  async run(ctx, { refundId }) {
    const wish = await ctx.transaction(async (ctx) => {
      const found = await ctx.rows(refund).get(refundId, { lock: true });
      return found?.status === 'pending' ? ctx.rows(refund).update(found.id, { attempts: found.attempts + 1 }) : undefined;
    });
    if (!wish) return;
    const reached = await reach(ctx, wish.paymentId);
    if (!reached || reached.row.providerRef === null) throw new Error(`the refund ${refundId} has no payment at a provider`);
    const { row, adapter, call } = reached;
    const ref = reached.row.providerRef;
    if (wish.attempts > 1) {
      const truth = await adapter.status(call, ref);
      if (truth.refunds.some((one) => one.refundId === refundId)) return endRefund(ctx, row, wish, truth.refunds);
    }
    const { amount, currency } = wish.amount;
    try {
      const made = await adapter.refund(call, { ref, amount, currency, refundId, key: `${row.id}:refund:${refundId}` });
      await endRefund(ctx, row, wish, [{ ...made, refundId }]);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind === 'unavailable') throw error;
      ctx.log.warn({ payment: row.id, refund: refundId, code: error.code }, 'a refund was refused');
      await refuseRefund(ctx, row, refundId, error.code);
    }
  },
};

function endRefund(ctx: Ctx, { id }: PaymentRow, wish: RefundRow, refunds: ProviderPayment['refunds']): Promise<void> {
  return ctx.transaction(async (ctx) => {
    const { row, order } = await lockPayment(ctx, id);
    const mine = refunds.find((one) => one.refundId === wish.id);
    // Still under way at the provider: the reference is kept, the end comes by notification or by the repair job.
    if (mine?.status === 'pending') await ctx.rows(refund).update(wish.id, { providerRef: mine.ref });
    await adoptRefunds(ctx, row, { refunds }, order);
  });
}

function refuseRefund(ctx: Ctx, { id }: PaymentRow, refundId: string, code: string): Promise<void> {
  return ctx.transaction(async (ctx) => {
    const { row, order } = await lockPayment(ctx, id);
    const current = await ctx.rows(refund).require(refundId);
    await settleRefund(ctx, current, row, 'failed', { error: code });
    if (order) await ctx.require(orders).refundChanged(order.id);
  });
}
