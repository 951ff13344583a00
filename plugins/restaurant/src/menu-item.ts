import {
  type BaseRow,
  type Ctx,
  f,
  invalid,
  type MoneyValue,
  type RowOf,
  resource,
  type Shape,
  sql,
} from '@storeloom/plugin-sdk';
import { linkField } from '@storeloom/plugin-sdk/public';

/** Annex II of Regulation (EU) No 1169/2011. */
const allergens = [
  'gluten',
  'crustaceans',
  'eggs',
  'fish',
  'peanuts',
  'soybeans',
  'milk',
  'nuts',
  'celery',
  'mustard',
  'sesame',
  'sulphites',
  'lupin',
  'molluscs',
] as const;

const modifierGroup = f
  .object({
    name: f.text({ max: 80 }),
    min: f.int({ min: 0, max: 20 }).default(0),
    max: f.int({ min: 1, max: 20 }).default(1),
    options: f.list(f.object({ name: f.text({ max: 80 }), priceDelta: f.money({ own: true }).optional() }), { min: 1, max: 50 }),
  })
  .check(({ min, max }) => (min > max ? [{ path: ['max'], code: 'too_small', message: 'is less than min' }] : []));

const fields = {
  name: f.text({ max: 200 }).search().sort(),
  categoryId: f.ref('restaurant.menu-category').filter(),
  price: f.money({ min: 0, own: true }).sort(),
  sku: f.text({ max: 64 }).optional().search().filter(),
  description: f.text({ max: 2000 }).optional().search(),
  allergens: f.list(f.oneOf(allergens), { max: 14 }).default([]).filter(),
  dietary: f.list(f.text({ max: 40 }), { max: 20 }).default([]),
  station: f.oneOf(['kitchen', 'bar']).default('kitchen').filter(),
  prepMin: f.int({ min: 0, max: 1440 }).optional(),
  modifierGroups: f.list(modifierGroup, { max: 20 }).default([]),
  taxCategoryId: f.ref('taxes.category').optional(),
  /** Units left; null: not tracked. */
  stockQty: f.int({ min: 0 }).optional(),
  isAvailable: f.bool().default(true).filter(),
  archived: f.bool().default(false).filter(),
  image: linkField().optional(),
} satisfies Shape;
export type MenuItem = RowOf<typeof fields> & BaseRow;

export const menuItem = resource('menu-item', {
  path: 'menu',
  verbs: ['list', 'create', 'update'],
  fields,
  indexes: [
    { name: 'restaurant_menu_item_category_idx', fields: ['categoryId'] },
    { name: 'restaurant_menu_item_name_idx', fields: ['name', 'id'] },
  ],
  defaultSort: 'name',
  before: {
    create(ctx, input) {
      checkPrices(input.price, input.modifierGroups);
      return check(ctx, input);
    },
    // A replacement locks the category before its items: an item that keeps its category must not lock it.
    update(ctx, row, patch) {
      if (patch.price !== undefined || patch.modifierGroups !== undefined)
        checkPrices(patch.price ?? row.price, patch.modifierGroups ?? row.modifierGroups);
      return patch.categoryId === row.categoryId ? undefined : check(ctx, { categoryId: patch.categoryId });
    },
  },
});

/** The least expensive choice of modifiers can't cost less than nothing. @throws 422 `too_small` on the option */
function checkPrices(price: MoneyValue, groups: MenuItem['modifierGroups']): void {
  let least = price.amount;
  for (const [i, { max, options }] of groups.entries()) {
    const reductions = options
      .map(({ priceDelta }, j) => ({ j, amount: priceDelta?.amount ?? 0 }))
      .filter(({ amount }) => amount < 0);
    if (reductions.length === 0) continue;
    const largest = reductions.reduce((a, b) => (b.amount < a.amount ? b : a));
    // An option may be chosen as often as its group allows.
    least += largest.amount * max;
    if (least < 0)
      throw invalid(`/modifierGroups/${i}/options/${largest.j}/priceDelta`, 'too_small', 'reduces the price of the item below 0');
  }
}

async function check(ctx: Ctx, { categoryId }: Partial<MenuItem>): Promise<void> {
  if (categoryId === undefined) return;
  // A shared lock: a replacement of the category waits, and moves this item too.
  const found = await ctx.db.first<{ superseded: boolean }>(sql`
    select superseded_at is not null as superseded from restaurant_menu_category
    where tenant_id = ${ctx.tenant.id} and id = ${categoryId} for share`);
  if (found?.superseded) throw invalid('/categoryId', 'superseded', 'is a category that was replaced');
}
