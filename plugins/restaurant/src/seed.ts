import type { Ctx } from '@storeloom/plugin-sdk';
import { menuCategory } from './menu-category.ts';
import { menuItem } from './menu-item.ts';
import { settings } from './settings.ts';
import { diningTable } from './table.ts';

const evening = [{ start: '17:00', end: '23:00' }];
const lunch = { start: '12:00', end: '15:00' };

/** Creates ten tables, a short menu and opening hours, unless there are some. */
export async function seedDemo(ctx: Ctx): Promise<void> {
  const { currency } = ctx.tenant;
  const price = (amount: number) => ({ amount, currency });
  if (ctx.settings(settings).openingHours === null)
    await ctx.saveSettings({
      openingHours: {
        tue: [lunch, ...evening],
        wed: [lunch, ...evening],
        thu: [lunch, ...evening],
        fri: [lunch, { start: '17:00', end: '01:00' }],
        sat: [{ start: '12:00', end: '01:00' }],
        sun: [{ start: '12:00', end: '21:00' }],
      },
    });
  if (!(await ctx.rows(diningTable).first({}))) {
    const rows = await ctx.rows(diningTable).insertMany(
      [2, 2, 4, 4, 4, 4, 6, 8].map((seats, i) => ({
        label: `T${i + 1}`,
        area: i < 6 ? 'Dining room' : 'Garden',
        seats,
        seatsMin: seats > 4 ? 3 : 1,
        occupancy: 'free' as const,
      })),
    );
    const [, , third, fourth] = rows;
    if (third && fourth) {
      await ctx.rows(diningTable).update(third.id, { combinableWith: [fourth.id] });
      await ctx.rows(diningTable).update(fourth.id, { combinableWith: [third.id] });
    }
  }
  if (await ctx.rows(menuCategory).first({})) return;
  const [starters, mains, drinks] = await ctx.rows(menuCategory).insertMany([
    { name: 'Starters', sortOrder: 1 },
    { name: 'Main courses', sortOrder: 2 },
    { name: 'Drinks', sortOrder: 3 },
  ]);
  if (!starters || !mains || !drinks) return;
  await ctx.rows(menuItem).insertMany([
    { name: 'Bean soup', categoryId: starters.id, price: price(2200), allergens: ['celery'], prepMin: 8 },
    { name: 'Smoked aubergine', categoryId: starters.id, price: price(2600), dietary: ['vegan'], prepMin: 6 },
    { name: 'Trout with polenta', categoryId: mains.id, price: price(5400), allergens: ['fish', 'milk'], prepMin: 20 },
    {
      name: 'Mushroom stew',
      categoryId: mains.id,
      price: price(4100),
      dietary: ['vegetarian'],
      allergens: ['milk'],
      prepMin: 15,
      modifierGroups: [
        {
          name: 'Side',
          min: 1,
          max: 1,
          options: [
            { name: 'Polenta', priceDelta: null },
            { name: 'Fresh bread', priceDelta: price(300) },
          ],
        },
      ],
    },
    { name: 'Lemonade', categoryId: drinks.id, price: price(1500), station: 'bar' },
    { name: 'House white, glass', categoryId: drinks.id, price: price(1900), station: 'bar', allergens: ['sulphites'] },
  ]);
}
