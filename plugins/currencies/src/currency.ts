import { currencyUses } from '@storeloom/commerce';
import { type Ctx, f, noContent, notFound, problem, reply, resource, route, sql, token, uuidv7 } from '@storeloom/plugin-sdk';
import { currencyOf, isCurrency } from '@storeloom/plugin-sdk/money';
import { pick } from '@storeloom/plugin-sdk/public';
import type { workspace } from '@storeloom/plugin-workspace/contract';
import { currencyEvents } from './events.ts';
import { dropShown } from './shown-prices.ts';

/** Currencies of the shop. The base is the tenant's own currency; it always has a row. */
export const currency = resource('currency', {
  path: 'currencies',
  verbs: ['list'],
  defaultSort: 'code',
  fields: {
    code: f.text({ max: 3 }).unique().filter().sort(),
    symbol: f.text({ max: 8 }).optional(),
    enabled: f.bool().default(true).filter(),
    roundingStep: f.int({ min: 1, max: 100_000 }).optional(),
    isBase: f.bool().default(false).virtual(),
    exponent: f.int().readonly().virtual(),
    name: f.text().readonly().virtual(),
  },
  uniques: [{ fields: ['code'] }],
  present: (ctx, rows) => rows.map((row) => ({ ...row, ...facts(ctx, row.code) })),
});

function facts(ctx: Ctx, code: string): { isBase: boolean; exponent: number; name: string } {
  const { exponent, name } = currencyOf(code);
  return { isBase: code === ctx.tenant.currency, exponent, name };
}

/** The row of the base, made when it is first needed. */
export async function ensureBase(ctx: Ctx): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.run(
    sql`insert into currencies_currency (tenant_id, id, code, created_at, updated_at) values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${ctx.tenant.currency}, ${now}, ${now}) on conflict (tenant_id, code) do nothing`,
  );
}

export interface EnabledCurrency {
  code: string;
  exponent: number;
  isBase: boolean;
  roundingStep: number | null;
}
export async function enabledCurrencies(ctx: Ctx): Promise<EnabledCurrency[]> {
  const rows = await ctx.db.rows<{ code: string; roundingStep: number | null }>(
    sql`select code, rounding_step as "roundingStep" from currencies_currency where tenant_id = ${ctx.tenant.id} and enabled order by code`,
  );
  const known = rows.some((row) => row.code === ctx.tenant.currency)
    ? rows
    : [{ code: ctx.tenant.currency, roundingStep: null }, ...rows];
  return known.map((row) => ({
    code: row.code,
    roundingStep: row.roundingStep,
    exponent: currencyOf(row.code).exponent,
    isBase: row.code === ctx.tenant.currency,
  }));
}

const currencyShape = {
  id: f.id(),
  code: f.text(),
  symbol: f.text().optional(),
  enabled: f.bool(),
  isBase: f.bool(),
  roundingStep: f.int().optional(),
  exponent: f.int(),
  name: f.text(),
  version: f.int(),
};

export const putCurrency = route(
  'POST',
  '/currencies/',
  {
    permission: 'currencies.currency.create',
    summary: 'Add a currency, or change the one with this code',
    body: {
      code: f.text({ max: 3 }).example('SEK'),
      symbol: f.text({ max: 8 }).optional(),
      enabled: f.bool().default(true),
      isBase: f.bool().default(false),
      roundingStep: f.int({ min: 1, max: 100_000 }).optional(),
    },
    response: currencyShape,
    status: 201,
    otherResponses: { 200: currencyShape },
    problems: ['base_currency_locked'],
  },
  async (ctx, req) => {
    const code = req.body.code.toUpperCase();
    if (!isCurrency(code) || currencyOf(code).withdrawn !== null)
      throw problem('validation_failed', {
        errors: [{ pointer: '/code', code: 'invalid', message: 'is not an active ISO 4217 code' }],
      });
    const isBase = code === ctx.tenant.currency;
    if (!req.body.enabled && (isBase || req.body.isBase))
      throw problem('validation_failed', {
        errors: [{ pointer: '/enabled', code: 'invalid', message: "the shop's base currency can't be disabled" }],
      });
    await ensureBase(ctx);
    const { symbol, enabled, roundingStep } = req.body;
    const rows = ctx.rows(currency);
    const before = await rows.first({ code }, { lock: true });
    const after = before
      ? await rows.update(before.id, { symbol, enabled, roundingStep })
      : await rows.insert({ code, symbol, enabled, roundingStep });
    await ctx.audit({ entity: 'currencies.currency', entityId: after.id, before: before ?? null, after });
    dropShown(ctx);
    await ctx.emit(before ? currencyEvents.updated : currencyEvents.created, { id: after.id, data: { id: after.id } });
    if (req.body.isBase && !isBase) await ctx.require(token<typeof workspace>('workspace:workspace')).setCurrency(code);
    const shown = {
      ...pick(after, ['id', 'code', 'symbol', 'enabled', 'roundingStep', 'version']),
      ...facts(ctx, code),
      isBase: isBase || req.body.isBase,
    };
    return reply(before ? 200 : 201, shown, before ? {} : { location: `/currencies/${code}` });
  },
);

/** Returns the uses of the currency by plugins that store amounts in it. */
async function usesOf(ctx: Ctx, code: string): Promise<Record<string, number>> {
  const uses = await ctx.call(currencyUses, { code });
  return Object.fromEntries(uses.filter((use) => use.count > 0).map((use) => [use.path, use.count]));
}

export const removeCurrency = route(
  'DELETE',
  '/currencies/{code}',
  {
    permission: 'currencies.currency.delete',
    summary: 'Remove a currency that nothing uses',
    params: { code: f.text({ max: 3 }) },
    status: 204,
    problems: ['in_use'],
  },
  async (ctx, req) => {
    const code = (req.params.code as string).toUpperCase();
    const row = await ctx.rows(currency).first({ code }, { lock: true });
    if (!row && code !== ctx.tenant.currency) throw notFound();
    if (code === ctx.tenant.currency)
      throw problem('in_use', {
        detail: "The shop's base currency can't be disabled or removed. Change the base currency first.",
        counts: { base: 1 },
      });
    const counts = await usesOf(ctx, code);
    if (Object.keys(counts).length > 0)
      throw problem('in_use', { detail: 'The currency is in use. Disable it instead.', counts });
    await ctx.rows(currency).remove((row as { id: string }).id);
    dropShown(ctx);
    await ctx.audit({ entity: 'currencies.currency', entityId: (row as { id: string }).id, before: row ?? null, after: null });
    return noContent();
  },
);
