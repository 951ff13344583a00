import type { Stock, StockItem } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { releaseAll } from './flows/release.ts';
import { restock } from './flows/restock.ts';
import { availability, levelOf, levelsOf } from './level/availability.ts';
import { readLevels } from './level/book.ts';
import { availableAt } from './level/level.ts';
import { move, setOnHand } from './level/receive.ts';
import type { Goods } from './placing/plan.ts';
import { reserve } from './placing/reserve.ts';
import { splitBundles, stockRules } from './placing/rules.ts';

const goodsOfItems = (items: readonly StockItem[]): Goods[] =>
  items.filter((item) => item.quantity > 0).map((item) => ({ ...item, each: 1 }));

/** `inventory:stock` for one unit of work. */
export function stockService(ctx: Ctx): Stock {
  return {
    availability: (ids, known, levels) => availability(ctx, ids, known, levels),
    levelOf: (variantId) => levelOf(ctx, variantId),
    levelsOf: (variantIds) => levelsOf(ctx, variantIds),
    async reserve(items, { orderId, expiresAt, country }) {
      await reserve(ctx, goodsOfItems(items), { orderId, expiresAt, country: country ?? null });
    },
    release: (orderId, reason) => releaseAll(ctx, orderId, reason),
    async restock(orderId, items, options) {
      const goods = goodsOfItems(items);
      const rules = await stockRules(
        ctx,
        goods.map((each) => each.variantId),
      );
      return restock(ctx, orderId, splitBundles(goods, rules), options);
    },
    move: (moves) => move(ctx, moves),
    set: (variantId, onHand, options) => setOnHand(ctx, [{ variantId, onHand }], options),
    setMany: (counts, options) => setOnHand(ctx, counts, options),
    async levels(ids) {
      if (ids.length === 0) return [];
      const levels = await readLevels(ctx, ids);
      return levels
        .filter((each) => !each.gone)
        .map((each) => ({
          variantId: each.variantId,
          warehouseId: each.warehouseId,
          onHand: each.onHand,
          reserved: each.reserved,
          available: availableAt(each),
        }));
    },
  };
}
