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

/** A unit price as it is shown, in minor units of the viewer's currency. */
export interface ShownPrice {
  unitPrice: number;
  /** Before catalogue promotions and tiers. */
  listPrice: number;
  /** What staff say it is reduced from, by the rate of the price. */
  compareAt: number | null;
  /** When a catalogue promotion that lowers it began, if its plugin says so. */
  reducedSince: string | null;
}
interface Wish {
  variantId: string;
  quantity: number;
}
/** Who looks at prices. `general`: the catalogue's own general prices are right, nothing further is asked. */
export interface Viewer {
  currency: string;
  general: boolean;
  /** Groups whose quantity prices the viewer may see. */
  groupIds: readonly string[];
  /** One answer a wish, in order; none for what has gone since the page was read. One call a page. */
  prices(wishes: readonly Wish[]): Promise<(ShownPrice | undefined)[]>;
}

/**
 * Finds out how prices are to be shown. A guest in the shop's currency sees the general prices, unless the pricing pipeline says that
 * something changes them now; everyone else's prices come from the pipeline, the one that the cart uses. Without checkout the catalogue
 * looks at price list and groups itself.
 */
export async function viewerOf(ctx: Ctx, wanted: string | null): Promise<Viewer> {
  const currency = wanted ?? ctx.tenant.currency;
  const general: Viewer = { currency, general: true, groupIds: [], prices: (wishes) => generalPrices(ctx, currency, wishes) };
  const pricing = ctx.use(pricingService);
  if (currency !== ctx.tenant.currency) await checkCurrency(ctx, currency);
  else if (ctx.actor.type !== 'customer' && (!pricing || (await pricing.plain()))) return general;
  if (!pricing) return ownViewer(ctx, currency);
  const context = await pricing.context({ purpose: 'browse', currency });
  return {
    currency: context.currency,
    general: false,
    groupIds: context.customer?.groupIds ?? [],
    async prices(wishes) {
      if (wishes.length === 0) return [];
      const lines = await resolveThose(pricing, context, wishes.map(lineOf));
      const byId = new Map(lines.map((line) => [line.id, shown(line)]));
      return wishes.map((_, i) => byId.get(String(i)));
    },
  };
}

/** Staff may take something off the shelf between the reading of a page and its pricing: the rest of the page stands. */
async function resolveThose(pricing: Pricing, context: PricingContext, lines: PricingLine[]): Promise<PricingLine[]> {
  try {
    return await pricing.resolve(context, lines);
  } catch (error) {
    const gone =
      error instanceof Problem && error.code === 'not_found' && Array.isArray(error.extra.lines) ? error.extra.lines : [];
    const left = lines.filter(({ id }) => !gone.includes(id));
    if (left.length === lines.length) throw error;
    return left.length === 0 ? [] : resolveThose(pricing, context, left);
  }
}

const lineOf = ({ variantId, quantity }: Wish, i: number): PricingLine => ({
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

function shown({ unitPrice, listPrice, facts }: PricingLine): ShownPrice {
  const since = (facts.promotions as { reducedSince?: unknown } | undefined)?.reducedSince;
  const { compareAt = null } = (facts.catalog as Pick<CatalogFacts, 'compareAt'> | undefined) ?? {};
  return { unitPrice, listPrice, compareAt, reducedSince: typeof since === 'string' ? since : null };
}

async function checkCurrency(ctx: Ctx, currency: string): Promise<void> {
  const enabled = await ctx.use(fx)?.enabled();
  if (!enabled?.some(({ code }) => code === currency)) throw invalidParameter('currency', 'is not a currency of this shop');
}

async function ownViewer(ctx: Ctx, currency: string): Promise<Viewer> {
  const customerId = ctx.actor.type === 'customer' ? ctx.actor.customerId : null;
  const groups = customerId === null ? [] : ((await ctx.use(customers)?.groupsOf(customerId)) ?? []);
  const [decisive] = groups;
  const customer =
    customerId === null
      ? undefined
      : {
          id: customerId,
          groupIds: groups.map(({ id }) => id),
          ...(decisive?.priceListCode ? { priceListCode: decisive.priceListCode } : {}),
          ...(decisive?.discountBp ? { groupDiscountBp: decisive.discountBp } : {}),
        };
  return {
    currency,
    general: false,
    groupIds: customer?.groupIds ?? [],
    async prices(wishes) {
      const items = await loadWithComponents(
        ctx,
        wishes.map(({ variantId }) => variantId),
      );
      const buyer = await buyerOf(ctx, { at: ctx.clock.now(), currency, ...(customer ? { customer } : {}) }, items.values());
      return pricesOf(wishes, items, buyer);
    },
  };
}

async function generalPrices(ctx: Ctx, currency: string, wishes: readonly Wish[]): Promise<(ShownPrice | undefined)[]> {
  const items = await loadWithComponents(
    ctx,
    wishes.map(({ variantId }) => variantId),
  );
  return pricesOf(wishes, items, guestBuyer(ctx.clock.now(), currency));
}

function pricesOf(
  wishes: readonly Wish[],
  items: ReadonlyMap<string, Sellable>,
  buyer: ReturnType<typeof guestBuyer>,
): (ShownPrice | undefined)[] {
  return wishes.map(({ variantId, quantity }) => {
    const item = items.get(variantId);
    if (!item) return undefined;
    const price = priceFor(item, items, buyer, { variant: quantity, product: quantity });
    return { ...price, compareAt: compareAtFor(item, buyer), reducedSince: null };
  });
}
