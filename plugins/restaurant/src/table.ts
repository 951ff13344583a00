import {
  type AnyTable,
  type BaseRow,
  type Ctx,
  f,
  type ListQuery,
  type Page,
  problem,
  type Req,
  type RowOf,
  resource,
  type Shape,
  sql,
  tableSql,
} from '@storeloom/plugin-sdk';
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
  defaultSort: 'label',
  filters: { at: { field: f.instant(), operators: ['eq'], where: () => sql`true` } },
  handlers: { list: listTables },
  present: (ctx, rows) => withOccupancy(ctx, rows as DiningTable[], null),
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

async function withOccupancy(ctx: Ctx, rows: DiningTable[], at: string | null): Promise<DiningTable[]> {
  const found = await occupancyOf(ctx, rows, at);
  return rows.map((row) => ({ ...row, occupancy: found.get(row.id) as Occupancy }));
}

function listTables(ctx: Ctx, req: Req<Record<string, string>, never, never>): Promise<Page<DiningTable>> {
  const query = req.query as ListQuery;
  const at = (query.filters.get('at')?.get('eq') as string | undefined) ?? null;
  const { name, select } = tableSql(diningTable as unknown as AnyTable);
  return diningTable
    .list()
    .run<DiningTable, DiningTable>(
      ctx,
      query,
      { select: sql.raw(select), from: sql`${sql.table(name)} t`, where: sql`t.tenant_id = ${ctx.tenant.id}` },
      (rows) => withOccupancy(ctx, rows, at),
    );
}
