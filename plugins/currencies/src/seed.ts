import { type Ctx, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { ensureBase } from './currency.ts';
import { fxRate } from './fx-rate.ts';

/** The euro beside the shop's own currency, at a round rate set by hand. */
export async function seedCurrencies(ctx: Ctx): Promise<void> {
  await ensureBase(ctx);
  if (ctx.tenant.currency !== 'RON') return;
  const now = ctx.clock.now();
  const added = await ctx.db.run(
    sql`insert into currencies_currency (tenant_id, id, code, symbol, created_at, updated_at) values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, 'EUR', '€', ${now}, ${now}) on conflict (tenant_id, code) do nothing`,
  );
  if (added > 0) await ctx.rows(fxRate).insert({ base: 'RON', quote: 'EUR', rate: '0.2', source: 'manual', asOf: now });
}
