import { customers, type Payments, type PaymentView } from '@storeloom/commerce';
import { type Ctx, invalid, type MoneyValue, problem } from '@storeloom/plugin-sdk';
import { amountDue, coveredAmount } from '../flows/misplaced.ts';
import type { MethodRow } from '../method/method.ts';
import { offeredMethods, requireOffered } from '../method/offer.ts';
import { ProviderError } from '../provider/adapter.ts';
import { isOnline } from '../provider/providers.ts';
import { queued } from '../queued.ts';
import { isFinal } from './apply.ts';
import { createPayment, earlierReturnUrl, type NewPayment } from './create.ts';
import {
  assertNoTransaction,
  isAuthorized,
  isPending,
  lockSubject,
  orderType,
  type PaymentRow,
  paymentDescription,
  transition,
  viewOf,
} from './payment.ts';
import { startProvider } from './start-provider.ts';
import { syncRow } from './sync.ts';

/** Cancels a pending payment, so that another one can be created. A job voids it if the provider may know it. */
export async function cancelPending(ctx: Ctx, row: PaymentRow, reason: string): Promise<void> {
  const isClaimed = row.claimedAt !== null;
  await transition(ctx, row, 'cancelled', isClaimed ? { voiding: true } : {}, reason);
  if (isClaimed) await ctx.enqueue(queued.void, { paymentId: row.id }, { key: row.id });
}

/** Customer groups restrict methods. */
async function groupsOf(ctx: Ctx, customerId: string | null, channel?: string): Promise<string[]> {
  if (customerId === null) return [];
  // Staff chose the customer of a draft; the buyer of another order must be proven to be that customer.
  const recorded = channel === 'draft' || channel === 'b2b';
  return ((await ctx.use(customers)?.groupsOf(customerId, { recorded })) ?? []).map(({ id }) => id);
}

const isSameRequest = (row: PaymentRow, methodId: string, amount: MoneyValue): boolean =>
  row.methodId === methodId && row.intentAmount === amount.amount && row.amount.currency === amount.currency;

/**
 * Contract `attempt`: returns the payment by which an order is to be paid now. A pending payment with the same method and amount is
 * reused; another one is cancelled first. For a fully paid order it is the payment that paid it. Runs in the caller's transaction.
 */
export async function attempt(ctx: Ctx, request: Parameters<Payments['attempt']>[0]): Promise<PaymentView> {
  const { orderId, methodCode, amount, returnUrl } = request;
  const subject = { type: orderType, id: orderId };
  const { order, payments } = await lockSubject(ctx, subject);
  if (order?.status === 'cancelled')
    throw problem('invalid_transition', { detail: 'The order is cancelled.', from: 'cancelled', to: 'pending', allowed: [] });
  const securedPayments = payments.filter((row) => isAuthorized(row) || row.status === 'captured');
  const paid = securedPayments.findLast((row) => !row.givenBack);
  if (order && paid && amountDue(order, await coveredAmount(ctx, payments)) <= 0) return viewOf(ctx, paid);
  const last = payments.at(-1);
  const customerId = order?.customerId ?? last?.customerId ?? null;
  const country = (order?.shippingAddress ?? order?.billingAddress)?.country;
  const buyer = {
    customerGroupIds: await groupsOf(ctx, customerId, order?.channel),
    ...(country === undefined ? {} : { country }),
  };
  const method = await requireOffered(ctx, methodCode, { total: amount, ...buyer });
  const pending = payments.find(isPending);
  if (pending && isSameRequest(pending, method.id, amount)) return viewOf(ctx, pending);
  if (pending) await cancelPending(ctx, pending, 'superseded');
  return viewOf(
    ctx,
    await createPayment(ctx, method, {
      subject,
      amount,
      email: order?.email ?? last?.email ?? null,
      description: order ? paymentDescription(ctx, order.number) : (last?.description ?? paymentDescription(ctx, orderId)),
      locale: order?.locale ?? last?.locale ?? ctx.locale,
      returnUrl: returnUrl ?? earlierReturnUrl(ctx, last?.returnUrl),
      expiresAt: last?.expiresAt ?? null,
      customerId,
      saveInstrument: last?.saveInstrument ?? false,
      // A declined saved instrument isn't charged again automatically.
      instrumentId: null,
    }),
  );
}

async function chooseMethod(ctx: Ctx, { methodCode, amount, customerId }: StartRequest): Promise<MethodRow> {
  const filter = { total: amount, customerGroupIds: await groupsOf(ctx, customerId ?? null) };
  if (methodCode !== undefined) return requireOffered(ctx, methodCode, filter);
  const found = (await offeredMethods(ctx, filter)).find((row) => isOnline(row.provider));
  if (!found)
    throw problem('provider_not_configured', {
      provider: 'payments',
      detail: 'No online payment method is enabled for this amount.',
    });
  return found;
}

type StartRequest = Parameters<Payments['start']>[0];

function checkRequest({ amount, for: subject, instrumentId, customerId }: StartRequest): void {
  if (!Number.isSafeInteger(amount.amount) || amount.amount <= 0)
    throw invalid('/amount/amount', 'money_invalid', 'must be greater than 0');
  if (!/^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/.test(subject.type))
    throw new Error(`Subject type "${subject.type}" must have the form <plugin>.<resource>`);
  if (instrumentId !== undefined && customerId === undefined) throw new Error('instrumentId requires customerId');
}

export async function start(ctx: Ctx, request: StartRequest): ReturnType<Payments['start']> {
  assertNoTransaction(ctx, 'start');
  checkRequest(request);
  const { for: subject, amount, instrumentId } = request;
  const values: NewPayment = {
    subject,
    amount,
    email: request.email,
    description: request.description,
    locale: ctx.locale,
    returnUrl: request.returnUrl ?? null,
    expiresAt: request.expiresAt ?? null,
    customerId: request.customerId ?? null,
    saveInstrument: request.saveInstrument ?? false,
    instrumentId: instrumentId ?? null,
  };
  const { row, isKnown } = await ctx.transaction(async (ctx) => {
    const { order, payments } = await lockSubject(ctx, subject);
    if (order?.status === 'cancelled')
      throw problem('invalid_transition', { detail: 'The order is cancelled.', from: 'cancelled', to: 'pending', allowed: [] });
    const method = await chooseMethod(ctx, request);
    const pending = payments.find(isPending);
    const isReusable = pending && isSameRequest(pending, method.id, amount) && pending.instrumentId === values.instrumentId;
    if (isReusable && !isExpired(pending, ctx)) return { row: pending, isKnown: true };
    if (pending) await cancelPending(ctx, pending, 'superseded');
    return { row: await createPayment(ctx, method, values), isKnown: false };
  });
  const view = isKnown ? await refreshPending(ctx, row.id) : await startProvider(ctx, row.id);
  if (!view) return start(ctx, request);
  return { paymentId: view.id, status: view.status, url: view.redirectUrl };
}

const isExpired = ({ expiresAt }: PaymentRow, ctx: Ctx): boolean => expiresAt !== null && Date.parse(expiresAt) <= ctx.clock.ms();

/**
 * Synchronises a pending payment. Returns undefined if the provider's page has expired, so that a new payment is needed. An
 * unavailable provider leaves it unchanged.
 */
async function refreshPending(ctx: Ctx, id: string): Promise<PaymentView | undefined> {
  const view = await startProvider(ctx, id);
  try {
    const { before, after } = await syncRow(ctx, id, 'asked');
    return isPending(before) && isFinal(after) ? undefined : viewOf(ctx, after);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    ctx.log.warn({ payment: id, code: error.code }, 'The payment provider is unavailable');
    return view;
  }
}
