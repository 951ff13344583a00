import type { placeCommit } from '@storeloom/plugin-checkout/contract';
import { type Ctx, invalid, type MoneyValue, type TapFn, uuidv7 } from '@storeloom/plugin-sdk';
import { requireInstrument } from './instrument.ts';
import type { MethodRow } from './method.ts';
import { requireOffered } from './method-offer.ts';
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

/** A payment in state `created`: nothing has been asked of a provider. 409 while another one of the thing waits for the buyer. */
export async function createPayment(
  ctx: Ctx,
  method: Pick<MethodRow, 'id' | 'code' | 'capture'> & { provider: string },
  wish: NewPayment,
): Promise<PaymentRow> {
  const { thing, amount, customerId, instrumentId, returnUrl } = wish;
  if (returnUrl !== null && !(/^https?:\/\//i.test(returnUrl) && URL.canParse(returnUrl)))
    throw invalid('/returnUrl', 'invalid', 'must be an http(s) address');
  if (instrumentId !== null) await requireInstrument(ctx, instrumentId, { customerId, methodId: method.id });
  const row = await ctx.rows(payment).insert({
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
  });
  await ctx.history({ entity: 'payments.payment', entityId: row.id, from: null, to: 'created' });
  return row;
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
  await createPayment(ctx, method, {
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
};
