import { catalog, type DiscountSink, type PricingContext, type PricingLine } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import type { Target } from '../promotion/promotion.ts';
import { settings } from '../settings.ts';
import { catalogPrice } from './catalog-price.ts';
import { goodsOf } from './matching.ts';
import { catalogRules, offersFor } from './offers.ts';
import { PromotionRun } from './run.ts';

export function setPercentStacking(ctx: Ctx, context: PricingContext): PricingContext {
  const { percentStacking } = ctx.settings(settings);
  return { ...context, rules: { ...context.rules, percentStacking } };
}

/** Stage 30 of `lines.resolve`: applies catalogue promotions to catalogue prices. Final prices stay. */
export async function applyCatalogPromotions(
  ctx: Ctx,
  value: { context: PricingContext; lines: PricingLine[] },
): Promise<{ context: PricingContext; lines: PricingLine[] }> {
  const { context } = value;
  const isReducible = (line: PricingLine): boolean => line.kind === 'product' && !line.locked && line.productId !== undefined;
  if (!value.lines.some(isReducible)) return value;
  const rules = await catalogRules(ctx, context);
  if (rules.length === 0) return value;
  const { promotionMode } = ctx.settings(settings);
  const options = { currency: context.currency, mode: promotionMode, percentStacking: context.rules.percentStacking };
  const lines = value.lines.map((line) => {
    const price = isReducible(line) ? catalogPrice(line.unitPrice, line.minPrice, goodsOf(line), rules, options) : undefined;
    if (!price) return line;
    // Omnibus Directive: a displayed reduction needs the lowest price of the 30 days before its start.
    const facts = context.purpose === 'browse' ? { ...line.facts, promotions: { reducedSince: price.since } } : line.facts;
    return { ...line, unitPrice: price.unitPrice, catalogDiscounts: price.discounts, facts };
  });
  return { ...value, lines };
}

const runs = new WeakMap<DiscountSink, PromotionRun>();
const targetOf: Record<'lines' | 'order' | 'shipping', Target> = { lines: 'items', order: 'order', shipping: 'shipping' };

/** Stage 10 of `discounts.collect`. The first phase chooses the promotions; later phases apply them. */
export async function collectDiscounts(
  ctx: Ctx,
  { context, phase, sheet }: { context: PricingContext; phase: 'lines' | 'order' | 'shipping'; sheet: DiscountSink },
): Promise<void> {
  let run = runs.get(sheet);
  if (!run) {
    run = await openRun(ctx, context, sheet);
    runs.set(sheet, run);
  }
  await run.phase(sheet, targetOf[phase]);
}

async function openRun(ctx: Ctx, context: PricingContext, sheet: DiscountSink): Promise<PromotionRun> {
  const { offers, refused } = await offersFor(ctx, context);
  const input = {
    offers,
    refused,
    mode: ctx.settings(settings).promotionMode,
    money: { currency: context.currency, home: ctx.tenant.currency },
    shippingExpected: context.shippingMethodId !== undefined,
    variantOf: async (productId: string) => (await ctx.require(catalog).searchDocument(productId))?.variantIds[0],
  };
  return new PromotionRun(input, sheet);
}
