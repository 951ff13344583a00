import { type Ctx, type RawBuilder, sql } from '@storeloom/plugin-sdk';
import { formatNumber, type NumbersInUse, nextNumber } from '@storeloom/plugin-sdk/ledger';
import { civilDate } from '@storeloom/plugin-sdk/time';
import { settings } from './settings.ts';

const place = /\{0+\}/;

/** The text around the number on a day, which is the name of its counter: with `{YYYY}` in it each year begins at 1. */
export function seriesOf(format: string, date: string): string {
  return formatNumber(format.replace(place, '#'), 0, date);
}

/**
 * The next order number. Unique, gaps allowed. Its counter is locked until the order is committed, so it is taken as late as place.commit
 * lets orders take it. Series whose numbers can look alike wait for each other, so that each sees what the other has given.
 */
export async function nextOrderNumber(ctx: Ctx): Promise<string> {
  const { orderNumberFormat: format } = ctx.settings(settings);
  const date = civilDate(ctx.clock.now(), ctx.tenant.timezone);
  const [, value] = await Promise.all([
    ctx.db.rows(sql`select pg_advisory_xact_lock(hashtextextended(${`orders.number ${ctx.tenant.id}`}, 0))`),
    nextNumber(ctx, 'orders_number', seriesOf(format, date), givenBefore(ctx, format, date)),
  ]);
  return formatNumber(format, value, date);
}

/** Another format of this shop may have given a number already. */
function givenBefore(ctx: Ctx, format: string, date: string): NumbersInUse {
  const [before = '', after = ''] = format.split(place).map((part) => formatNumber(part, 0, date));
  const width = (place.exec(format)?.[0].length ?? 2) - 2;
  const around = before.length + after.length;
  const middle = sql`substr(number, ${before.length + 1}::int, length(number) - ${around}::int)`;
  return {
    taken: (value: RawBuilder<unknown>) => sql`exists (select from orders_order where tenant_id = ${ctx.tenant.id}
      and number = ${before}::text || lpad(${value}::text, greatest(${width}::int, length(${value}::text)), '0') || ${after}::text)`,
    greatest: sql`select max(case when ${middle} ~ '^[0-9]{1,15}$' then ${middle}::int8 end) from orders_order
      where tenant_id = ${ctx.tenant.id} and length(number) > ${around}::int and starts_with(number, ${before}::text)
        and right(number, ${after.length}::int) = ${after}::text`,
  };
}
