import type { PricingContext, QuoteFailure, ShippingQuote } from '@storeloom/commerce';
import type { Ctx, Warning } from '@storeloom/plugin-sdk';
import { type CarrierCall, CarrierError, type QuoteRequest, type Recipient, type ServiceQuote } from '../carrier/adapter.ts';
import { adapterOf, callWith } from '../carrier/call.ts';
import type { CarrierName } from '../carrier/names.ts';
import { settings } from '../settings.ts';
import { exchangeFor } from './exchange.ts';
import type { Account, OfferedMethod, Offers } from './offers.ts';
import { readQuote } from './quote-token.ts';
import { isFree, type Shipment, thresholdValue } from './rate-price.ts';

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
  const days = (transit: number | null, fallback: number | null): number | null => {
    const known = transit ?? fallback;
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

/** The method's service; otherwise the least expensive offered one. */
function serviceFor(method: OfferedMethod, account: Account, services: readonly ServiceQuote[]): ServiceQuote | undefined {
  const offered = services.filter(({ serviceCode }) => account.services.length === 0 || account.services.includes(serviceCode));
  if (method.serviceCode !== null) return offered.find(({ serviceCode }) => serviceCode === method.serviceCode);
  return [...offered].sort((a, b) => a.price.amount - b.price.amount)[0];
}

/** Null if the carrier returned no quote. */
async function requestQuotes(
  ctx: Ctx,
  provider: CarrierName,
  call: CarrierCall,
  request: QuoteRequest,
): Promise<readonly ServiceQuote[] | null> {
  try {
    return await adapterOf(provider).quote(call, request);
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    ctx.log.warn({ plugin: 'shipping', provider, err: error }, 'carrier quote failed');
    return null;
  }
}

async function quotesOfCarrier(
  ctx: Ctx,
  context: PricingContext,
  provider: CarrierName,
  methods: readonly OfferedMethod[],
  account: Account | undefined,
  shipment: Shipment,
): Promise<Item[]> {
  const call = callWith(ctx, account, ctx.settings(settings).quoteTimeoutMs);
  if (!call || !account) return [failure(provider, 'carrier_not_configured', 'the account is not configured')];
  const request: QuoteRequest = {
    recipient: recipientOf(context.shippingAddress as NonNullable<PricingContext['shippingAddress']>),
    parcels: [{ weightG: Math.max(1, shipment.weightG), lengthMm: null, widthMm: null, heightMm: null }],
    currency: context.currency,
  };
  const services = await ctx.withoutTransaction(`quotes ${provider} ${JSON.stringify(request)}`, () =>
    requestQuotes(ctx, provider, call, request),
  );
  if (services === null) return [failure(provider, 'carrier_failed', 'returned no price')];
  const exchange = await exchangeFor(ctx, context, [
    ...services.map(({ price }) => price),
    ...methods.map(({ freeOver }) => freeOver),
  ]);
  return methods.flatMap((method) => {
    const service = serviceFor(method, account, services);
    const price = service && exchange(service.price);
    if (!service || price === undefined) return [];
    return [quoteOf(method, isFree(method.freeOver, thresholdValue(shipment, method), exchange) ? 0 : price, service)];
  });
}

/**
 * The quote of the chosen method, if its token is still valid: checkout compares the token with the goods. With a pickup point the carrier
 * is called again, because the point must be among those that it offers.
 */
function validQuote(ctx: Ctx, context: PricingContext, methods: readonly OfferedMethod[]): ShippingQuote | undefined {
  if (context.shippingMethodId === undefined || context.quoteToken === undefined || context.pickupPointId !== undefined)
    return undefined;
  const quote = readQuote(ctx, context.quoteToken);
  const method = methods.find(({ id }) => id === context.shippingMethodId);
  if (!method || quote?.methodId !== method.id || quote.currency !== context.currency) return undefined;
  return quoteOf(method, quote.price);
}

/**
 * Quotes of all carriers, requested in parallel and without an open transaction. For a chosen method, only its carrier is called.
 */
export async function carrierQuotes(ctx: Ctx, context: PricingContext, offers: Offers, shipment: Shipment): Promise<Item[]> {
  const priced = offers.methods.filter((method) => method.type === 'carrier' && method.carrier !== null);
  const quoted = validQuote(ctx, context, priced);
  if (quoted) return [quoted];
  const chosen = context.shippingMethodId;
  const wanted = chosen === undefined ? priced : priced.filter(({ id }) => id === chosen);
  const providers = [...new Set(wanted.map(({ carrier }) => carrier as CarrierName))];
  const quotes = await Promise.all(
    providers.map((provider) =>
      quotesOfCarrier(
        ctx,
        context,
        provider,
        wanted.filter((method) => method.carrier === provider),
        offers.accounts.find((account) => account.provider === provider),
        shipment,
      ),
    ),
  );
  return quotes.flat();
}
