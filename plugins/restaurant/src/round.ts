import { type Ctx, invalid, type MoneyValue, type Problem, problem, sql } from '@storeloom/plugin-sdk';
import { maxAmount } from '@storeloom/plugin-sdk/money';
import { withResourceLocks } from '@storeloom/plugin-sdk/reserve';
import { isServed, menuCategory } from './menu-category.ts';
import { type MenuItem, menuItem } from './menu-item.ts';
import type { ItemInput, OrderItem } from './order-fields.ts';

type Reason = 'archived' | 'off' | 'not_served_now' | 'out_of_stock';
const unavailable = (item: MenuItem, reason: Reason, available: number | null = null): Problem =>
  problem('item_unavailable', { detail: `${item.name} is unavailable.`, menuItemId: item.id, reason, available });

/**
 * Takes a round from the menu and returns the rows for the caller to write. Locks the items in one order; all must be available, and stock
 * that is tracked decreases. `pointer` is that of the round.
 * @throws 409 `item_unavailable {menuItemId, reason, available}`; 422 for modifiers that the item doesn't have
 */
export async function takeRound(
  ctx: Ctx,
  orderId: string,
  round: number,
  items: readonly ItemInput[],
  pointer: string,
): Promise<Omit<OrderItem, 'id' | 'createdAt' | 'updatedAt' | 'version'>[]> {
  const wanted = new Map<string, number>();
  for (const { menuItemId, qty } of items) wanted.set(menuItemId, (wanted.get(menuItemId) ?? 0) + qty);
  return withResourceLocks(ctx, menuItem, [...wanted.keys()], async (rows) => {
    const menu = new Map(rows.map((row) => [row.id, row]));
    const categories = await ctx.rows(menuCategory).find({ id: [...new Set(rows.map(({ categoryId }) => categoryId))] });
    const served = new Set(categories.filter((row) => isServed(ctx, row)).map(({ id }) => id));
    for (const item of menu.values()) checkItem(item, served.has(item.categoryId), wanted.get(item.id) as number);
    await takeStock(ctx, new Map([...wanted].filter(([id]) => menu.get(id)?.stockQty !== null)));
    return items.map((line, position) => {
      const item = menu.get(line.menuItemId) as MenuItem;
      return {
        ...line,
        orderId,
        round,
        position,
        name: item.name,
        station: item.station,
        unitPrice: priceOf(item, line, `${pointer}/items/${position}`),
        taxCategoryId: item.taxCategoryId,
        counted: item.stockQty !== null,
        status: 'queued' as const,
      };
    });
  });
}

/** Takes several rounds; the items of all are locked before the first. */
export function takeRounds(ctx: Ctx, orderId: string, rounds: readonly { items: readonly ItemInput[] }[]) {
  const all = rounds.flatMap(({ items }) => items.map(({ menuItemId }) => menuItemId));
  return withResourceLocks(ctx, menuItem, all, async () => {
    const lines: Awaited<ReturnType<typeof takeRound>> = [];
    for (const [i, { items }] of rounds.entries()) lines.push(...(await takeRound(ctx, orderId, i + 1, items, `/rounds/${i}`)));
    return lines;
  });
}

function checkItem(item: MenuItem, served: boolean, qty: number): void {
  if (item.archived) throw unavailable(item, 'archived');
  if (!item.isAvailable) throw unavailable(item, 'off');
  if (!served) throw unavailable(item, 'not_served_now');
  if (item.stockQty !== null && item.stockQty < qty) throw unavailable(item, 'out_of_stock', item.stockQty);
}

function takeStock(ctx: Ctx, taken: ReadonlyMap<string, number>): Promise<number> {
  return moveStock(ctx, taken, -1);
}

/** Returns unprepared items to the stock. Locks them in order. */
export async function returnStock(ctx: Ctx, items: readonly OrderItem[]): Promise<void> {
  const back = new Map<string, number>();
  for (const { counted, menuItemId, qty } of items) if (counted) back.set(menuItemId, (back.get(menuItemId) ?? 0) + qty);
  await withResourceLocks(ctx, menuItem, [...back.keys()], () => moveStock(ctx, back, 1));
}

async function moveStock(ctx: Ctx, by: ReadonlyMap<string, number>, sign: 1 | -1): Promise<number> {
  if (by.size === 0) return 0;
  return ctx.db.run(sql`
    update restaurant_menu_item t set stock_qty = t.stock_qty + ${sign}::int * w.qty, updated_at = ${ctx.clock.now()}, version = t.version + 1
    from unnest(${[...by.keys()]}::uuid[], ${[...by.values()]}::int[]) as w (id, qty)
    where t.tenant_id = ${ctx.tenant.id} and t.id = w.id and t.stock_qty is not null`);
}

/** Present price with modifiers. @throws 422 */
function priceOf(item: MenuItem, { modifiers, qty }: ItemInput, pointer: string): MoneyValue {
  let amount = item.price.amount;
  const left = [...modifiers];
  for (const { name, min, max, options } of item.modifierGroups) {
    const chosen = left.filter(({ group }) => group === name);
    if (chosen.length < min || chosen.length > max)
      throw invalid(
        `${pointer}/modifiers`,
        'modifier_count',
        `has ${chosen.length} of ${name}; must have between ${min} and ${max}`,
      );
    for (const one of chosen) {
      const option = options.find((each) => each.name === one.option);
      if (!option) throw invalid(`${pointer}/modifiers`, 'modifier_unknown', `${name} has no ${one.option}`);
      amount += option.priceDelta?.amount ?? 0;
      left.splice(left.indexOf(one), 1);
    }
  }
  if (left.length > 0) throw invalid(`${pointer}/modifiers`, 'modifier_unknown', `there is no ${left[0]?.group}`);
  if (amount * qty > maxAmount) throw invalid(`${pointer}/qty`, 'too_large', 'makes the total too large');
  return { amount: Math.max(0, amount), currency: item.price.currency };
}
