import { fx, type Payments, type surchargesCollect, type tendersCollect } from '@storeloom/commerce';
import { type Ctx, domainError, type MoneyValue, type TapFn } from '@storeloom/plugin-sdk';
import { convert, percentBp } from '@storeloom/plugin-sdk/money';
import { providerKind } from '../provider/providers.ts';
import { type MethodRow, paymentMethod } from './method.ts';

export type OfferFilter = Parameters<Payments['methods']>[0];
export type MethodOffer = Awaited<ReturnType<Payments['methods']>>[number];

/** Converts an amount; undefined if no rate is known. */
async function convertTo(ctx: Ctx, money: MoneyValue, currency: string): Promise<number | undefined> {
  if (money.currency === currency) return money.amount;
  const service = ctx.use(fx);
  if (!service || !(await service.rate(money.currency, currency))) return undefined;
  return (await service.convert(money, currency)).amount;
}

async function withinTotals(ctx: Ctx, { minTotal, maxTotal }: MethodRow, total: MoneyValue): Promise<boolean> {
  const minimum = minTotal ? await convertTo(ctx, minTotal, total.currency) : 0;
  const maximum = maxTotal ? await convertTo(ctx, maxTotal, total.currency) : Number.POSITIVE_INFINITY;
  return minimum !== undefined && maximum !== undefined && total.amount >= minimum && total.amount <= maximum;
}

async function isOffered(ctx: Ctx, method: MethodRow, { total, country, customerGroupIds = [] }: OfferFilter): Promise<boolean> {
  const { currencies, countries, customerGroupIds: groups } = method;
  if (currencies.length > 0 && !currencies.includes(total.currency)) return false;
  if (countries.length > 0 && country !== undefined && !countries.includes(country)) return false;
  if (groups.length > 0 && !groups.some((id) => customerGroupIds.includes(id))) return false;
  // Gift cards pay as tenders; as a method they are only for orders with nothing left to pay.
  if (method.provider === 'gift_card' && total.amount > 0) return false;
  return withinTotals(ctx, method, total);
}

const enabledMethods = (ctx: Ctx): Promise<MethodRow[]> =>
  ctx.remember('methods', () => ctx.rows(paymentMethod).find({ enabled: true }, { orderBy: ['position', 'code'] }));

/** Enabled methods that the filter allows, by position. An unknown country excludes no method. */
export async function offeredMethods(ctx: Ctx, filter: OfferFilter): Promise<MethodRow[]> {
  const rows = await enabledMethods(ctx);
  const found: MethodRow[] = [];
  for (const row of rows) if (await isOffered(ctx, row, filter)) found.push(row);
  return found;
}

export function toMethodOffer(row: MethodRow): MethodOffer {
  const { online, paidLater } = providerKind(row.provider);
  const { id, code, name, provider, capture, instructions, fee } = row;
  return {
    id,
    code,
    name,
    provider,
    online,
    paidLater,
    capture,
    instructions,
    clientKey: row.config.flow === 'embedded' && typeof row.config.publishableKey === 'string' ? row.config.publishableKey : null,
    fee: fee ? { fixed: fee.fixed ?? null, percentBp: fee.percentBp ?? null } : null,
  };
}

function methodUnavailable(code: string | undefined): Error {
  return domainError(
    '/paymentMethod',
    'payment_method_unavailable',
    code === undefined ? 'is required' : `the payment method ${code} is unavailable for this order`,
  );
}

/** Returns the method if it is available. Throws 422 `payment_method_unavailable`. */
export async function requireOffered(ctx: Ctx, code: string | undefined, filter: OfferFilter): Promise<MethodRow> {
  const found = (await offeredMethods(ctx, filter)).find((row) => row.code === code);
  if (!found) throw methodUnavailable(code);
  return found;
}

type Context = Parameters<TapFn<typeof surchargesCollect>>[1]['context'];
function filterOf(context: Context, amount: number): OfferFilter {
  const country = (context.shippingAddress ?? context.billingAddress)?.country;
  return {
    total: { amount, currency: context.currency },
    ...(country === undefined ? {} : { country }),
    ...(context.customer ? { customerGroupIds: context.customer.groupIds } : {}),
  };
}

/** surcharges.collect: the fee of the chosen method. No fee for an unavailable method, which placing refuses with its reason. */
export const collectMethodFee: TapFn<typeof surchargesCollect> = async (ctx, { context, running }) => {
  if (context.paymentMethod === undefined) return [];
  const method = (await offeredMethods(ctx, filterOf(context, running))).find((row) => row.code === context.paymentMethod);
  if (!method?.fee) return [];
  const { fixed, percentBp: share } = method.fee;
  let amount = share ? percentBp(running, share) : 0;
  if (fixed) amount += await convertFee(ctx, fixed, context);
  const name = method.name[context.locale] ?? method.name[ctx.tenant.defaultLocale] ?? method.code;
  return amount > 0 ? [{ code: `payment:${method.code}`, name, amount, of: 'payment' }] : [];
};

/** Uses the cart's exchange rate, so that the fee is stable while the cart keeps its currency. */
async function convertFee(ctx: Ctx, fixed: MoneyValue, { currency, fx: rate }: Context): Promise<number> {
  if (fixed.currency === currency) return fixed.amount;
  if (rate && fixed.currency === ctx.tenant.currency) return convert(fixed, currency, rate.rate).amount;
  const amount = await convertTo(ctx, fixed, currency);
  if (amount === undefined) throw domainError('/paymentMethod', 'payment_method_unavailable', `has no fee in ${currency}`);
  return amount;
}

/** tenders.collect: the chosen method must be available for the amount that earlier tenders leave. */
export const checkMethodForRemainder: TapFn<typeof tendersCollect> = async (ctx, { context, due }) => {
  if (context.purpose !== 'place' || due() <= 0) return;
  await requireOffered(ctx, context.paymentMethod, filterOf(context, due()));
};
