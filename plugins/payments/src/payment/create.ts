import type { placeCommit } from '@storeloom/commerce';
import { type Ctx, invalid, type MoneyValue, type TableInsert, type TapFn, uuidv7 } from '@storeloom/plugin-sdk';
import type { MethodRow } from '../method/method.ts';
import { requireOffered } from '../method/offer.ts';
import { requireInstrument } from './instrument.ts';
import { describe, orderType, type PaymentRow, payment, type Thing } from './payment.ts';

export interface NewPayment {
  id?: string;
  thing: Thing;
  amount: MoneyValue;
  email: string | null;
  description: string;
  locale: string;
  returnUrl: string | null;
  expiresAt: string | null;
  customerId: string | null;
  saveInstrument: boolean;
  instrumentId: string | null;
}

type Method = Pick<MethodRow, 'id' | 'code' | 'capture'> & { provider: string };
type Values = TableInsert<typeof payment> & { id: string };

/** A payment in state `created`: nothing has been asked of a provider. 409 while another one of the thing waits for the buyer. */
export async function createPayment(ctx: Ctx, method: Method, wish: NewPayment): Promise<PaymentRow> {
  const values = await newPayment(ctx, method, wish);
  const row = await ctx.rows(payment).insert(values);
  await recordCreated(ctx, values);
  return row;
}

const recordCreated = (ctx: Ctx, { id }: Values): Promise<void> =>
  ctx.history({ entity: 'payments.payment', entityId: id, from: null, to: 'created' });

async function newPayment(ctx: Ctx, method: Method, wish: NewPayment): Promise<Values> {
  const { thing, amount, customerId, instrumentId, returnUrl } = wish;
  if (returnUrl !== null && !(/^https?:\/\//i.test(returnUrl) && URL.canParse(returnUrl)))
    throw invalid('/returnUrl', 'invalid', 'must be an http(s) URL');
  if (instrumentId !== null) await requireInstrument(ctx, instrumentId, { customerId, methodId: method.id });
  return {
    id: wish.id ?? uuidv7(ctx.clock.ms()),
    forType: thing.type,
    forId: thing.id,
    methodId: method.id,
    methodCode: method.code,
    provider: method.provider,
    status: 'created',
    amount,
    intentAmount: amount.amount,
    capture: method.capture,
    expiresAt: wish.expiresAt,
    returnUrl,
    email: wish.email,
    description: wish.description.slice(0, 500),
    locale: wish.locale,
    customerId,
    // Nobody's instrument is kept for a guest.
    saveInstrument: wish.saveInstrument && customerId !== null,
    instrumentId,
  };
}

/** place.commit: the payment that the order waits for; none where nothing is due. */
export const placePayment: TapFn<typeof placeCommit> = async (ctx, input) => {
  const { payment: due, context } = input;
  if (!due || due.amount <= 0) return;
  const amount = { amount: due.amount, currency: context.currency };
  const country = (context.shippingAddress ?? context.billingAddress)?.country;
  const method = await requireOffered(ctx, due.methodCode, {
    total: amount,
    ...(country === undefined ? {} : { country }),
    ...(context.customer ? { customerGroupIds: context.customer.groupIds } : {}),
  });
  const values = await newPayment(ctx, method, {
    id: due.id,
    thing: { type: orderType, id: input.orderId },
    amount,
    email: input.email,
    description: describe(ctx, input.results.orders?.number ?? input.orderId),
    locale: context.locale,
    returnUrl: due.returnUrl,
    expiresAt: input.expiresAt,
    customerId: input.customerId,
    saveInstrument: due.saveInstrument,
    instrumentId: due.instrumentId,
  });
  // The order is new: no other payment waits for it.
  ctx.rows(payment).insertLater(values);
  await recordCreated(ctx, values);
};
