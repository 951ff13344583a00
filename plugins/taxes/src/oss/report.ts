import { fx } from '@storeloom/commerce';
import { type Ctx, problem, sql, type Warning } from '@storeloom/plugin-sdk';
import { convert } from '@storeloom/plugin-sdk/money';
import { addDays, civilDate, quarterBounds } from '@storeloom/plugin-sdk/time';

/** Number of days searched for the next published rate after the quarter; no bank holidays last longer. */
const searchDays = 6;

interface EntryGroup {
  saleQuarter: string;
  country: string;
  supplyType: 'goods' | 'services';
  ratePpm: number;
  currency: string;
  base: number;
  tax: number;
}
interface EurAmount {
  amount: number;
  currency: string;
}
interface OssReportLine {
  country: string;
  supplyType: 'goods' | 'services';
  ratePpm: number;
  base: EurAmount;
  tax: EurAmount;
}
export interface OssReport {
  quarter: string;
  lines: OssReportLine[];
  /** Corrections of sales of earlier quarters, at their rates and their quarter's exchange rate. */
  corrections: ({ quarter: string } & OssReportLine)[];
  totals: { base: EurAmount; tax: EurAmount; corrections: EurAmount; payable: EurAmount };
  exchangeRates: { quarter: string; currency: string; rate: string; asOf: string }[];
  warnings: Warning[];
}

/** The OSS return of a quarter: sales taxed at destination less corrections of the same quarter. */
export async function ossReport(ctx: Ctx, quarter: string): Promise<OssReport> {
  const groups = await ctx.db.rows<EntryGroup>(sql`
    select sale_quarter as "saleQuarter", country, supply_type as "supplyType", rate_ppm as "ratePpm", base_currency as currency,
      sum(base_amount)::int8 as base, sum(tax_amount)::int8 as tax
    from taxes_oss_entry where tenant_id = ${ctx.tenant.id} and quarter = ${quarter} and treatment = 'destination' and supply_type <> 'other'
    group by sale_quarter, country, supply_type, rate_ppm, base_currency having sum(base_amount) <> 0 or sum(tax_amount) <> 0
    order by sale_quarter, country, supply_type, rate_ppm desc, base_currency`);
  const rates = new Map<string, { rate: string; asOf: string }>();
  const warnings: Warning[] = [];
  for (const { saleQuarter, currency } of groups) {
    const key = `${saleQuarter} ${currency}`;
    if (currency === 'EUR' || rates.has(key)) continue;
    const { warning, ...known } = await quarterRate(ctx, saleQuarter, currency);
    rates.set(key, known);
    if (warning) warnings.push(warning);
  }
  const sums = new Map<string, { quarter: string } & OssReportLine>();
  for (const { saleQuarter, country, supplyType, ratePpm, currency, base, tax } of groups) {
    const rate = rates.get(`${saleQuarter} ${currency}`)?.rate;
    const eur = (amount: number): EurAmount =>
      rate === undefined ? { amount, currency } : convert({ amount, currency }, 'EUR', rate);
    const key = `${saleQuarter} ${country} ${supplyType} ${ratePpm}`;
    const sum = sums.get(key);
    if (sum) {
      sum.base.amount += eur(base).amount;
      sum.tax.amount += eur(tax).amount;
    } else sums.set(key, { quarter: saleQuarter, country, supplyType, ratePpm, base: eur(base), tax: eur(tax) });
  }
  const all = [...sums.values()];
  const lines = all.filter((line) => line.quarter === quarter).map(({ quarter: _, ...line }) => line);
  const corrections = all.filter((line) => line.quarter !== quarter);
  const total = (rows: readonly OssReportLine[], field: 'base' | 'tax'): number =>
    rows.reduce((sum, line) => sum + line[field].amount, 0);
  const inEur = (amount: number): EurAmount => ({ amount, currency: 'EUR' });
  const [tax, corrected] = [total(lines, 'tax'), total(corrections, 'tax')];
  return {
    quarter,
    lines,
    corrections,
    totals: {
      base: inEur(total(lines, 'base')),
      tax: inEur(tax),
      corrections: inEur(corrected),
      payable: inEur(tax + corrected),
    },
    exchangeRates: [...rates].map(([key, known]) => {
      const [rateQuarter = '', currency = ''] = key.split(' ');
      return { quarter: rateQuarter, currency, ...known };
    }),
    warnings,
  };
}

/**
 * The EUR rate of a currency published on the quarter's last day, or on the next publication day; otherwise the last earlier rate,
 * with a warning.
 */
async function quarterRate(
  ctx: Ctx,
  quarter: string,
  currency: string,
): Promise<{ rate: string; asOf: string; warning?: Warning }> {
  const last = quarterBounds(quarter)?.to;
  const service = ctx.use(fx);
  const missing = () =>
    problem('provider_not_configured', {
      provider: 'currencies',
      detail: `No exchange rate from ${currency} to EUR is known for the end of ${quarter}.`,
    });
  if (!service || last === undefined) throw missing();
  const now = ctx.clock.now();
  let before: { rate: string; asOf: string } | undefined;
  for (let days = 0; days <= searchDays; days++) {
    const end = `${addDays(last, days)}T23:59:59.999Z`;
    const known = await service.rate(currency, 'EUR', end < now ? end : now);
    if (known && civilDate(known.asOf, 'UTC') >= last) return { rate: known.rate, asOf: known.asOf };
    before = known ?? before;
    if (end >= now) break;
  }
  if (!before) throw missing();
  const message = `The exchange rate of ${currency} is from ${civilDate(before.asOf, 'UTC')}: none is known for the end of ${quarter} yet.`;
  return { rate: before.rate, asOf: before.asOf, warning: { code: 'rate_outdated', message } };
}
