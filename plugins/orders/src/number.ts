import { type Ctx, type RawBuilder, sql } from '@storeloom/plugin-sdk';
import { formatNumber, nextNumber } from '@storeloom/plugin-sdk/ledger';
import { civilDate } from '@storeloom/plugin-sdk/time';
import { settings } from './settings.ts';

const place = /\{0+\}/;

/** The text around the number on a day, which is the name of its counter: with `{YYYY}` in it each year begins at 1. */
export function seriesOf(format: string, date: string): string {
  return formatNumber(format.replace(place, '#'), 0, date);
}

/**
 * The next order number. Unique, gaps allowed. Its counter is locked until the order is committed, so it is taken as late as place.commit
 * lets orders take it.
 */
export async function nextOrderNumber(ctx: Ctx): Promise<string> {
  const { orderNumberFormat: format } = ctx.settings(settings);
  const date = civilDate(ctx.clock.now(), ctx.tenant.timezone);
  const [before = '', after = ''] = format.split(place).map((part) => formatNumber(part, 0, date));
  const width = (place.exec(format)?.[0].length ?? 2) - 2;
  // Another format of this shop may have given it already.
  const taken = (value: RawBuilder<unknown>) => sql`exists (select from orders_order where tenant_id = ${ctx.tenant.id}
    and number = ${before}::text || lpad(${value}::text, greatest(${width}::int, length(${value}::text)), '0') || ${after}::text)`;
  return formatNumber(format, await nextNumber(ctx, 'orders_number', seriesOf(format, date), taken), date);
}
