import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { formatNumber } from '@storeloom/plugin-sdk/ledger';
import { civilDate } from '@storeloom/plugin-sdk/time';
import { settings } from '../settings.ts';

const place = /\{0+\}/;

/** The text around the number on a day, which is the name of its counter: with `{YYYY}` in it each year begins at 1. */
export function seriesOf(format: string, date: string): string {
  return formatNumber(format.replace(place, '#'), 0, date);
}

/**
 * The next order number. Unique, gaps allowed: a placement that fails may leave one, a later one may fill it, and those made at the same
 * moment never wait for each other. No format gives a number that another format of this shop has given.
 */
export async function nextOrderNumber(ctx: Ctx): Promise<string> {
  const { orderNumberFormat: format } = ctx.settings(settings);
  const date = civilDate(ctx.clock.now(), ctx.tenant.timezone);
  const [before = '', after = ''] = format.split(place).map((part) => formatNumber(part, 0, date));
  const width = (place.exec(format)?.[0].length ?? 2) - 2;
  const next = await ctx.db.first<{ value: number }>(
    sql`select orders_next_number(${seriesOf(format, date)}, ${before}, ${after}, ${width}) as value`,
  );
  if (!next) throw new Error('the database gave no order number');
  return formatNumber(format, next.value, date);
}
