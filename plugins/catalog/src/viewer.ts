import type { PricingLine } from '@storeloom/plugin-checkout/contract';
import { badParameter, type Ctx } from '@storeloom/plugin-sdk';
import { buyerOf, guestBuyer } from './buyer.ts';
import { customersService, fxService, pricingService } from './neighbours.ts';
import { priceFor } from './sell-price.ts';
import { loadWithComponents } from './sellable.ts';

/** A unit price as it is shown, in minor units of the viewer's currency. */
export interface ShownPrice {
  unitPrice: number;
  /** Before catalogue promotions and tiers. */
  listPrice: number;
  /** When a catalogue promotion that lowers it began, if its plugin says so. */
  reducedSince: string | null;
}
export interface Wish {
  variantId: string;
  quantity: number;
}
/** Who looks at prices. `general`: the catalogue's own general prices are right, nothing further is asked. */
export interface Viewer {
  currency: string;
  general: boolean;
  /** Groups whose quantity prices the viewer may see. */
  groupIds: readonly string[];
  /** One answer a wish, in order. One call a page. */
  prices(wishes: readonly Wish[]): Promise<ShownPrice[]>;
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
      const lines = await pricing.resolve(context, wishes.map(lineOf));
      const byId = new Map(lines.map((line) => [line.id, line]));
      return wishes.map((_, i) => shown(byId.get(String(i))!));
    },
  };
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
  return { unitPrice, listPrice, reducedSince: typeof since === 'string' ? since : null };
}

async function checkCurrency(ctx: Ctx, currency: string): Promise<void> {
  const enabled = await ctx.use(fxService)?.enabled();
  if (!enabled?.some(({ code }) => code === currency)) throw badParameter('currency', 'is not a currency of this shop');
}

async function ownViewer(ctx: Ctx, currency: string): Promise<Viewer> {
  const customerId = ctx.actor.type === 'customer' ? ctx.actor.customerId : null;
  const groups = customerId === null ? [] : ((await ctx.use(customersService)?.groupsOf(customerId)) ?? []);
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
      return wishes.map(({ variantId, quantity }) => ({
        ...priceFor(items.get(variantId)!, items, buyer, { variant: quantity, product: quantity }),
        reducedSince: null,
      }));
    },
  };
}

async function generalPrices(ctx: Ctx, currency: string, wishes: readonly Wish[]): Promise<ShownPrice[]> {
  const items = await loadWithComponents(
    ctx,
    wishes.map(({ variantId }) => variantId),
  );
  const buyer = guestBuyer(ctx.clock.now(), currency);
  return wishes.map(({ variantId, quantity }) => ({
    ...priceFor(items.get(variantId)!, items, buyer, { variant: quantity, product: quantity }),
    reducedSince: null,
  }));
}
