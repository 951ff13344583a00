import { type Ctx, f, http, type ListQuery, list, problem, type RowOf, route, sql, table, uuidv7 } from '@storeloom/plugin-sdk';
import { addDays, civilDate } from '@storeloom/plugin-sdk/time';
import { unavailable } from './fx-rate.ts';
import { settings } from './settings.ts';
import { dropShown } from './shown-prices.ts';
import { maxDocument, type PublishedRates, parseBnr, parseEcb } from './sources.ts';

type AutomaticSource = 'bnr' | 'ecb';

export const fxRefresh = table(
  'fx-refresh',
  {
    source: f.oneOf(['bnr', 'ecb']),
    status: f.oneOf(['ok', 'unchanged', 'failed']),
    count: f.int().default(0),
    error: f.text({ max: 500 }).optional(),
    startedAt: f.instant(),
    finishedAt: f.instant(),
  },
  { sqlOnly: { currencies_fx_refresh_created_idx: 'descending: newest first' }, appendOnly: true },
);

interface Outcome {
  source: AutomaticSource;
  status: 'ok' | 'unchanged' | 'failed';
  count: number;
  error: string | null;
}

/** Banks are at most a day ahead of UTC. What is further away would stand before the rates of all days until then. */
const daysAhead = 3;

async function fetchRates(ctx: Ctx, source: AutomaticSource): Promise<PublishedRates> {
  const { bnrUrl, ecbUrl } = ctx.settings(settings);
  const answer = await ctx.require(http).fetch(source === 'bnr' ? bnrUrl : ecbUrl, { timeoutMs: 10_000, maxBytes: maxDocument });
  if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
  const published = (source === 'bnr' ? parseBnr : parseEcb)(answer.body.toString('utf8'));
  if (published.date > addDays(civilDate(ctx.clock.now(), 'UTC'), daysAhead))
    throw new Error(`the rates are of ${published.date}, a day that is still to come`);
  return published;
}

/** One source: fetched outside any transaction, stored in one. Once a day; again that day nothing is done. */
async function refreshSource(ctx: Ctx, source: AutomaticSource): Promise<Outcome> {
  const startedAt = ctx.clock.now();
  const done = await ctx.transaction(
    (inner) =>
      inner.db.first(
        sql`select 1 from currencies_fx_refresh where tenant_id = ${ctx.tenant.id} and source = ${source} and status = 'ok' and (created_at at time zone ${ctx.tenant.timezone})::date = (${startedAt}::timestamptz at time zone ${ctx.tenant.timezone})::date`,
      ),
    { readOnly: true },
  );
  if (done) return { source, status: 'unchanged', count: 0, error: null };
  const record = async (inner: Ctx, outcome: Pick<Outcome, 'status' | 'count' | 'error'>): Promise<Outcome> => {
    await inner.rows(fxRefresh).insert({ source, ...outcome, startedAt, finishedAt: inner.clock.now() });
    return { source, ...outcome };
  };
  try {
    const { date, rates } = await fetchRates(ctx, source);
    return await ctx.transaction(async (inner) => {
      let count = 0;
      for (const { base, quote, rate } of rates)
        count +=
          await inner.db.run(sql`insert into currencies_fx_rate (tenant_id, id, base, quote, rate, source, as_of, created_at)
          values (${inner.tenant.id}, ${uuidv7(inner.clock.ms())}, ${base}, ${quote}, ${rate}, ${source}, ${`${date}T00:00:00Z`}, ${inner.clock.now()}) on conflict do nothing`);
      if (count > 0) dropShown(inner);
      return record(inner, { status: count === 0 ? 'unchanged' : 'ok', count, error: null });
    });
  } catch (cause) {
    // An error of one source is logged, and the next one is requested.
    const error = (cause instanceof Error ? cause.message : String(cause)).slice(0, 500);
    ctx.log.warn({ plugin: 'currencies', source, err: cause }, 'exchange rates could not be fetched');
    return ctx.transaction((inner) => record(inner, { status: 'failed', count: 0, error }));
  }
}

export async function refreshAll(ctx: Ctx): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const source of ctx.settings(settings).sources) outcomes.push(await refreshSource(ctx, source));
  return outcomes;
}

export const refresh = route(
  'POST',
  '/fx-rates/refresh',
  {
    permission: 'currencies.fx-rate.refresh',
    summary: "Fetch today's rates; once a day and source",
    transaction: 'none',
    response: { results: f.list(f.object({ source: f.text(), status: f.text(), count: f.int(), error: f.text().optional() })) },
    problems: ['unavailable', 'provider_not_configured'],
  },
  async (ctx) => {
    if (ctx.settings(settings).sources.length === 0) throw problem('provider_not_configured', { provider: 'currencies' });
    const results = await refreshAll(ctx);
    const failed = results.find((result) => result.status === 'failed');
    if (failed && results.every((result) => result.status === 'failed')) throw unavailable(failed.source);
    return { results };
  },
);

const log = list({
  defaultSort: '-createdAt',
  filters: {
    source: { field: f.oneOf(['bnr', 'ecb']) },
    status: { field: f.oneOf(['ok', 'unchanged', 'failed']) },
  },
  sorts: { createdAt: { column: 't.created_at', type: 'timestamptz' } },
});
const fetchShape = {
  id: f.id(),
  source: f.text(),
  status: f.text(),
  count: f.int(),
  error: f.text().optional(),
  startedAt: f.instant(),
  finishedAt: f.instant(),
};
export const refreshLog = route(
  'GET',
  '/fx-refresh-log/',
  {
    permission: 'currencies.fx-rate.read',
    summary: 'Fetches of rates, newest first',
    query: log,
    response: fetchShape,
    list: true,
  },
  (ctx, req) =>
    log.run<RowOf<typeof fetchShape>>(ctx, req.query as ListQuery, {
      select: sql`t.id, t.source, t.status, t.count, t.error, t.started_at as "startedAt", t.finished_at as "finishedAt"`,
      from: sql`currencies_fx_refresh t`,
      where: sql`t.tenant_id = ${ctx.tenant.id}`,
    }),
);
