import { type OrderView, orders, type PaymentState } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { announce, repaired } from '../events.ts';
import { giveBack, type Misplaced, misplaced, repairUnfillable } from '../flows/late.ts';
import { settleCaptured } from '../payable/settlement.ts';
import type { ProviderPayment } from '../provider/adapter.ts';
import { queued } from '../queued.ts';
import { adoptRefunds } from '../refund/adopt.ts';
import { keepInstrument } from './instrument.ts';
import { isWaiting, lockPayment, move, type PaymentRow, payment } from './payment.ts';

/** The way forward; a state further on is never left for one before it. */
const forward: readonly PaymentState[] = ['created', 'requires_action', 'authorized', 'partially_captured', 'captured'];
const rank = (status: PaymentState): number => forward.indexOf(status);
export const hasEnded = ({ status }: Pick<PaymentRow, 'status'>): boolean => rank(status) === -1;

/** The state that the provider's word leads to, undefined where it leads nowhere new. */
export function nextState(row: PaymentRow, truth: Pick<ProviderPayment, 'status' | 'captured'>): PaymentState | undefined {
  const { status } = row;
  if (hasEnded(row)) return truth.captured > row.capturedAmount && status !== 'voided' ? 'captured' : undefined;
  if (rank(truth.status as PaymentState) >= 0)
    return rank(truth.status as PaymentState) > rank(status) ? (truth.status as PaymentState) : undefined;
  if (truth.status === 'failed') return isWaiting(row) ? 'failed' : undefined;
  if (status === 'created') return 'cancelled';
  if (status === 'requires_action') return truth.status as PaymentState;
  if (status === 'authorized') return row.released !== null ? 'voided' : 'expired';
  if (status === 'partially_captured') return truth.captured >= row.amount.amount ? 'captured' : 'voided';
  return undefined;
}

/** Whether the provider speaks of another amount or currency than was asked for. */
export function isMismatch(row: PaymentRow, truth: ProviderPayment): boolean {
  if (truth.authorized === 0 && truth.captured === 0) return false;
  if (truth.paymentId !== null && truth.paymentId !== row.id) return true;
  if (truth.currency !== row.amount.currency || truth.amount !== row.intentAmount) return true;
  if (!Number.isSafeInteger(truth.captured) || truth.captured > row.intentAmount) return true;
  return row.capture === 'auto' && truth.status === 'captured' && truth.captured !== row.intentAmount;
}

const holdable = new Set(['pending', 'confirmed', 'processing']);

/** Nothing is taken over: staff decide what the money is. */
async function refuse(ctx: Ctx, row: PaymentRow, truth: ProviderPayment, paid: OrderView | undefined): Promise<PaymentRow> {
  if (row.error === 'payment_mismatch') return row;
  const { amount, captured, authorized, currency } = truth;
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
  if (paid && holdable.has(paid.status)) await ctx.require(orders).hold(paid.id, 'payment_mismatch');
  await announce(ctx, 'failed', marked);
  return marked;
}

/** What the provider says beside the state; amounts only grow. */
function figures(ctx: Ctx, row: PaymentRow, truth: ProviderPayment): Partial<PaymentRow> {
  const now = ctx.clock.now();
  const authorizedAmount = Math.max(row.authorizedAmount, truth.authorized);
  const capturedAmount = Math.max(row.capturedAmount, truth.captured);
  return {
    checkedAt: now,
    ...(row.providerRef === null ? { providerRef: truth.ref } : {}),
    ...(row.clientSecret === null && truth.clientSecret !== null ? { clientSecret: truth.clientSecret } : {}),
    ...(truth.redirectUrl !== null ? { redirectUrl: truth.redirectUrl } : {}),
    ...(authorizedAmount > row.authorizedAmount ? { authorizedAmount, authorizedAt: row.authorizedAt ?? now } : {}),
    ...(capturedAmount > row.capturedAmount ? { capturedAmount, capturedAt: row.capturedAt ?? now } : {}),
  };
}

/** Other payments of the thing that wait for the buyer have become needless. */
async function endOthers(ctx: Ctx, others: readonly PaymentRow[]): Promise<void> {
  for (const other of others) {
    if (!isWaiting(other)) continue;
    await move(ctx, other, 'cancelled', { voiding: other.claimedAt !== null }, 'superseded');
    if (other.claimedAt !== null) await ctx.enqueue(queued.void, { paymentId: other.id }, { key: other.id });
  }
}

/**
 * Takes over what the provider says of a payment, whoever heard it and however often: the confirmation page, the notification, the
 * repair job. Runs in the caller's transaction; locks order and payments itself. Settles the order when money is there.
 */
export async function apply(ctx: Ctx, paymentId: string, truth: ProviderPayment, reason: string): Promise<PaymentRow> {
  const { row, payments, order: paid } = await lockPayment(ctx, paymentId);
  const others = payments.filter((other) => other.id !== row.id);
  const gone = paid?.status === 'cancelled' || row.released !== null;
  // Money for a thing that is gone goes back whatever it is, if only the currency lets us say how much.
  if (isMismatch(row, truth) && !(gone && truth.currency === row.amount.currency && Number.isSafeInteger(truth.captured)))
    return refuse(ctx, row, truth, paid);

  const to = nextState(row, truth);
  const change = figures(ctx, row, truth);
  const captured = (change.capturedAmount ?? row.capturedAmount) > row.capturedAmount;
  const secured = to === 'authorized' || to === 'captured' || to === 'partially_captured';
  if (truth.error !== null && (to === 'failed' || to === 'expired')) change.error = truth.error;
  else if (secured && row.error !== null) change.error = null;
  let next = row;
  if (to === undefined) next = await ctx.rows(payment).update(row.id, change);
  else {
    // A provider that reserved and took in one go has passed through both states.
    if (to === 'partially_captured' && isWaiting(row)) next = await move(ctx, next, 'authorized', {}, reason);
    next = await move(ctx, next, to, change, reason);
  }
  if (truth.instrument && row.saveInstrument && secured) await keepInstrument(ctx, next, truth.instrument);
  const late = hasEnded(row);
  if (to === 'authorized' || (to === 'partially_captured' && isWaiting(row))) await announce(ctx, 'authorized', next);
  if (captured) {
    await announce(ctx, 'captured', next, { late });
    if (!paid) await settleCaptured(ctx, next);
  }
  if (to === 'failed' || to === 'expired') await announce(ctx, 'failed', next);
  next = await adoptRefunds(ctx, next, truth, paid);

  const why = captured || secured ? await misplaced(ctx, next, others, paid, { ended: late }) : undefined;
  if (why !== undefined && captured) next = await giveBack(ctx, next, why, paid);
  else if (why !== undefined) next = await letGo(ctx, next, why);
  else if (secured && (isWaiting(row) || late)) {
    await endOthers(ctx, others);
    if (paid) {
      await settle(ctx, paid.id, next, reason);
      await repairUnfillable(ctx, next, paid.id);
      next = await ctx.rows(payment).require(next.id);
    }
  } else if (paid && (captured || (to !== undefined && to !== 'requires_action')))
    await ctx.require(orders).refreshPayment(paid.id);
  return hasEnded(next) && payable.has(truth.status) ? endAtProvider(ctx, next) : next;
}

/** What may still become money on the provider's side. */
const payable = new Set<ProviderPayment['status']>(['requires_action', 'failed', 'authorized', 'partially_captured']);

/** A reservation that has no place is released. */
async function letGo(ctx: Ctx, row: PaymentRow, why: Misplaced): Promise<PaymentRow> {
  const gone = await move(ctx, row, 'voided', { error: why, givenBack: true }, why);
  await repaired(ctx, gone, `${why}_voided`);
  return gone;
}

function settle(ctx: Ctx, orderId: string, row: PaymentRow, reason: string): Promise<void> {
  const { id, status, capturedAmount, authorizedAmount } = row;
  return ctx.require(orders).settle(orderId, { id, status, capturedAmount, authorizedAmount }, reason);
}

/** Whatever could still be paid on the provider's side is closed there, by a job. */
async function endAtProvider(ctx: Ctx, row: PaymentRow): Promise<PaymentRow> {
  // One that is on its way already is the job's, and after it the repair job's.
  if (row.voiding) return row;
  await ctx.enqueue(queued.void, { paymentId: row.id }, { key: row.id });
  return ctx.rows(payment).update(row.id, { voiding: true });
}
