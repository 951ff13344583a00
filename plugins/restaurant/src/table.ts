import { type BaseRow, type Ctx, f, type ListQuery, problem, type RowOf, resource, type Shape, sql } from '@storeloom/plugin-sdk';
import { type Occupancy, occupancies, occupancyOf, occupantOf } from './occupancy.ts';

const fields = {
  label: f.text({ max: 40 }).search().sort(),
  area: f.text({ max: 60 }).optional().filter(),
  /** Smaller parties get the table only when no other is free. */
  seatsMin: f.int({ min: 1, max: 500 }).default(1),
  seats: f.int({ min: 1, max: 500 }).sort(),
  /** Chairs that can be added. */
  extraSeats: f.int({ min: 0, max: 100 }).default(0),
  combinableWith: f.list(f.ref('restaurant.table'), { max: 50 }).default([]),
  isReservable: f.bool().default(true).filter(),
  /** The lowest is assigned first. */
  priority: f.int({ min: 0, max: 10_000 }).default(0).sort(),
  isActive: f.bool().default(true).filter(),
  occupancy: f.oneOf(occupancies).default('free').readonly(),
} satisfies Shape;
export type DiningTable = RowOf<typeof fields> & BaseRow;

export const diningTable = resource('table', {
  path: 'tables',
  verbs: ['list', 'create', 'update'],
  fields,
  indexes: [{ name: 'restaurant_table_created_idx', fields: ['createdAt', 'id'] }],
  sqlOnly: { restaurant_table_label_key: 'expression: area and label are compared without regard to case' },
  problems: ['duplicate'],
  defaultSort: 'label',
  filters: { at: { field: f.instant(), operators: ['eq'], where: () => sql`true` } },
  present: (ctx, rows, _, query) => withOccupancy(ctx, rows, query),
  routes: {
    list: { summary: 'Tables with their occupancy, now or `at` an instant' },
    update: {
      body: { ...fields, occupancy: f.oneOf(['free', 'dirty', 'out_of_service']).default('free') },
      problems: ['table_occupied', 'duplicate'],
    },
  },
  before: {
    async update(ctx, row, patch) {
      if ((patch as Partial<DiningTable>).occupancy === undefined) return;
      const occupant = await occupantOf(ctx, row.id);
      if (occupant) throw problem('table_occupied', { detail: 'The table is taken by another check or party.', ...occupant });
    },
  },
});

async function withOccupancy(ctx: Ctx, rows: DiningTable[], query?: ListQuery): Promise<DiningTable[]> {
  const at = query?.filters.get('at')?.get('eq') as string | undefined;
  const found = await occupancyOf(ctx, rows, at ?? null);
  return rows.map((row) => ({ ...row, occupancy: found.get(row.id) as Occupancy }));
}
