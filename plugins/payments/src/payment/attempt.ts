import { customers, type Payments, type PaymentView } from '@storeloom/commerce';
import { type Ctx, invalid, type MoneyValue, problem } from '@storeloom/plugin-sdk';
import { coveredBy, lackingOf } from '../flows/late.ts';
import type { MethodRow } from '../method/method.ts';
import { offered, requireOffered } from '../method/offer.ts';
import { ProviderError } from '../provider/adapter.ts';
import { isOnline } from '../provider/providers.ts';
import { queued } from '../queued.ts';
import { hasEnded } from './apply.ts';
import { createPayment, type NewPayment } from './create.ts';
import {
  assertOutside,
  describe,
  isReserved,
  isWaiting,
  lockThing,
  move,
  orderType,
  type PaymentRow,
  viewOf,
} from './payment.ts';
import { startProvider } from './start-provider.ts';
import { syncRow } from './sync.ts';

/** Ends what waits for the buyer, so that something else may wait. What a provider may know of it is closed there by a job. */
export async function supersede(ctx: Ctx, row: PaymentRow, reason: string): Promise<void> {
  const asked = row.claimedAt !== null;
  await move(ctx, row, 'cancelled', asked ? { voiding: true } : {}, reason);
  if (asked) await ctx.enqueue(queued.void, { paymentId: row.id }, { key: row.id });
}

/** Some methods are for some groups. */
async function groupsOf(ctx: Ctx, customerId: string | null): Promise<string[]> {
  if (customerId === null) return [];
  return ((await ctx.use(customers)?.groupsOf(customerId)) ?? []).map(({ id }) => id);
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
  if (order && paid && lackingOf(order, await coveredBy(ctx, payments)) <= 0) return viewOf(ctx, paid);
  const last = payments.at(-1);
  const customerId = order?.customerId ?? last?.customerId ?? null;
  const country = (order?.shippingAddress ?? order?.billingAddress)?.country;
  const buyer = { customerGroupIds: await groupsOf(ctx, customerId), ...(country === undefined ? {} : { country }) };
  const method = await requireOffered(ctx, methodCode, { total: amount, ...buyer });
  const waiting = payments.find(isWaiting);
  if (waiting && same(waiting, method.id, amount)) return viewOf(ctx, waiting);
  if (waiting) await supersede(ctx, waiting, 'superseded');
  return viewOf(
    ctx,
    await createPayment(ctx, method, {
      thing,
      amount,
      email: order?.email ?? last?.email ?? null,
      description: order ? describe(ctx, order.number) : (last?.description ?? describe(ctx, orderId)),
      locale: order?.locale ?? last?.locale ?? ctx.locale,
      returnUrl: returnUrl ?? last?.returnUrl ?? null,
      expiresAt: last?.expiresAt ?? null,
      customerId,
      saveInstrument: last?.saveInstrument ?? false,
      // A kept instrument that was declined isn't tried again by itself.
      instrumentId: null,
    }),
  );
}

async function chooseMethod(ctx: Ctx, { methodCode, amount, customerId }: StartRequest): Promise<MethodRow> {
  const filter = { total: amount, customerGroupIds: await groupsOf(ctx, customerId ?? null) };
  if (methodCode !== undefined) return requireOffered(ctx, methodCode, filter);
  const found = (await offered(ctx, filter)).find((row) => isOnline(row.provider));
  if (!found)
    throw problem('provider_not_configured', {
      provider: 'payments',
      detail: 'No online payment method is enabled for this amount.',
    });
  return found;
}

type StartRequest = Parameters<Payments['start']>[0];

function checkRequest({ amount, for: thing, instrumentId, customerId }: StartRequest): void {
  if (!Number.isSafeInteger(amount.amount) || amount.amount <= 0)
    throw invalid('/amount/amount', 'money_invalid', 'must be greater than 0');
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
  const { row, known } = await ctx.transaction(async (ctx) => {
    const { order, payments } = await lockThing(ctx, thing);
    if (order?.status === 'cancelled')
      throw problem('invalid_transition', { detail: 'The order is cancelled.', from: 'cancelled', to: 'pending', allowed: [] });
    const method = await chooseMethod(ctx, request);
    const waiting = payments.find(isWaiting);
    const fits = waiting && same(waiting, method.id, amount) && waiting.instrumentId === wish.instrumentId;
    if (fits && !isOver(waiting, ctx)) return { row: waiting, known: true };
    if (waiting) await supersede(ctx, waiting, 'superseded');
    return { row: await createPayment(ctx, method, wish), known: false };
  });
  const view = known ? await stillOpen(ctx, row.id) : await startProvider(ctx, row.id);
  if (!view) return start(ctx, request);
  return { paymentId: view.id, status: view.status, url: view.redirectUrl };
}

const isOver = ({ expiresAt }: PaymentRow, ctx: Ctx): boolean => expiresAt !== null && Date.parse(expiresAt) <= ctx.clock.ms();

/**
 * A payment that waits already, as it stands now. Undefined where the provider's page has closed since: the buyer needs another one. A
 * provider that is away leaves it as it was.
 */
async function stillOpen(ctx: Ctx, id: string): Promise<PaymentView | undefined> {
  const view = await startProvider(ctx, id);
  try {
    const { before, after } = await syncRow(ctx, id, 'asked');
    return isWaiting(before) && hasEnded(after) ? undefined : viewOf(ctx, after);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    ctx.log.warn({ payment: id, code: error.code }, 'the provider could not be asked');
    return view;
  }
}
