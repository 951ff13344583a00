import { catalog, type DiscountSink, type PricingContext, type PricingLine } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import type { Target } from '../promotion/promotion.ts';
import { settings } from '../settings.ts';
import { goodsOf } from './matching.ts';
import { offersFor, shelfRules } from './offers.ts';
import { PromotionRun } from './run.ts';
import { shelfPrice } from './shelf-price.ts';

export function resolveContext(ctx: Ctx, context: PricingContext): PricingContext {
  const { percentStacking } = ctx.settings(settings);
  return { ...context, rules: { ...context.rules, percentStacking } };
}

/** Stage 30 of `lines.resolve`: the catalogue stage on what the catalogue has priced. Final prices stay. */
export async function resolveLines(
  ctx: Ctx,
  value: { context: PricingContext; lines: PricingLine[] },
): Promise<{ context: PricingContext; lines: PricingLine[] }> {
  const { context } = value;
  const isOpen = (line: PricingLine): boolean => line.kind === 'product' && !line.locked && line.productId !== undefined;
  if (!value.lines.some(isOpen)) return value;
  const rules = await shelfRules(ctx, context);
  if (rules.length === 0) return value;
  const { promotionMode } = ctx.settings(settings);
  const options = { currency: context.currency, mode: promotionMode, percentStacking: context.rules.percentStacking };
  const lines = value.lines.map((line) => {
    const price = isOpen(line) ? shelfPrice(line.unitPrice, line.minPrice, goodsOf(line), rules, options) : undefined;
    if (!price) return line;
    // A shop window that advertises a reduction shows the lowest price of the 30 days before it began.
    const facts = context.purpose === 'browse' ? { ...line.facts, promotions: { reducedSince: price.since } } : line.facts;
    return { ...line, unitPrice: price.unitPrice, catalogDiscounts: price.discounts, facts };
  });
  return { ...value, lines };
}

const runs = new WeakMap<DiscountSink, PromotionRun>();
const targetOf: Record<'lines' | 'order' | 'shipping', Target> = { lines: 'items', order: 'order', shipping: 'shipping' };

/** Stage 10 of `discounts.collect`. What applies is decided at the first phase; later ones follow it. */
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
