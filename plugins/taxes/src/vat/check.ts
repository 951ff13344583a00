import { type Ctx, f, http, type Job, type JobData, sql, table, uuidv7 } from '@storeloom/plugin-sdk';
import { shopVat } from '../home.ts';
import { queued } from '../queued.ts';
import { settings } from '../settings.ts';
import { isInRegister, type ParsedVat, parseVat } from './number.ts';
import { type RegisterResult, vies } from './vies.ts';

/** The last VIES result of a number. An order keeps its own copy. */
export const vatCheck = table(
  'vat-check',
  {
    number: f.text({ max: 20 }).unique(),
    country: f.text({ max: 2 }),
    status: f.oneOf(['valid', 'invalid']),
    name: f.text({ max: 500 }).optional(),
    consultationNumber: f.text({ max: 60 }).optional(),
    checkedAt: f.instant(),
  },
  { uniques: [{ fields: ['number'] }], indexes: [{ name: 'taxes_vat_check_checked_idx', fields: ['checkedAt'] }] },
);

export interface VatCheckResult extends RegisterResult {
  checkedAt: string;
}

const hour = 3_600_000;
/** How long a result is valid. */
const freshMs = 24 * hour;
const keptMs = 30 * 24 * hour;
/** Maximum number of checks for carts and orders a minute and shop: VIES blocks frequent requesters. */
const maxBackgroundChecks = 30;

const timeBefore = (ctx: Ctx, ms: number): string => new Date(ctx.clock.ms() - ms).toISOString();

/** A valid cached result. Runs in the caller's transaction. */
export async function cachedCheck(ctx: Ctx, { number }: ParsedVat): Promise<VatCheckResult | undefined> {
  return ctx.db.first<VatCheckResult>(sql`
    select status, name, consultation_number as "consultationNumber", checked_at as "checkedAt" from taxes_vat_check
    where tenant_id = ${ctx.tenant.id} and number = ${number} and checked_at > ${timeBefore(ctx, freshMs)}`);
}

/** Concurrent checks of one number share a request. */
const inFlight = new Map<string, Promise<VatCheckResult>>();

/** Checks the cache, then VIES. No transaction may be open: a response may take seconds. */
export async function checkVat(ctx: Ctx, vat: ParsedVat): Promise<VatCheckResult> {
  const now = ctx.clock.now();
  if (!vat.formatValid) return { status: 'invalid', name: null, consultationNumber: null, checkedAt: now };
  const known = await ctx.transaction((inner) => cachedCheck(inner, vat), { readOnly: true });
  if (known) return known;
  const key = `${ctx.tenant.id} ${vat.number}`;
  const running = inFlight.get(key) ?? requestFromRegister(ctx, vat).finally(() => inFlight.delete(key));
  inFlight.set(key, running);
  return running;
}

async function requestFromRegister(ctx: Ctx, vat: ParsedVat): Promise<VatCheckResult> {
  const checkedAt = ctx.clock.now();
  const { viesUrl } = ctx.settings(settings);
  if (viesUrl === null || !isInRegister(vat)) return { status: 'unavailable', name: null, consultationNumber: null, checkedAt };
  const register = vies({ http: ctx.require(http), log: ctx.log, baseUrl: viesUrl });
  const requester = await ctx.transaction((inner) => shopVat(inner), { readOnly: true });
  const result = await register.check(vat, requester);
  if (result.status !== 'unavailable') await ctx.transaction((inner) => storeCheck(inner, vat, { ...result, checkedAt }));
  return { ...result, checkedAt };
}

async function storeCheck(ctx: Ctx, vat: ParsedVat, result: VatCheckResult): Promise<void> {
  const { status, name, consultationNumber, checkedAt } = result;
  await ctx.db.run(sql`
    insert into taxes_vat_check (tenant_id, id, number, country, status, name, consultation_number, checked_at, created_at, updated_at)
    values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${vat.number}, ${vat.country}, ${status}, ${name}, ${consultationNumber}, ${checkedAt}, ${checkedAt}, ${checkedAt})
    on conflict (tenant_id, number) do update set status = excluded.status, name = excluded.name,
      consultation_number = excluded.consultation_number, checked_at = excluded.checked_at, updated_at = excluded.updated_at,
      version = taxes_vat_check.version + 1`);
}

/** How long the placing of an order waits for the register. */
const placingWaitMs = 3000;
/** Concurrent orders with one number share a request. */
const placing = new Map<string, Promise<RegisterResult>>();

/**
 * Checks the number of an order that is being placed, with no transaction open and a bounded wait. If the register doesn't respond in
 * time the number is `unavailable`, and a check in the background is requested.
 */
export async function checkForOrder(ctx: Ctx, vat: ParsedVat): Promise<VatCheckResult> {
  const checkedAt = ctx.clock.now();
  const { viesUrl } = ctx.settings(settings);
  if (viesUrl === null || !isInRegister(vat) || (await recentChecks(ctx)) >= maxBackgroundChecks)
    return { status: 'unavailable', name: null, consultationNumber: null, checkedAt };
  const register = vies({ http: ctx.require(http), log: ctx.log, baseUrl: viesUrl, timeoutMs: placingWaitMs });
  const requester = await shopVat(ctx);
  const key = `${ctx.tenant.id} ${vat.number}`;
  const result = await ctx.withoutTransaction(`vat ${vat.number}`, () => {
    const running = placing.get(key) ?? register.check(vat, requester).finally(() => placing.delete(key));
    placing.set(key, running);
    return running;
  });
  if (result.status === 'unavailable') await requestCheck(ctx, vat);
  else await storeCheck(ctx, vat, { ...result, checkedAt });
  return { ...result, checkedAt };
}

/** Number of checks of the last minute. */
async function recentChecks(ctx: Ctx): Promise<number> {
  const row = await ctx.db.first<{ n: number }>(
    sql`select count(*)::int as n from taxes_vat_check where tenant_id = ${ctx.tenant.id} and checked_at > ${timeBefore(ctx, 60_000)}`,
  );
  return row?.n ?? 0;
}

/** Last background request by tenant and number, so that repeated pricing doesn't repeat requests while VIES is unavailable. */
const requestedAt = new Map<string, number>();
const minRequestIntervalMs = 60_000;

function wasRequested(ctx: Ctx, { number }: ParsedVat): boolean {
  const now = ctx.clock.ms();
  const key = `${ctx.tenant.id} ${number}`;
  const before = requestedAt.get(key);
  if (before !== undefined && now - before < minRequestIntervalMs && before <= now) return true;
  for (const [known, at] of requestedAt)
    if (requestedAt.size > 1000 || now - at >= minRequestIntervalMs) requestedAt.delete(known);
  requestedAt.set(key, now);
  return false;
}

/** Checks the number of a cart in the background, so that the result is available when the order is placed. */
export async function requestCheck(ctx: Ctx, vat: ParsedVat): Promise<void> {
  if (ctx.settings(settings).viesUrl === null || !isInRegister(vat)) return;
  const state = await ctx.db.first<{ writable: boolean; recent: number }>(sql`
    select current_setting('transaction_read_only') = 'off' as writable,
      (select count(*)::int from taxes_vat_check where tenant_id = ${ctx.tenant.id} and checked_at > ${timeBefore(ctx, 60_000)}) as recent`);
  if (!state?.writable || state.recent >= maxBackgroundChecks || wasRequested(ctx, vat)) return;
  await ctx.enqueue(queued.checkVat, { number: vat.number }, { key: `vat ${vat.number}` });
}

export const checkVatJob: Job<JobData<typeof queued.checkVat>> = {
  transaction: 'none',
  async run(ctx, { number }) {
    await checkVat(ctx, parseVat(number));
  },
};

export async function purgeChecks(ctx: Ctx): Promise<void> {
  await ctx.db.run(
    sql`delete from taxes_vat_check where tenant_id = ${ctx.tenant.id} and checked_at < ${timeBefore(ctx, keptMs)}`,
  );
}
