import {
  type Ctx,
  f,
  invalid,
  type ListQuery,
  list,
  problem,
  type RowOf,
  reply,
  route,
  sql,
  table,
  type Warning,
} from '@storeloom/plugin-sdk';
import { invertRate, isCurrency, isRate } from '@storeloom/plugin-sdk/money';
import { settings } from './settings.ts';
import { dropShown } from './shown-prices.ts';

type Source = 'manual' | 'bnr' | 'ecb';

export const fxRate = table(
  'fx-rate',
  {
    base: f.text({ max: 3 }),
    quote: f.text({ max: 3 }),
    rate: f.decimal().optional(),
    source: f.oneOf(['manual', 'bnr', 'ecb']),
    asOf: f.instant(),
  },
  {
    uniques: [
      { name: 'currencies_fx_rate_published_key', fields: ['source', 'base', 'quote', 'asOf'], where: "source <> 'manual'" },
    ],
    sqlOnly: { currencies_fx_rate_pair_idx: 'descending: the latest rate of a pair comes first' },
    appendOnly: true,
  },
);

const rates = list({
  defaultSort: '-asOf',
  filters: {
    id: { field: f.id(), operators: ['eq', 'in'] },
    base: { field: f.text({ max: 3 }), column: 't.base' },
    quote: { field: f.text({ max: 3 }), column: 't.quote' },
    source: { field: f.oneOf(['manual', 'bnr', 'ecb']) },
    asOf: { field: f.instant() },
  },
  sorts: { asOf: { column: 't.as_of', type: 'timestamptz' }, createdAt: { column: 't.created_at', type: 'timestamptz' } },
});

const answer = {
  id: f.id(),
  base: f.text(),
  quote: f.text(),
  rate: f.decimal().optional(),
  source: f.oneOf(['manual', 'bnr', 'ecb']),
  asOf: f.instant(),
  createdAt: f.instant(),
};

export const listRates = route(
  'GET',
  '/fx-rates/',
  { permission: 'currencies.fx-rate.read', summary: 'Exchange rates, newest first', query: rates, response: answer, list: true },
  (ctx, req) =>
    rates.run<RowOf<typeof answer>>(ctx, req.query as ListQuery, {
      select: sql`t.id, t.base, t.quote, trim_scale(t.rate)::text as rate, t.source, t.as_of as "asOf", t.created_at as "createdAt"`,
      from: sql`currencies_fx_rate t`,
      where: sql`t.tenant_id = ${ctx.tenant.id}`,
    }),
);

export const createRate = route(
  'POST',
  '/fx-rates/',
  {
    permission: 'currencies.fx-rate.create',
    summary: 'Set a rate by hand; `rate: null` gives the pair back to the automatic source',
    body: {
      base: f.text({ max: 3 }).example('EUR'),
      quote: f.text({ max: 3 }).example('RON'),
      rate: f.text({ max: 30 }).optional().example('4.97'),
      asOf: f.instant().optional(),
    },
    response: answer,
    status: 201,
  },
  async (ctx, req) => {
    const { base, quote, rate, asOf } = req.body;
    for (const [name, code] of [
      ['base', base],
      ['quote', quote],
    ] as const)
      if (!isCurrency(code)) throw invalid(`/${name}`, 'invalid', 'is not an ISO 4217 code');
    if (base === quote) throw invalid('/quote', 'invalid', 'must differ from base');
    if (rate !== null && !isRate(rate))
      throw invalid('/rate', 'invalid', 'must be a decimal string above 0 with at most 12 significant digits');
    if (asOf !== null && asOf > ctx.clock.now()) throw invalid('/asOf', 'invalid', 'must not be in the future');
    const row = await ctx.rows(fxRate).insert({ base, quote, rate, source: 'manual', asOf: asOf ?? ctx.clock.now() });
    dropShown(ctx);
    await ctx.audit({ entity: 'currencies.fx-rate', entityId: row.id, before: null, after: row });
    const { id, source, createdAt } = row;
    return reply(201, { id, base, quote, rate, source, asOf: row.asOf, createdAt }, { location: `/fx-rates/?id=${id}` });
  },
);

export interface KnownRate {
  rate: string;
  rateId: string | null;
  asOf: string;
  source: Source;
}

/** The rate of one direction as it was at an instant: manual beats automatic until it is taken back. */
async function direct(ctx: Ctx, base: string, quote: string, at: string): Promise<KnownRate | undefined> {
  return ctx.db.first<KnownRate>(sql`
    with manual as (select id, rate, source, as_of from currencies_fx_rate where tenant_id = ${ctx.tenant.id} and base = ${base} and quote = ${quote} and source = 'manual' and as_of <= ${at} order by as_of desc, id desc limit 1),
      automatic as (select id, rate, source, as_of from currencies_fx_rate where tenant_id = ${ctx.tenant.id} and base = ${base} and quote = ${quote} and source <> 'manual' and as_of <= ${at} order by as_of desc, id desc limit 1)
    select trim_scale(rate)::text as rate, id as "rateId", as_of as "asOf", source from (select * from manual where rate is not null union all select * from automatic) known
    order by (source = 'manual') desc limit 1`);
}

/** The rate from one currency to another at an instant; the inverse of the other direction only where this one is missing. */
export async function rateAt(ctx: Ctx, base: string, quote: string, at: string): Promise<KnownRate | undefined> {
  if (base === quote) return { rate: '1', rateId: null, asOf: at, source: 'manual' };
  const known = await direct(ctx, base, quote, at);
  if (known) return known;
  const other = await direct(ctx, quote, base, at);
  if (!other) return undefined;
  return { ...other, rate: invertRate(other.rate) };
}

/** A warning for a rate that is older than the shop allows. */
export function ageWarning(ctx: Ctx, known: KnownRate): Warning[] {
  const hours = (ctx.clock.ms() - Date.parse(known.asOf)) / 3_600_000;
  const { maxAgeHours } = ctx.settings(settings);
  if (known.source === 'manual' || hours <= maxAgeHours) return [];
  ctx.log.warn({ plugin: 'currencies', hours: Math.round(hours) }, 'an exchange rate is old');
  return [{ code: 'rate_outdated', message: `The rate is ${Math.round(hours)} hours old.` }];
}

export const unavailable = (source: string) =>
  problem('unavailable', { detail: `${source} did not respond. The rates are unchanged.`, retryAfter: 600 });
