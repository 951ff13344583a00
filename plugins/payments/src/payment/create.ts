import type { PaymentSubject, placeCommit } from '@storeloom/commerce';
import { type Ctx, invalid, type MoneyValue, type TableInsert, type TapFn, uuidv7 } from '@storeloom/plugin-sdk';
import { isShopUrl } from '@storeloom/plugin-sdk/public';
import type { MethodRow } from '../method/method.ts';
import { requireOffered } from '../method/offer.ts';
import { requireInstrument } from './instrument.ts';
import { orderType, type PaymentRow, payment, paymentDescription } from './payment.ts';

export interface NewPayment {
  id?: string;
  subject: PaymentSubject;
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

/** Creates a payment in state `created` without calling the provider. 409 while another payment of the subject is pending. */
export async function createPayment(ctx: Ctx, method: Method, request: NewPayment): Promise<PaymentRow> {
  const values = await newPayment(ctx, method, request);
  const row = await ctx.rows(payment).insert(values);
  await recordCreated(ctx, values);
  return row;
}

/** The return URL of an earlier payment; null if it is no longer on a host or an allowed origin of the shop. */
export function earlierReturnUrl(ctx: Ctx, url: string | null | undefined): string | null {
  return url !== null && url !== undefined && isShopUrl(ctx, url) ? url : null;
}

const recordCreated = (ctx: Ctx, { id }: Values): Promise<void> =>
  ctx.history({ entity: 'payments.payment', entityId: id, from: null, to: 'created' });

async function newPayment(ctx: Ctx, method: Method, request: NewPayment): Promise<Values> {
  const { subject, amount, customerId, instrumentId, returnUrl } = request;
  if (returnUrl !== null && !isShopUrl(ctx, returnUrl))
    throw invalid('/returnUrl', 'invalid', 'must be an http(s) URL on a host or an allowed origin of the shop');
  if (instrumentId !== null) await requireInstrument(ctx, instrumentId, { customerId, methodId: method.id });
  return {
    id: request.id ?? uuidv7(ctx.clock.ms()),
    forType: subject.type,
    forId: subject.id,
    methodId: method.id,
    methodCode: method.code,
    provider: method.provider,
    status: 'created',
    amount,
    intentAmount: amount.amount,
    capture: method.capture,
    expiresAt: request.expiresAt,
    returnUrl,
    email: request.email,
    description: request.description.slice(0, 500),
    locale: request.locale,
    customerId,
    // Guests can't save an instrument.
    saveInstrument: request.saveInstrument && customerId !== null,
    instrumentId,
  };
}

/** place.commit: creates the payment of the order, unless nothing is due. */
export const createOrderPayment: TapFn<typeof placeCommit> = async (ctx, input) => {
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
    subject: { type: orderType, id: input.orderId },
    amount,
    email: input.email,
    description: paymentDescription(ctx, input.results.orders?.number ?? input.orderId),
    locale: context.locale,
    returnUrl: due.returnUrl,
    expiresAt: input.expiresAt,
    customerId: input.customerId,
    saveInstrument: due.saveInstrument,
    instrumentId: due.instrumentId,
  });
  // A new order has no other payment, so no conflict is possible.
  ctx.rows(payment).insertLater(values);
  await recordCreated(ctx, values);
};
