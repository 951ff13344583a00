import type { PricingContext, QuoteFailure, ShippingQuote } from '@storeloom/commerce';
import type { Ctx, Warning } from '@storeloom/plugin-sdk';
import { type CarrierCall, CarrierError, type QuoteRequest, type Recipient, type ServiceQuote } from '../carrier/adapter.ts';
import { adapterOf, callWith } from '../carrier/call.ts';
import type { CarrierName } from '../carrier/names.ts';
import { settings } from '../settings.ts';
import { exchangeFor } from './exchange.ts';
import type { Account, OfferedMethod, Offers } from './offers.ts';
import { isFree, type Load } from './own-price.ts';
import { readQuote } from './quote-token.ts';

type Item = ShippingQuote | QuoteFailure;

function recipientOf(address: NonNullable<PricingContext['shippingAddress']>): Recipient {
  const { city, region, postalCode, country } = address;
  return { name: null, company: null, line1: null, line2: null, city, region, postalCode, country, phone: null, email: null };
}

function failure(provider: string, code: string, message: string): { warning: Warning } {
  return { warning: { code, message: `${provider}: ${message}` } };
}

export function quoteOf(method: OfferedMethod, price: number, service?: ServiceQuote): ShippingQuote {
  const handling = method.handlingDays ?? 0;
  const days = (onTheWay: number | null, fallback: number | null): number | null => {
    const known = onTheWay ?? fallback;
    return known === null ? null : known + handling;
  };
  return {
    methodId: method.id,
    code: method.code,
    carrier: method.carrier,
    name: method.name,
    price,
    ...(method.taxCategoryId === null ? {} : { taxCategoryId: method.taxCategoryId }),
    etaMinDays: days(service?.etaMinDays ?? null, method.etaMinDays),
    etaMaxDays: days(service?.etaMaxDays ?? null, method.etaMaxDays),
    pickupPoints: service?.pickupPoints ?? null,
  };
}

/** The service that the method names; else the cheapest of those that are sold. */
function serviceFor(method: OfferedMethod, account: Account, services: readonly ServiceQuote[]): ServiceQuote | undefined {
  const sold = services.filter(({ serviceCode }) => account.services.length === 0 || account.services.includes(serviceCode));
  if (method.serviceCode !== null) return sold.find(({ serviceCode }) => serviceCode === method.serviceCode);
  return [...sold].sort((a, b) => a.price.amount - b.price.amount)[0];
}

/** Null: the carrier gave no price. */
async function ask(
  ctx: Ctx,
  provider: CarrierName,
  call: CarrierCall,
  request: QuoteRequest,
): Promise<readonly ServiceQuote[] | null> {
  try {
    return await adapterOf(provider).quote(call, request);
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    ctx.log.warn({ plugin: 'shipping', provider, err: error }, 'a carrier gave no price');
    return null;
  }
}

async function ofCarrier(
  ctx: Ctx,
  context: PricingContext,
  provider: CarrierName,
  methods: readonly OfferedMethod[],
  account: Account | undefined,
  load: Load,
): Promise<Item[]> {
  const call = callWith(ctx, account, ctx.settings(settings).quoteTimeoutMs);
  if (!call || !account) return [failure(provider, 'carrier_not_configured', 'the account is not configured')];
  const request: QuoteRequest = {
    recipient: recipientOf(context.shippingAddress as NonNullable<PricingContext['shippingAddress']>),
    parcels: [{ weightG: Math.max(1, load.weightG), lengthMm: null, widthMm: null, heightMm: null }],
    currency: context.currency,
  };
  const services = await ctx.withoutTransaction(`quotes ${provider} ${JSON.stringify(request)}`, () =>
    ask(ctx, provider, call, request),
  );
  if (services === null) return [failure(provider, 'carrier_failed', 'gave no price')];
  const exchange = await exchangeFor(ctx, context, [
    ...services.map(({ price }) => price),
    ...methods.map(({ freeOver }) => freeOver),
  ]);
  return methods.flatMap((method) => {
    const service = serviceFor(method, account, services);
    const price = service && exchange(service.price);
    if (!service || price === undefined) return [];
    return [quoteOf(method, isFree(method.freeOver, load.itemsTotal, exchange) ? 0 : price, service)];
  });
}

/**
 * A method that was chosen with a quote that still holds is not asked for again: checkout compares the token with the goods. Its carrier is
 * called where the method delivers to pick-up points, since the chosen one has to be among them.
 */
function promised(ctx: Ctx, context: PricingContext, methods: readonly OfferedMethod[]): ShippingQuote | undefined {
  if (context.shippingMethodId === undefined || context.quoteToken === undefined || context.pickupPointId !== undefined)
    return undefined;
  const quote = readQuote(ctx, context.quoteToken);
  const method = methods.find(({ id }) => id === context.shippingMethodId);
  if (!method || quote?.methodId !== method.id || quote.currency !== context.currency) return undefined;
  return quoteOf(method, quote.price);
}

/** Prices of the carriers, all asked at once and with no transaction open. Where a method is chosen already, only its own carrier is. */
export async function carrierQuotes(ctx: Ctx, context: PricingContext, offers: Offers, load: Load): Promise<Item[]> {
  const priced = offers.methods.filter((method) => method.type === 'carrier' && method.carrier !== null);
  const held = promised(ctx, context, priced);
  if (held) return [held];
  const chosen = context.shippingMethodId;
  const wanted = chosen === undefined ? priced : priced.filter(({ id }) => id === chosen);
  const providers = [...new Set(wanted.map(({ carrier }) => carrier as CarrierName))];
  const answers = await Promise.all(
    providers.map((provider) =>
      ofCarrier(
        ctx,
        context,
        provider,
        wanted.filter((method) => method.carrier === provider),
        offers.accounts.find((account) => account.provider === provider),
        load,
      ),
    ),
  );
  return answers.flat();
}
