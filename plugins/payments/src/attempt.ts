import { type Ctx, invalid, type MoneyValue, problem } from '@storeloom/plugin-sdk';
import type { Payments, PaymentView } from './contract.ts';
import { createPayment, type NewPayment } from './create.ts';
import { coveredBy } from './late.ts';
import type { MethodRow } from './method.ts';
import { offered, requireOffered } from './method-offer.ts';
import { assertOutside, isReserved, isWaiting, lockThing, move, orderType, type PaymentRow, viewOf } from './payment.ts';
import { isOnline } from './provider/providers.ts';
import { startProvider } from './start-provider.ts';

/** Ends what waits for the buyer, so that something else may wait. What a provider may know of it is closed there by a job. */
export async function supersede(ctx: Ctx, row: PaymentRow, reason: string): Promise<void> {
  const asked = row.claimedAt !== null;
  await move(ctx, row, 'cancelled', asked ? { voiding: true } : {}, reason);
  if (asked) await ctx.enqueue('void', { paymentId: row.id }, { key: row.id });
}

const same = (row: PaymentRow, methodId: string, amount: MoneyValue): boolean =>
  row.methodId === methodId && row.intentAmount === amount.amount && row.amount.currency === amount.currency;

/**
 * Contract `attempt`: the payment by which an order is to be paid now. One that waits for the buyer already, by the same method and of the
 * same amount, is it; another one is ended first. Of an order that is paid or reserved in full it is that payment. In the caller's
 * transaction.
 */
export async function attempt(ctx: Ctx, request: Parameters<Payments['attempt']>[0]): Promise<PaymentView> {
  const { orderId, methodCode, amount, returnUrl } = request;
  const thing = { type: orderType, id: orderId };
  const { order, payments } = await lockThing(ctx, thing);
  if (order?.status === 'cancelled')
    throw problem('invalid_transition', { detail: 'The order is cancelled.', from: 'cancelled', to: 'pending', allowed: [] });
  const secured = payments.filter((row) => isReserved(row) || row.status === 'captured');
  const paid = secured.findLast((row) => !row.givenBack);
  if (order && paid && order.total - order.tendered - coveredBy(payments) <= 0) return viewOf(ctx, paid);
  const method = await requireOffered(ctx, methodCode, { total: amount, ...buyerOf(order) });
  const waiting = payments.find(isWaiting);
  if (waiting && same(waiting, method.id, amount)) return viewOf(ctx, waiting);
  if (waiting) await supersede(ctx, waiting, 'superseded');
  const last = payments.at(-1);
  return viewOf(
    ctx,
    await createPayment(ctx, method, {
      thing,
      amount,
      email: order?.email ?? last?.email ?? null,
      description: order?.number ?? last?.description ?? orderId,
      locale: order?.locale ?? last?.locale ?? ctx.locale,
      returnUrl: returnUrl ?? last?.returnUrl ?? null,
      expiresAt: last?.expiresAt ?? null,
      customerId: order?.customerId ?? last?.customerId ?? null,
      saveInstrument: last?.saveInstrument ?? false,
      // A kept instrument that was declined isn't tried again by itself.
      instrumentId: null,
    }),
  );
}

type Order = Awaited<ReturnType<typeof lockThing>>['order'];
/** Groups were looked at when the order was placed; here only country and amount can be. */
function buyerOf(order: Order): { country?: string } {
  const country = (order?.shippingAddress ?? order?.billingAddress)?.country;
  return country === undefined ? {} : { country };
}

async function chooseMethod(ctx: Ctx, { methodCode, amount }: StartRequest): Promise<MethodRow> {
  const filter = { total: amount };
  if (methodCode !== undefined) return requireOffered(ctx, methodCode, filter);
  const found = (await offered(ctx, filter)).find((row) => isOnline(row.provider));
  if (!found)
    throw problem('provider_not_configured', { provider: 'payments', detail: 'No online payment method is enabled for this.' });
  return found;
}

type StartRequest = Parameters<Payments['start']>[0];

function checkRequest({ amount, for: thing, instrumentId, customerId }: StartRequest): void {
  if (!Number.isSafeInteger(amount.amount) || amount.amount <= 0)
    throw invalid('/amount/amount', 'money_invalid', 'must be more than 0');
  if (!/^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/.test(thing.type))
    throw new Error(`${thing.type} is no name of a thing: <plugin>.<resource>`);
  if (instrumentId !== undefined && customerId === undefined) throw new Error('an instrument is its customer’s: name customerId');
}

/** Contract `start`. */
export async function start(ctx: Ctx, request: StartRequest): ReturnType<Payments['start']> {
  assertOutside(ctx, 'start');
  checkRequest(request);
  const { for: thing, amount, instrumentId } = request;
  const wish: NewPayment = {
    thing,
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
  const row = await ctx.transaction(async (ctx) => {
    const { order, payments } = await lockThing(ctx, thing);
    if (order?.status === 'cancelled')
      throw problem('invalid_transition', { detail: 'The order is cancelled.', from: 'cancelled', to: 'pending', allowed: [] });
    const method = await chooseMethod(ctx, request);
    const waiting = payments.find(isWaiting);
    if (waiting && same(waiting, method.id, amount) && waiting.instrumentId === wish.instrumentId) return waiting;
    if (waiting) await supersede(ctx, waiting, 'superseded');
    return createPayment(ctx, method, wish);
  });
  const view = await startProvider(ctx, row.id);
  return { paymentId: view.id, status: view.status, url: view.redirectUrl };
}
