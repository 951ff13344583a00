import { orders } from '@storeloom/commerce';
import { type Ctx, type Job, type JobData, sql } from '@storeloom/plugin-sdk';
import { publishPayment } from './events.ts';
import { methodById } from './method/method.ts';
import { apply, isFinal } from './payment/apply.ts';
import { type CaptureRow, capture } from './payment/capture.ts';
import { lockPayment, type PaymentRow, payment } from './payment/payment.ts';
import { requestIntent } from './payment/start-provider.ts';
import { type PaymentAdapter, type ProviderCall, ProviderError, type ProviderPayment } from './provider/adapter.ts';
import { providerCall } from './provider/providers.ts';
import { queued } from './queued.ts';
import { applyRefunds } from './refund/apply-refunds.ts';
import { type RefundRow, refund, settleRefund } from './refund/refund.ts';

/** Loads payment and provider for a call, in a transaction of its own. Returns undefined if the payment doesn't exist. */
export async function loadProviderCall(
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

/** Captures pending shares, oldest first. Each share has its own idempotency key, so concurrent workers capture it once. */
export const captureJob: Job<JobData<typeof queued.capture>> = {
  transaction: 'none',
  retryLimit: 20,
  async run(ctx, { paymentId }) {
    const attempted = new Set<string>();
    for (;;) {
      const loaded = await loadProviderCall(ctx, paymentId);
      if (!loaded) return;
      const next = await ctx.transaction(
        (ctx) => ctx.rows(capture).first({ paymentId, status: 'pending' }, { orderBy: ['id'] }),
        { readOnly: true },
      );
      if (!next || attempted.has(next.id)) return;
      attempted.add(next.id);
      await captureShare(ctx, loaded, next);
    }
  },
};

async function captureShare(
  ctx: Ctx,
  { row, adapter, call }: { row: PaymentRow; adapter: PaymentAdapter; call: ProviderCall },
  share: CaptureRow,
): Promise<void> {
  const settle = (status: CaptureRow['status'], change: Partial<CaptureRow> = {}): Promise<CaptureRow> =>
    ctx.transaction((ctx) => ctx.rows(capture).update(share.id, { status, ...change }));
  if (row.providerRef === null || isFinal(row)) return void (await settle('cancelled', { error: row.status }));
  const rest = Math.max(0, row.amount.amount - row.capturedAmount);
  const amount = share.final ? rest : Math.min(share.amount ?? 0, rest);
  if (amount === 0 && !share.final) return void (await settle('succeeded'));
  const ref = row.providerRef;
  let reported: ProviderPayment;
  try {
    reported =
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
    ctx.log.warn({ payment: row.id, capture: share.id, code: error.code }, 'The provider refused a capture');
    return failCapture(ctx, row.id, share, error.code);
  }
  await ctx.transaction(async (ctx) => {
    await apply(ctx, row.id, reported, 'shipped');
    await ctx.rows(capture).update(share.id, { status: 'succeeded', amount });
  });
}

async function failCapture(ctx: Ctx, paymentId: string, share: CaptureRow, code: string): Promise<void> {
  await ctx.transaction(async (ctx) => {
    const { row, order } = await lockPayment(ctx, paymentId);
    await ctx.rows(capture).update(share.id, { status: 'failed', error: code });
    const marked = await ctx.rows(payment).update(row.id, { error: code });
    await publishPayment(ctx, 'failed', marked);
    if (order) await ctx.require(orders).refreshPayment(order.id);
  });
}

/** Voids at the provider a payment that has ended here. Money captured meanwhile becomes late money. */
export const voidJob: Job<JobData<typeof queued.void>> = {
  transaction: 'none',
  retryLimit: 20,
  async run(ctx, { paymentId }) {
    const loaded = await loadProviderCall(ctx, paymentId);
    if (!loaded?.row.voiding) return;
    const { row, adapter, call } = loaded;
    if (row.providerRef === null) {
      // The call that creates the intent may be running or lost.
      await ctx.transaction((ctx) => ctx.enqueue(queued.recover, { paymentId }, { key: paymentId, startAfter: 5 }));
      return;
    }
    const reported = await adapter.void(call, { ref: row.providerRef, key: `${row.id}:void` });
    await ctx.transaction(async (ctx) => {
      await apply(ctx, row.id, reported, 'voided');
      if (!finalStatuses.has(reported.status)) return;
      await ctx.db.run(
        sql`update payments_payment set voiding = false, version = version + 1 where tenant_id = ${ctx.tenant.id} and id = ${row.id}`,
      );
    });
    if (!finalStatuses.has(reported.status)) throw new Error(`Payment ${row.id} is still ${reported.status} at the provider`);
  },
};
const finalStatuses = new Set<ProviderPayment['status']>(['captured', 'cancelled', 'expired']);

/** Hours for which the provider remembers an idempotency key; later the same call would create a second intent. */
const keyHours = 20;

/**
 * Recovers from a lost provider response by repeating the call with the same key. An open intent is voided; a captured one is late
 * money or pays the order after all.
 */
export const recoverJob: Job<JobData<typeof queued.recover>> = {
  transaction: 'none',
  retryLimit: 20,
  async run(ctx, { paymentId }) {
    const row = (await loadProviderCall(ctx, paymentId))?.row;
    if (!row || row.providerRef !== null || row.claimedAt === null || !isFinal(row)) return;
    if (Date.parse(row.createdAt) < ctx.clock.ms() - keyHours * 3600_000) {
      ctx.log.warn({ payment: row.id }, "The payment's state at the provider can't be recovered: its idempotency key expired");
      return markLost(ctx, row, 'key_forgotten');
    }
    let reported: ProviderPayment;
    try {
      reported = await requestIntent(ctx, row);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind === 'unavailable') throw error;
      ctx.log.warn({ payment: row.id, code: error.code }, "The provider refused to return the payment's state");
      return markLost(ctx, row, error.code);
    }
    await ctx.transaction(async (ctx) => {
      const after = await apply(ctx, paymentId, reported, 'recovered');
      if (after.voiding) await ctx.enqueue(queued.void, { paymentId }, { key: paymentId });
    });
  },
};

/** The state at the provider stays unknown: staff find the payment in the audit log. */
function markLost(ctx: Ctx, { id }: PaymentRow, code: string): Promise<void> {
  return ctx.transaction(async (ctx) => {
    await ctx.rows(payment).update(id, { voiding: false });
    await ctx.audit({ entity: 'payments.payment', entityId: id, action: 'payments.payment.lost', extra: { code } });
  });
}

/** Sends a refund. The provider executes it once for its id; after a lost response its state is read first. */
export const refundJob: Job<JobData<typeof queued.refund>> = {
  transaction: 'none',
  retryLimit: 20,
  async run(ctx, { refundId }) {
    const pendingRefund = await ctx.transaction(async (ctx) => {
      const found = await ctx.rows(refund).get(refundId, { lock: true });
      return found?.status === 'pending' ? ctx.rows(refund).update(found.id, { attempts: found.attempts + 1 }) : undefined;
    });
    if (!pendingRefund) return;
    const loaded = await loadProviderCall(ctx, pendingRefund.paymentId);
    if (!loaded || loaded.row.providerRef === null) throw new Error(`Refund ${refundId} has no payment at a provider`);
    const { row, adapter, call } = loaded;
    const ref = loaded.row.providerRef;
    if (pendingRefund.attempts > 1) {
      const reported = await adapter.status(call, ref);
      if (reported.refunds.some((one) => one.refundId === refundId))
        return recordRefund(ctx, row, pendingRefund, reported.refunds);
    }
    const { amount, currency } = pendingRefund.amount;
    try {
      const created = await adapter.refund(call, { ref, amount, currency, refundId, key: `${row.id}:refund:${refundId}` });
      await recordRefund(ctx, row, pendingRefund, [{ ...created, refundId }]);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind === 'unavailable') throw error;
      ctx.log.warn({ payment: row.id, refund: refundId, code: error.code }, 'The provider refused a refund');
      await failRefund(ctx, row, refundId, error.code);
    }
  },
};

function recordRefund(
  ctx: Ctx,
  { id }: PaymentRow,
  pendingRefund: RefundRow,
  refunds: ProviderPayment['refunds'],
): Promise<void> {
  return ctx.transaction(async (ctx) => {
    const { row, order } = await lockPayment(ctx, id);
    const found = refunds.find((one) => one.refundId === pendingRefund.id);
    // Pending at the provider: keep the reference; a notification or the reconciliation job brings the result.
    if (found?.status === 'pending') await ctx.rows(refund).update(pendingRefund.id, { providerRef: found.ref });
    await applyRefunds(ctx, row, { refunds }, order);
  });
}

function failRefund(ctx: Ctx, { id }: PaymentRow, refundId: string, code: string): Promise<void> {
  return ctx.transaction(async (ctx) => {
    const { row, order } = await lockPayment(ctx, id);
    const current = await ctx.rows(refund).require(refundId);
    await settleRefund(ctx, current, row, 'failed', { error: code });
    if (order) await ctx.require(orders).refundChanged(order.id);
  });
}
