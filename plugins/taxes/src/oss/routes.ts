import { type Ctx, f, invalidParameter, listOf, route, type Shape, type Warning } from '@storeloom/plugin-sdk';
import { civilDate, daysBetween, quarterBounds } from '@storeloom/plugin-sdk/time';
import { category } from '../rate/category.ts';
import { dateIn, isMemberState, memberStates } from '../rate/countries.ts';
import { holdsOn, publishedRates, type RateKind, snapshotDate, snapshotMaxAgeDays } from '../rate/eu-rates.ts';
import { rateKind } from '../rate/kind.ts';
import { rate } from '../rate/rate.ts';
import { settings } from '../settings.ts';
import { isExceeded, isOptedIn, limitEur } from './limit.ts';
import { ossReport } from './report.ts';
import { ossYear, supplyTypes } from './tables.ts';

const warningShape = { code: f.text(), message: f.text({ max: 500 }), pointer: f.text().optional() } satisfies Shape;
const rateKinds = ['standard', 'reduced', 'super_reduced', 'parking', 'zero'] as const satisfies readonly RateKind[];

interface OssRate {
  country: string;
  kind: RateKind;
  ratePpm: number;
  name: string | null;
  categoryId: string | null;
  validFrom: string;
  validTo: string | null;
  /** `tenant`: the shop's own rate, which stands in place of a published one. */
  source: 'published' | 'tenant';
}

/** What holds in the member states on a day: the shop's own rates first, and the published ones that they don't replace. */
async function ratesOn(ctx: Ctx, countries: readonly string[], at: string | null): Promise<OssRate[]> {
  const own = await ctx.rows(rate).find({ country: countries, region: null, postalCode: null });
  const fallback = await ctx.rows(category).first({ isDefault: true });
  return countries.flatMap((country) => {
    const date = at ?? dateIn(country, ctx.clock.now(), ctx.tenant.timezone);
    const published = publishedRates(country).filter((one) => holdsOn(one, date));
    const mine = own
      .filter((row) => row.country === country && holdsOn(row, date))
      .map((row): OssRate => {
        const { categoryId, ratePpm, name, validFrom, validTo } = row;
        const kind = rateKind(country, date, ratePpm, categoryId === fallback?.id);
        return { country, kind, ratePpm, name, categoryId, validFrom, validTo, source: 'tenant' };
      });
    const replaced = (kind: RateKind, ratePpm: number): boolean =>
      mine.some(
        (one) => (one.kind === 'standard' && kind === 'standard') || (one.kind !== 'standard' && one.ratePpm === ratePpm),
      );
    const rest = published
      .filter(({ kind, ratePpm }) => !replaced(kind, ratePpm))
      .map((one): OssRate => ({ ...one, name: null, categoryId: null, source: 'published' }));
    return [...mine, ...rest].sort((a, b) => rateKinds.indexOf(a.kind) - rateKinds.indexOf(b.kind) || b.ratePpm - a.ratePpm);
  });
}

/** Published rates change every few months; old ones are used with a warning. */
export function seedWarnings(today: string): Warning[] {
  const days = daysBetween(snapshotDate, today);
  if (days <= snapshotMaxAgeDays) return [];
  return [{ code: 'rates_outdated', message: `The published rates are from ${snapshotDate}, ${days} days ago. Verify them.` }];
}

const ossRates = route(
  'GET',
  '/taxes/oss/rates',
  {
    permission: 'taxes.oss.read',
    summary: 'VAT rates of the member states on a day, those of the shop in place of the published ones',
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
    if (country !== null && !isMemberState(country) && country !== 'XI') throw invalidParameter('country', 'is no member state');
    const rows = await ratesOn(ctx, country === null ? Object.keys(memberStates) : [country], at);
    return { ...listOf(rows), warnings: seedWarnings(civilDate(ctx.clock.now(), 'UTC')) };
  },
);

const threshold = route(
  'GET',
  '/taxes/oss/threshold',
  {
    permission: 'taxes.oss.read',
    summary: 'How near the shop is to the limit of the one-stop shop',
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
    const of = (wanted: number) => years.find((row) => row.year === wanted);
    const eur = (amount: number) => ({ amount, currency: 'EUR' });
    const limit = limitEur(ctx);
    const current = of(year)?.net ?? 0;
    return {
      limit: eur(limit),
      currentYearNet: eur(current),
      previousYearNet: eur(of(year - 1)?.net ?? 0),
      remaining: eur(Math.max(0, limit - current)),
      exceeded: isExceeded(years, year),
      exceededAt: of(year)?.exceededAt ?? of(year - 1)?.exceededAt ?? null,
      optedIn: isOptedIn(ctx.settings(settings), years, date),
    };
  },
);

const figures = {
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
    summary: 'What is declared in the one-stop shop for a quarter, in EUR',
    query: { quarter: f.text({ max: 7 }) },
    response: {
      quarter: f.text({ max: 7 }),
      lines: f.list(f.object(figures)),
      corrections: f.list(f.object({ quarter: f.text({ max: 7 }), ...figures })),
      totals: f.object({ base: f.money(), tax: f.money(), corrections: f.money(), payable: f.money() }),
      exchangeRates: f.list(
        f.object({ quarter: f.text({ max: 7 }), currency: f.text({ max: 3 }), rate: f.decimal(), asOf: f.instant() }),
      ),
      warnings: f.list(f.object(warningShape)),
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
