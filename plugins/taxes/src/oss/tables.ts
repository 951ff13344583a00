import { type Ctx, f, sql, type TableRow, table, uuidv7 } from '@storeloom/plugin-sdk';
import { civilDate } from '@storeloom/plugin-sdk/time';
import { ossEvents } from '../events.ts';
import type { CategoryKind } from '../rate/category.ts';

/** Net cross-border sales to consumers in a calendar year, in EUR. */
export const ossYear = table(
  'oss-year',
  {
    year: f.int(),
    net: f.money(),
    /** When the threshold was passed, and by which order. */
    exceededAt: f.instant().optional(),
    exceededBy: f.id().optional(),
    /** Start of the opt-in by which orders of the year were taxed at destination. */
    optedInSince: f.date().optional(),
  },
  { uniques: [{ fields: ['year'] }] },
);
export type OssYear = TableRow<typeof ossYear>;

export const supplyTypes = ['goods', 'services', 'other'] as const;
/** `other`: part of the order, but counts neither for the threshold nor for the return. */
export type SupplyType = (typeof supplyTypes)[number];
export const supplyOf = (kind: CategoryKind): SupplyType =>
  kind === 'goods' ? 'goods' : kind === 'electronic_service' ? 'services' : 'other';

/** Part of a cross-border order at one rate, or a correction of it with negative amounts. Minor units of the order's currency. */
export const ossEntry = table(
  'oss-entry',
  {
    orderId: f.id(),
    kind: f.oneOf(['sale', 'refund', 'cancel', 'edit']),
    refundId: f.id().optional(),
    /** Id of the order line, or `shipping:…`, `surcharge:…`. */
    part: f.text({ max: 100 }),
    /** Quarter of the entry, such as `2026-Q4`, and quarter of its sale. */
    quarter: f.text({ max: 7 }),
    saleQuarter: f.text({ max: 7 }),
    saleYear: f.int(),
    country: f.text({ max: 2 }),
    supplyType: f.oneOf(supplyTypes),
    treatment: f.oneOf(['origin', 'destination']),
    ratePpm: f.ppm(),
    base: f.money(),
    tax: f.money(),
    /** The base that counts towards the threshold. Null until an exchange rate is known. */
    eur: f.money().optional(),
  },
  {
    indexes: [
      { name: 'taxes_oss_entry_order_idx', fields: ['orderId'] },
      { name: 'taxes_oss_entry_quarter_idx', fields: ['quarter', 'saleQuarter'] },
      { name: 'taxes_oss_entry_waiting_idx', fields: ['id'], where: 'eur_amount is null' },
    ],
  },
);
export type OssEntry = TableRow<typeof ossEntry>;

/** The calendar quarter of an instant in the shop's time zone. */
export function quarterOf(ctx: Ctx, instant: string): string {
  const date = civilDate(instant, ctx.tenant.timezone);
  return `${date.slice(0, 4)}-Q${Math.ceil(Number(date.slice(5, 7)) / 3)}`;
}

/** Locks the year's row, and creates it if missing. Serialises all changes of the year's total. */
export async function lockYear(ctx: Ctx, year: number): Promise<OssYear> {
  const now = ctx.clock.now();
  await ctx.db.run(sql`insert into taxes_oss_year (tenant_id, id, year, net_amount, net_currency, created_at, updated_at)
    values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${year}, 0, 'EUR', ${now}, ${now}) on conflict (tenant_id, year) do nothing`);
  const row = await ctx.rows(ossYear).first({ year }, { lock: true });
  if (!row) throw new Error(`The total of ${year} could not be created`);
  return row;
}

/** Publishes that the threshold was passed. Returns the fields to store. */
export async function recordThresholdPassed(
  ctx: Ctx,
  row: OssYear,
  net: number,
  orderId: string,
): Promise<Pick<OssYear, 'exceededAt' | 'exceededBy'>> {
  const exceededAt = ctx.clock.now();
  const data = { year: row.year, net: { amount: net, currency: 'EUR' }, exceededAt, orderId };
  await ctx.emit(ossEvents.threshold_passed, { id: row.id, data });
  return { exceededAt, exceededBy: orderId };
}

export async function entriesOf(ctx: Ctx, orderId: string): Promise<OssEntry[]> {
  return ctx.rows(ossEntry).find({ orderId }, { orderBy: ['createdAt', 'id'] });
}
