import { fx, type PricingContext } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { convert, mulRatio } from '@storeloom/plugin-sdk/money';
import { type CivilDate, civilDate } from '@storeloom/plugin-sdk/time';
import type { OssYearRow } from '../pricing/snapshot.ts';
import { settings } from '../settings.ts';

/** Article 59c of Directive 2006/112/EC, in minor units of EUR, used if national law sets the threshold in another currency. */
const directiveLimit = 1_000_000;

/** The threshold in minor units of EUR. */
export function limitEur(ctx: Ctx): number {
  const { ossLimit } = ctx.settings(settings);
  return ossLimit.currency === 'EUR' ? ossLimit.amount : directiveLimit;
}

/** Converts to minor units of EUR; null if no exchange rate is known. */
export async function toEur(ctx: Ctx, amount: number, currency: string, at: string): Promise<number | null> {
  if (currency === 'EUR') return amount;
  const { ossLimit } = ctx.settings(settings);
  if (currency === ossLimit.currency) return mulRatio(amount, directiveLimit, ossLimit.amount);
  const known = await ctx.use(fx)?.rate(currency, 'EUR', at);
  return known ? convert({ amount, currency }, 'EUR', known.rate).amount : null;
}

/** The calendar year of an instant in the shop's time zone. */
export function yearOf(ctx: Ctx, instant: string): number {
  return Number(civilDate(instant, ctx.tenant.timezone).slice(0, 4));
}

interface OptIn {
  ossOptIn: boolean;
  ossOptInSince: CivilDate | null;
}

/** Opting in binds for its calendar year and the next one. */
const isBound = (since: CivilDate | null, date: CivilDate): boolean =>
  since !== null && since <= date && Number(date.slice(0, 4)) <= Number(since.slice(0, 4)) + 1;

/** Whether the shop has chosen taxation at destination, or is still bound to that choice. */
export function isOptedIn({ ossOptIn, ossOptInSince }: OptIn, years: readonly OssYearRow[], date: CivilDate): boolean {
  if (ossOptIn && (ossOptInSince === null || ossOptInSince <= date)) return true;
  return isBound(ossOptInSince, date) || years.some((row) => isBound(row.optedInSince, date));
}

/** Whether the threshold was passed in the year or in the previous one. */
export function isExceeded(years: readonly OssYearRow[], year: number): boolean {
  return years.some((row) => (row.year === year || row.year === year - 1) && row.exceededAt !== null);
}

/** Whether a sale at this instant is taxed at destination regardless of its amount. */
export function isAtDestination(ctx: Ctx, years: readonly OssYearRow[], at: PricingContext['at']): boolean {
  const date = civilDate(at, ctx.tenant.timezone);
  return isOptedIn(ctx.settings(settings), years, date) || isExceeded(years, Number(date.slice(0, 4)));
}
