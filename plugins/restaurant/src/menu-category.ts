import { type BaseRow, type Ctx, f, invalid, type ListQuery, type RowOf, resource, type Shape, sql } from '@storeloom/plugin-sdk';
import { addDays, civilDate, type Weekday, wallTime, weekday, weekdays } from '@storeloom/plugin-sdk/time';
import { menuItem } from './menu-item.ts';
import { zoneOf } from './settings.ts';

const fields = {
  name: f.text({ max: 120 }).unique().search().sort(),
  sortOrder: f.int({ min: 0, max: 100_000 }).default(0).sort(),
  isActive: f.bool().default(true).filter(),
  /** Empty: every day. */
  availableDays: f.list(f.oneOf(weekdays), { max: 7 }).default([]),
  /** Wall times; an end before the start is on the next day. */
  availableFrom: f.time().optional(),
  availableTo: f.time().optional(),
  /** The category that this one replaces; its items move along. */
  replacesId: f.ref('restaurant.menu-category').optional().writeOnly(),
  reason: f.text({ max: 500 }).optional(),
  supersededAt: f.instant().optional().readonly(),
} satisfies Shape;
export type MenuCategory = RowOf<typeof fields> & BaseRow;

export const menuCategory = resource('menu-category', {
  path: 'menu/categories',
  verbs: ['list', 'create'],
  fields,
  indexes: [{ name: 'restaurant_menu_category_sort_idx', fields: ['sortOrder', 'id'] }],
  sqlOnly: { restaurant_menu_category_name_key: 'expression: the name is compared without regard to case' },
  defaultSort: 'sortOrder',
  filters: {
    superseded: {
      field: f.bool(),
      operators: ['eq'],
      where: (_, value) => (value === true ? sql`t.superseded_at is not null` : sql`t.superseded_at is null`),
    },
  },
  scope: (_, query: ListQuery) => (query.filters.has('superseded') ? undefined : sql`t.superseded_at is null`),
  routes: {
    create: { summary: 'Creates a category, or with `replacesId` a new version of one', problems: ['duplicate', 'conflict'] },
  },
  before: {
    async create(ctx, input) {
      if ((input.availableFrom === null) !== (input.availableTo === null))
        throw invalid(
          input.availableFrom === null ? '/availableFrom' : '/availableTo',
          'required',
          'is required together with the other',
        );
      if (input.replacesId === null) return;
      const old = await ctx.rows(menuCategory).require(input.replacesId, { lock: true });
      if (old.supersededAt !== null) throw invalid('/replacesId', 'superseded', 'is a category that was already replaced');
      await ctx.rows(menuCategory).update(old.id, { supersededAt: ctx.clock.now() });
    },
  },
  after: {
    async create(ctx, row, { replacesId }) {
      if (replacesId !== null) await ctx.rows(menuItem).updateWhere({ categoryId: replacesId }, { categoryId: row.id });
    },
  },
});

/** Whether the items of the category are served now. */
export function isServed(ctx: Ctx, { isActive, availableDays, availableFrom, availableTo }: MenuCategory): boolean {
  if (!isActive) return false;
  const now = ctx.clock.now();
  const zone = zoneOf(ctx);
  const today = civilDate(now, zone);
  const time = wallTime(now, zone);
  const on = (date: string): boolean =>
    availableDays.length === 0 || (availableDays as readonly Weekday[]).includes(weekday(date));
  if (availableFrom === null || availableTo === null) return on(today);
  if (availableFrom < availableTo) return on(today) && availableFrom <= time && time < availableTo;
  return (on(today) && availableFrom <= time) || (on(addDays(today, -1)) && time < availableTo);
}
