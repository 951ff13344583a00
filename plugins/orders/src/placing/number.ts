import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { formatNumber } from '@storeloom/plugin-sdk/ledger';
import { civilDate } from '@storeloom/plugin-sdk/time';
import { settings } from '../settings.ts';

const place = /\{0+\}/;

/** The name of the counter: the text around the number on a day. With `{YYYY}` each year starts at 1. */
export function seriesOf(format: string, date: string): string {
  return formatNumber(format.replace(place, '#'), 0, date);
}

/**
 * The next order number: unique in the shop over all formats, not gapless. Failed placements may leave gaps that later ones may fill;
 * concurrent placements don't wait for each other.
 */
export async function nextOrderNumber(ctx: Ctx): Promise<string> {
  const { orderNumberFormat: format } = ctx.settings(settings);
  const date = civilDate(ctx.clock.now(), ctx.tenant.timezone);
  const [before = '', after = ''] = format.split(place).map((part) => formatNumber(part, 0, date));
  const width = (place.exec(format)?.[0].length ?? 2) - 2;
  const next = await ctx.db.first<{ value: number }>(
    sql`select orders_next_number(${seriesOf(format, date)}, ${before}, ${after}, ${width}) as value`,
  );
  if (!next) throw new Error('the database returned no order number');
  return formatNumber(format, next.value, date);
}
