import { type Ctx, f, invalidParameter, listOf, route, type Warning } from '@storeloom/plugin-sdk';
import { civilDate, daysBetween, quarterBounds } from '@storeloom/plugin-sdk/time';
import { category } from '../rate/category.ts';
import { dateIn, isMemberState, memberStates } from '../rate/countries.ts';
import { isValidOn, publishedRates, type RateKind, snapshotDate, snapshotMaxAgeDays } from '../rate/eu-rates.ts';
import { rateKind } from '../rate/kind.ts';
import { rate } from '../rate/rate.ts';
import { settings } from '../settings.ts';
import { isExceeded, isOptedIn, limitEur } from './limit.ts';
import { ossReport } from './report.ts';
import { ossYear, supplyTypes } from './tables.ts';

const rateKinds = ['standard', 'reduced', 'super_reduced', 'parking', 'zero'] as const satisfies readonly RateKind[];

interface OssRate {
  country: string;
  kind: RateKind;
  ratePpm: number;
  name: string | null;
  categoryId: string | null;
  validFrom: string;
  validTo: string | null;
  /** `tenant`: a rate of the shop, which replaces the published one. */
  source: 'published' | 'tenant';
}

/** The rates valid in the member states on a day: the rates of the shop, and the published ones that they don't replace. */
async function ratesOn(ctx: Ctx, countries: readonly string[], at: string | null): Promise<OssRate[]> {
  const shopRates = await ctx.rows(rate).find({ country: countries, region: null, postalCode: null });
  const fallback = await ctx.rows(category).first({ isDefault: true });
  return countries.flatMap((country) => {
    const date = at ?? dateIn(country, ctx.clock.now(), ctx.tenant.timezone);
    const published = publishedRates(country).filter((one) => isValidOn(one, date));
    const countryRates = shopRates
      .filter((row) => row.country === country && isValidOn(row, date))
      .map((row): OssRate => {
        const { categoryId, ratePpm, name, validFrom, validTo } = row;
        const kind = rateKind(country, date, ratePpm, categoryId === fallback?.id);
        return { country, kind, ratePpm, name, categoryId, validFrom, validTo, source: 'tenant' };
      });
    const isReplaced = (kind: RateKind, ratePpm: number): boolean =>
      countryRates.some(
        (one) => (one.kind === 'standard' && kind === 'standard') || (one.kind !== 'standard' && one.ratePpm === ratePpm),
      );
    const rest = published
      .filter(({ kind, ratePpm }) => !isReplaced(kind, ratePpm))
      .map((one): OssRate => ({ ...one, name: null, categoryId: null, source: 'published' }));
    return [...countryRates, ...rest].sort(
      (a, b) => rateKinds.indexOf(a.kind) - rateKinds.indexOf(b.kind) || b.ratePpm - a.ratePpm,
    );
  });
}

/** Warns about outdated published rates, which are used nevertheless. */
export function outdatedRatesWarnings(today: string): Warning[] {
  const days = daysBetween(snapshotDate, today);
  if (days <= snapshotMaxAgeDays) return [];
  return [{ code: 'rates_outdated', message: `The published rates are from ${snapshotDate}, ${days} days ago. Verify them.` }];
}

const ossRates = route(
  'GET',
  '/taxes/oss/rates',
  {
    permission: 'taxes.oss.read',
    summary: 'VAT rates of the member states on a day; rates of the shop replace published ones',
    query: { country: f.text({ max: 2, pattern: /^[A-Z]{2}$/ }).optional(), at: f.date().optional() },
    response: {
      country: f.text({ max: 2 }),
      kind: f.oneOf(rateKinds),
      ratePpm: f.ppm(),
      name: f.text().optional(),
      categoryId: f.id().optional(),
      validFrom: f.date(),
      validTo: f.date().optional(),
      source: f.oneOf(['published', 'tenant']),
    },
    list: true,
  },
  async (ctx, req) => {
    const { country, at } = req.query;
    if (country !== null && !isMemberState(country) && country !== 'XI')
      throw invalidParameter('country', 'is not a member state of the EU');
    const rows = await ratesOn(ctx, country === null ? Object.keys(memberStates) : [country], at);
    return { ...listOf(rows), warnings: outdatedRatesWarnings(civilDate(ctx.clock.now(), 'UTC')) };
  },
);

const threshold = route(
  'GET',
  '/taxes/oss/threshold',
  {
    permission: 'taxes.oss.read',
    summary: "The shop's cross-border sales compared with the threshold of the one-stop shop",
    response: {
      limit: f.money(),
      currentYearNet: f.money(),
      previousYearNet: f.money(),
      remaining: f.money(),
      exceeded: f.bool(),
      exceededAt: f.instant().optional(),
      optedIn: f.bool(),
    },
  },
  async (ctx) => {
    const date = civilDate(ctx.clock.now(), ctx.tenant.timezone);
    const year = Number(date.slice(0, 4));
    const rows = await ctx.rows(ossYear).find({ year: [year, year - 1] });
    const years = rows.map(({ net, ...row }) => ({ ...row, net: net.amount }));
    const totalOf = (wanted: number) => years.find((row) => row.year === wanted);
    const eur = (amount: number) => ({ amount, currency: 'EUR' });
    const limit = limitEur(ctx);
    const current = totalOf(year)?.net ?? 0;
    return {
      limit: eur(limit),
      currentYearNet: eur(current),
      previousYearNet: eur(totalOf(year - 1)?.net ?? 0),
      remaining: eur(Math.max(0, limit - current)),
      exceeded: isExceeded(years, year),
      exceededAt: totalOf(year)?.exceededAt ?? totalOf(year - 1)?.exceededAt ?? null,
      optedIn: isOptedIn(ctx.settings(settings), years, date),
    };
  },
);

const reportFields = {
  country: f.text({ max: 2 }),
  supplyType: f.oneOf(supplyTypes),
  ratePpm: f.ppm(),
  base: f.money(),
  tax: f.money(),
};

const report = route(
  'GET',
  '/taxes/oss/report',
  {
    permission: 'taxes.oss.read',
    summary: 'The one-stop shop return of a quarter, in EUR',
    query: { quarter: f.text({ max: 7 }).example('2026-Q3') },
    response: {
      quarter: f.text({ max: 7 }),
      lines: f.list(f.object(reportFields)),
      corrections: f.list(f.object({ quarter: f.text({ max: 7 }), ...reportFields })),
      totals: f.object({ base: f.money(), tax: f.money(), corrections: f.money(), payable: f.money() }),
      exchangeRates: f.list(
        f.object({ quarter: f.text({ max: 7 }), currency: f.text({ max: 3 }), rate: f.decimal(), asOf: f.instant() }),
      ),
      warnings: f.warnings(),
    },
    problems: ['provider_not_configured'],
  },
  (ctx, req) => {
    const { quarter } = req.query;
    if (!quarterBounds(quarter)) throw invalidParameter('quarter', 'must be a quarter like 2026-Q3');
    return ossReport(ctx, quarter);
  },
);

export const ossRoutes = [ossRates, threshold, report];
