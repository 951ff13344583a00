import { fx } from '@storeloom/commerce';
import { type Ctx, problem, sql, type Warning } from '@storeloom/plugin-sdk';
import { convert } from '@storeloom/plugin-sdk/money';
import { addDays, civilDate, quarterBounds } from '@storeloom/plugin-sdk/time';

/** Without a rate of the last day the next published one counts: bank holidays are at most this long. */
const searchDays = 6;

interface Group {
  saleQuarter: string;
  country: string;
  supplyType: 'goods' | 'services';
  ratePpm: number;
  currency: string;
  base: number;
  tax: number;
}
interface Eur {
  amount: number;
  currency: string;
}
interface OssReportLine {
  country: string;
  supplyType: 'goods' | 'services';
  ratePpm: number;
  base: Eur;
  tax: Eur;
}
export interface OssReport {
  quarter: string;
  lines: OssReportLine[];
  /** Of sales of earlier quarters, at their rates and in their quarter's exchange rate. */
  corrections: ({ quarter: string } & OssReportLine)[];
  totals: { base: Eur; tax: Eur; corrections: Eur; payable: Eur };
  exchangeRates: { quarter: string; currency: string; rate: string; asOf: string }[];
  warnings: Warning[];
}

/** What is declared for a quarter: sales taxed at destination, less what was taken back in the same quarter. */
export async function ossReport(ctx: Ctx, quarter: string): Promise<OssReport> {
  const groups = await ctx.db.rows<Group>(sql`
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
    const eur = (amount: number): Eur => (rate === undefined ? { amount, currency } : convert({ amount, currency }, 'EUR', rate));
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
  const total = (of: readonly OssReportLine[], member: 'base' | 'tax'): number =>
    of.reduce((sum, line) => sum + line[member].amount, 0);
  const inEur = (amount: number): Eur => ({ amount, currency: 'EUR' });
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
      const [of = '', currency = ''] = key.split(' ');
      return { quarter: of, currency, ...known };
    }),
    warnings,
  };
}

/** Units of EUR for one of a currency: published on the quarter's last day, or the next day with a publication; else the last one before. */
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
      detail: `There is no exchange rate from ${currency} to EUR for the end of ${quarter}.`,
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
  const message = `The rate of ${currency} is of ${civilDate(before.asOf, 'UTC')}: none is known for the end of ${quarter} yet.`;
  return { rate: before.rate, asOf: before.asOf, warning: { code: 'rate_outdated', message } };
}
