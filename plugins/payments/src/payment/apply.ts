import { type OrderView, orders, type PaymentState } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { publishPayment, recordRepair } from '../events.ts';
import { type MisplacedReason, misplacedReason, resolveUnfillable, returnMoney } from '../flows/misplaced.ts';
import { settleCaptured } from '../payable/settlement.ts';
import type { ProviderPayment } from '../provider/adapter.ts';
import { queued } from '../queued.ts';
import { applyRefunds } from '../refund/apply-refunds.ts';
import { saveInstrumentOf } from './instrument.ts';
import { isPending, lockPayment, type PaymentRow, payment, transition } from './payment.ts';

/** States in order of progress; a payment never goes back to an earlier one. */
const progress: readonly PaymentState[] = ['created', 'requires_action', 'authorized', 'partially_captured', 'captured'];
const rank = (status: PaymentState): number => progress.indexOf(status);
export const isFinal = ({ status }: Pick<PaymentRow, 'status'>): boolean => rank(status) === -1;

/** The state that follows from the provider's report; undefined if it doesn't change. */
export function nextState(row: PaymentRow, reported: Pick<ProviderPayment, 'status' | 'captured'>): PaymentState | undefined {
  const { status } = row;
  if (isFinal(row)) return reported.captured > row.capturedAmount && status !== 'voided' ? 'captured' : undefined;
  if (rank(reported.status as PaymentState) >= 0)
    return rank(reported.status as PaymentState) > rank(status) ? (reported.status as PaymentState) : undefined;
  if (reported.status === 'failed') return isPending(row) ? 'failed' : undefined;
  if (status === 'created') return 'cancelled';
  if (status === 'requires_action') return reported.status as PaymentState;
  if (status === 'authorized') return row.released !== null ? 'voided' : 'expired';
  if (status === 'partially_captured') return reported.captured >= row.amount.amount ? 'captured' : 'voided';
  return undefined;
}

/** Whether the provider reports another payment, amount or currency than requested. */
export function isMismatch(row: PaymentRow, reported: ProviderPayment): boolean {
  if (reported.authorized === 0 && reported.captured === 0) return false;
  if (reported.paymentId !== null && reported.paymentId !== row.id) return true;
  if (reported.currency !== row.amount.currency || reported.amount !== row.intentAmount) return true;
  if (!Number.isSafeInteger(reported.captured) || reported.captured > row.intentAmount) return true;
  return row.capture === 'auto' && reported.status === 'captured' && reported.captured !== row.intentAmount;
}

const holdableStatuses = new Set(['pending', 'confirmed', 'processing']);

/** Records a mismatch without changing amounts; staff decide about the money. */
async function recordMismatch(
  ctx: Ctx,
  row: PaymentRow,
  reported: ProviderPayment,
  paid: OrderView | undefined,
): Promise<PaymentRow> {
  if (row.error === 'payment_mismatch') return row;
  const { amount, captured, authorized, currency } = reported;
  await ctx.audit({
    entity: 'payments.payment',
    entityId: row.id,
    action: 'payments.payment.mismatch',
    extra: {
      expected: { amount: row.intentAmount, currency: row.amount.currency },
      reported: { amount, captured, authorized, currency },
    },
  });
  const marked = await ctx.rows(payment).update(row.id, { error: 'payment_mismatch' });
  if (paid && holdableStatuses.has(paid.status)) await ctx.require(orders).hold(paid.id, 'payment_mismatch');
  await publishPayment(ctx, 'failed', marked);
  return marked;
}

/** The reported values besides the state; amounts only increase. */
function reportedValues(ctx: Ctx, row: PaymentRow, reported: ProviderPayment): Partial<PaymentRow> {
  const now = ctx.clock.now();
  const authorizedAmount = Math.max(row.authorizedAmount, reported.authorized);
  const capturedAmount = Math.max(row.capturedAmount, reported.captured);
  return {
    checkedAt: now,
    ...(row.providerRef === null ? { providerRef: reported.ref } : {}),
    ...(row.clientSecret === null && reported.clientSecret !== null ? { clientSecret: reported.clientSecret } : {}),
    ...(reported.redirectUrl !== null ? { redirectUrl: reported.redirectUrl } : {}),
    ...(authorizedAmount > row.authorizedAmount ? { authorizedAmount, authorizedAt: row.authorizedAt ?? now } : {}),
    ...(capturedAmount > row.capturedAmount ? { capturedAmount, capturedAt: row.capturedAt ?? now } : {}),
  };
}

/** Cancels other pending payments of the subject. */
async function cancelOthers(ctx: Ctx, others: readonly PaymentRow[]): Promise<void> {
  for (const other of others) {
    if (!isPending(other)) continue;
    await transition(ctx, other, 'cancelled', { voiding: other.claimedAt !== null }, 'superseded');
    if (other.claimedAt !== null) await ctx.enqueue(queued.void, { paymentId: other.id }, { key: other.id });
  }
}

/**
 * Applies the provider's report to a payment; the source may be the confirmation page, a notification or the reconciliation job.
 * Idempotent. Runs in the caller's transaction, locks order and payments, and settles the order when money is secured.
 */
export async function apply(ctx: Ctx, paymentId: string, reported: ProviderPayment, reason: string): Promise<PaymentRow> {
  const { row, payments, order: paid } = await lockPayment(ctx, paymentId);
  const others = payments.filter((other) => other.id !== row.id);
  const isReleased = paid?.status === 'cancelled' || row.released !== null;
  // Money for a released subject is returned even if the amount differs, as long as currency and amount are valid.
  if (
    isMismatch(row, reported) &&
    !(isReleased && reported.currency === row.amount.currency && Number.isSafeInteger(reported.captured))
  )
    return recordMismatch(ctx, row, reported, paid);

  const to = nextState(row, reported);
  const change = reportedValues(ctx, row, reported);
  const captured = (change.capturedAmount ?? row.capturedAmount) > row.capturedAmount;
  const isSecured = to === 'authorized' || to === 'captured' || to === 'partially_captured';
  if (reported.error !== null && (to === 'failed' || to === 'expired')) change.error = reported.error;
  else if (isSecured && row.error !== null) change.error = null;
  let next = row;
  if (to === undefined) next = await ctx.rows(payment).update(row.id, change);
  else {
    // A provider that authorised and captured in one step has passed through both states.
    if (to === 'partially_captured' && isPending(row)) next = await transition(ctx, next, 'authorized', {}, reason);
    next = await transition(ctx, next, to, change, reason);
  }
  if (reported.instrument && row.saveInstrument && isSecured) await saveInstrumentOf(ctx, next, reported.instrument);
  const isLate = isFinal(row);
  if (to === 'authorized' || (to === 'partially_captured' && isPending(row))) await publishPayment(ctx, 'authorized', next);
  if (captured) {
    await publishPayment(ctx, 'captured', next, { late: isLate });
    if (!paid) await settleCaptured(ctx, next);
  }
  if (to === 'failed' || to === 'expired') await publishPayment(ctx, 'failed', next);
  next = await applyRefunds(ctx, next, reported, paid);

  const misplacement = captured || isSecured ? await misplacedReason(ctx, next, others, paid, { ended: isLate }) : undefined;
  if (misplacement !== undefined && captured) next = await returnMoney(ctx, next, misplacement, paid);
  else if (misplacement !== undefined) next = await voidMisplaced(ctx, next, misplacement);
  else if (isSecured && (isPending(row) || isLate)) {
    await cancelOthers(ctx, others);
    if (paid) {
      await settleOrder(ctx, paid.id, next, reason);
      await resolveUnfillable(ctx, next, paid.id);
      next = await ctx.rows(payment).require(next.id);
    }
  } else if (paid && (captured || (to !== undefined && to !== 'requires_action')))
    await ctx.require(orders).refreshPayment(paid.id);
  return isFinal(next) && openStatuses.has(reported.status) ? voidAtProvider(ctx, next) : next;
}

/** Provider states in which the buyer could still pay. */
const openStatuses = new Set<ProviderPayment['status']>(['requires_action', 'failed', 'authorized', 'partially_captured']);

/** Voids a misplaced authorisation. */
async function voidMisplaced(ctx: Ctx, row: PaymentRow, reason: MisplacedReason): Promise<PaymentRow> {
  const voided = await transition(ctx, row, 'voided', { error: reason, givenBack: true }, reason);
  await recordRepair(ctx, voided, `${reason}_voided`);
  return voided;
}

function settleOrder(ctx: Ctx, orderId: string, row: PaymentRow, reason: string): Promise<void> {
  const { id, status, capturedAmount, authorizedAmount } = row;
  return ctx.require(orders).settle(orderId, { id, status, capturedAmount, authorizedAmount }, reason);
}

/** Enqueues a job that voids the payment at the provider. */
async function voidAtProvider(ctx: Ctx, row: PaymentRow): Promise<PaymentRow> {
  // Already enqueued; the reconciliation job enqueues it again if it is lost.
  if (row.voiding) return row;
  await ctx.enqueue(queued.void, { paymentId: row.id }, { key: row.id });
  return ctx.rows(payment).update(row.id, { voiding: true });
}
