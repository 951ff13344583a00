import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { formatNumber, nextNumber } from '@storeloom/plugin-sdk/ledger';
import { civilDate } from '@storeloom/plugin-sdk/time';
import { settings } from './settings.ts';

/** The text around the number on a day, which is the name of its counter: with `{YYYY}` in it each year begins at 1. */
export function seriesOf(format: string, date: string): string {
  return formatNumber(format.replace(/\{0+\}/, '#'), 0, date);
}

/**
 * The next order number. Unique, gaps allowed. Its counter is locked until the order is committed, so it is taken as late as place.commit
 * lets orders take it.
 */
export async function nextOrderNumber(ctx: Ctx): Promise<string> {
  const { orderNumberFormat } = ctx.settings(settings);
  const date = civilDate(ctx.clock.now(), ctx.tenant.timezone);
  for (;;) {
    const value = await nextNumber(ctx, 'orders_number', seriesOf(orderNumberFormat, date));
    const number = formatNumber(orderNumberFormat, value, date);
    // Another format of this shop may have given it already.
    const taken = await ctx.db.first(sql`select from orders_order where tenant_id = ${ctx.tenant.id} and number = ${number}`);
    if (!taken) return number;
  }
}
