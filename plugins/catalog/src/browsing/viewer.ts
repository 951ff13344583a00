import {
  customers,
  fx,
  type Pricing,
  type PricingContext,
  type PricingLine,
  pricing as pricingService,
} from '@storeloom/commerce';
import { type Ctx, invalidParameter, Problem } from '@storeloom/plugin-sdk';
import { buyerOf, guestBuyer } from '../pricing/buyer.ts';
import type { CatalogFacts } from '../pricing/lines.ts';
import { compareAtFor, priceFor } from '../pricing/sell-price.ts';
import { loadWithComponents, type Sellable } from '../pricing/sellable.ts';

/** A displayed unit price, in minor units of the viewer's currency. */
export interface ShownPrice {
  unitPrice: number;
  /** Before catalogue promotions and tiers. */
  listPrice: number;
  /** Compare-at price, converted at the same rate as the price. */
  compareAt: number | null;
  /** Start of the catalogue promotion that reduces the price, if the promotions plugin provides it. */
  reducedSince: string | null;
}
interface PriceRequest {
  variantId: string;
  quantity: number;
}
/** A viewer of prices. `general`: the viewer sees the general prices of the catalogue, without a call to the pricing pipeline. */
export interface Viewer {
  currency: string;
  general: boolean;
  /** Customer groups of the viewer. */
  groupIds: readonly string[];
  /** One price per request, in order; undefined for variants that became unavailable. Call once per page. */
  prices(requests: readonly PriceRequest[]): Promise<(ShownPrice | undefined)[]>;
}

/**
 * Determines the price source. Guests in the shop's currency see general prices, unless the pricing pipeline reports that price rules are
 * active. Other viewers get prices from the pipeline that the cart uses. Without checkout, the catalogue applies price lists and groups.
 */
export async function viewerOf(ctx: Ctx, requested: string | null): Promise<Viewer> {
  const currency = requested ?? ctx.tenant.currency;
  const general: Viewer = { currency, general: true, groupIds: [], prices: (requests) => generalPrices(ctx, currency, requests) };
  const pricing = ctx.use(pricingService);
  if (currency !== ctx.tenant.currency) await checkCurrency(ctx, currency);
  else if (ctx.actor.type !== 'customer' && (!pricing || (await pricing.plain()))) return general;
  if (!pricing) return catalogViewer(ctx, currency);
  const context = await pricing.context({ purpose: 'browse', currency });
  return {
    currency: context.currency,
    general: false,
    groupIds: context.customer?.groupIds ?? [],
    async prices(requests) {
      if (requests.length === 0) return [];
      const lines = await resolveAvailable(pricing, context, requests.map(lineOf));
      const byId = new Map(lines.map((line) => [line.id, shownPrice(line)]));
      return requests.map((_, i) => byId.get(String(i)));
    },
  };
}

/** Staff can unpublish a product between reading and pricing a page. Prices the remaining lines in that case. */
async function resolveAvailable(pricing: Pricing, context: PricingContext, lines: PricingLine[]): Promise<PricingLine[]> {
  try {
    return await pricing.resolve(context, lines);
  } catch (error) {
    const unavailable =
      error instanceof Problem && error.code === 'not_found' && Array.isArray(error.extra.lines) ? error.extra.lines : [];
    const remaining = lines.filter(({ id }) => !unavailable.includes(id));
    if (remaining.length === lines.length) throw error;
    return remaining.length === 0 ? [] : resolveAvailable(pricing, context, remaining);
  }
}

const lineOf = ({ variantId, quantity }: PriceRequest, i: number): PricingLine => ({
  id: String(i),
  kind: 'product',
  variantId,
  quantity,
  title: '',
  listPrice: 0,
  unitPrice: 0,
  ships: false,
  weightG: 0,
  facts: {},
});

function shownPrice({ unitPrice, listPrice, facts }: PricingLine): ShownPrice {
  const since = (facts.promotions as { reducedSince?: unknown } | undefined)?.reducedSince;
  const { compareAt = null } = (facts.catalog as Pick<CatalogFacts, 'compareAt'> | undefined) ?? {};
  return { unitPrice, listPrice, compareAt, reducedSince: typeof since === 'string' ? since : null };
}

async function checkCurrency(ctx: Ctx, currency: string): Promise<void> {
  const enabled = await ctx.use(fx)?.enabled();
  if (!enabled?.some(({ code }) => code === currency)) throw invalidParameter('currency', 'is not a currency of this shop');
}

async function catalogViewer(ctx: Ctx, currency: string): Promise<Viewer> {
  const customerId = ctx.actor.type === 'customer' ? ctx.actor.customerId : null;
  const groups = customerId === null ? [] : ((await ctx.use(customers)?.groupsOf(customerId)) ?? []);
  const [primary] = groups;
  const customer =
    customerId === null
      ? undefined
      : {
          id: customerId,
          groupIds: groups.map(({ id }) => id),
          ...(primary?.priceListCode ? { priceListCode: primary.priceListCode } : {}),
          ...(primary?.discountBp ? { groupDiscountBp: primary.discountBp } : {}),
        };
  return {
    currency,
    general: false,
    groupIds: customer?.groupIds ?? [],
    async prices(requests) {
      const items = await loadWithComponents(
        ctx,
        requests.map(({ variantId }) => variantId),
      );
      const buyer = await buyerOf(ctx, { at: ctx.clock.now(), currency, ...(customer ? { customer } : {}) }, items.values());
      return pricesOf(requests, items, buyer);
    },
  };
}

async function generalPrices(ctx: Ctx, currency: string, requests: readonly PriceRequest[]): Promise<(ShownPrice | undefined)[]> {
  const items = await loadWithComponents(
    ctx,
    requests.map(({ variantId }) => variantId),
  );
  return pricesOf(requests, items, guestBuyer(ctx.clock.now(), currency));
}

function pricesOf(
  requests: readonly PriceRequest[],
  items: ReadonlyMap<string, Sellable>,
  buyer: ReturnType<typeof guestBuyer>,
): (ShownPrice | undefined)[] {
  return requests.map(({ variantId, quantity }) => {
    const item = items.get(variantId);
    if (!item) return undefined;
    const price = priceFor(item, items, buyer, { variant: quantity, product: quantity });
    return { ...price, compareAt: compareAtFor(item, buyer), reducedSince: null };
  });
}
