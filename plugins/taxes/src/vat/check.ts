import { type Ctx, f, http, type Job, type JobData, sql, table, uuidv7 } from '@storeloom/plugin-sdk';
import { ownVat } from '../home.ts';
import { queued } from '../queued.ts';
import { settings } from '../settings.ts';
import { inRegister, type ParsedVat, parseVat } from './number.ts';
import { type RegisterAnswer, vies } from './vies.ts';

/** The last answer of the register for a number. An order keeps its own copy. */
export const vatCheck = table('vat-check', {
  number: f.text({ max: 20 }).unique(),
  country: f.text({ max: 2 }),
  status: f.oneOf(['valid', 'invalid']),
  name: f.text({ max: 500 }).optional(),
  consultationNumber: f.text({ max: 60 }).optional(),
  checkedAt: f.instant(),
});

export interface VatAnswer extends RegisterAnswer {
  checkedAt: string;
}

const hour = 3_600_000;
/** How long an answer counts. */
const freshMs = 24 * hour;
const keptMs = 30 * 24 * hour;
/** Checks a minute that carts of a shop may cause: the register blocks who asks too often. */
const maxBackgroundChecks = 30;

const since = (ctx: Ctx, ms: number): string => new Date(ctx.clock.ms() - ms).toISOString();

/** A fresh answer from the cache. In the caller's transaction. */
export async function knownCheck(ctx: Ctx, { number }: ParsedVat): Promise<VatAnswer | undefined> {
  return ctx.db.first<VatAnswer>(sql`
    select status, name, consultation_number as "consultationNumber", checked_at as "checkedAt" from taxes_vat_check
    where tenant_id = ${ctx.tenant.id} and number = ${number} and checked_at > ${since(ctx, freshMs)}`);
}

/** Who asks for a number that is being asked for already waits for the same answer. */
const inFlight = new Map<string, Promise<VatAnswer>>();

/** Asks the cache, then the register. No transaction may be open: an answer may take seconds. */
export async function checkVat(ctx: Ctx, vat: ParsedVat): Promise<VatAnswer> {
  const now = ctx.clock.now();
  if (!vat.formatValid) return { status: 'invalid', name: null, consultationNumber: null, checkedAt: now };
  const known = await ctx.transaction((inner) => knownCheck(inner, vat), { readOnly: true });
  if (known) return known;
  const key = `${ctx.tenant.id} ${vat.number}`;
  const running = inFlight.get(key) ?? ask(ctx, vat).finally(() => inFlight.delete(key));
  inFlight.set(key, running);
  return running;
}

async function ask(ctx: Ctx, vat: ParsedVat): Promise<VatAnswer> {
  const checkedAt = ctx.clock.now();
  const { viesUrl } = ctx.settings(settings);
  if (viesUrl === null || !inRegister(vat)) return { status: 'unavailable', name: null, consultationNumber: null, checkedAt };
  const register = vies({ http: ctx.require(http), log: ctx.log, baseUrl: viesUrl });
  const requester = await ctx.transaction((inner) => ownVat(inner), { readOnly: true });
  const answer = await register.check(vat, requester);
  const { status, name, consultationNumber } = answer;
  if (status !== 'unavailable')
    await ctx.transaction((inner) =>
      inner.db.run(sql`
        insert into taxes_vat_check (tenant_id, id, number, country, status, name, consultation_number, checked_at, created_at, updated_at)
        values (${inner.tenant.id}, ${uuidv7(inner.clock.ms())}, ${vat.number}, ${vat.country}, ${status}, ${name}, ${consultationNumber}, ${checkedAt}, ${checkedAt}, ${checkedAt})
        on conflict (tenant_id, number) do update set status = excluded.status, name = excluded.name,
          consultation_number = excluded.consultation_number, checked_at = excluded.checked_at, updated_at = excluded.updated_at,
          version = taxes_vat_check.version + 1`),
    );
  return { ...answer, checkedAt };
}

/** When carts last had a number asked for, by tenant and number: while the register is away, not every look at a cart asks again. */
const requestedAt = new Map<string, number>();
const requestPause = 60_000;

function wasRequested(ctx: Ctx, { number }: ParsedVat): boolean {
  const now = ctx.clock.ms();
  const key = `${ctx.tenant.id} ${number}`;
  const before = requestedAt.get(key);
  if (before !== undefined && now - before < requestPause && before <= now) return true;
  for (const [known, at] of requestedAt) if (requestedAt.size > 1000 || now - at >= requestPause) requestedAt.delete(known);
  requestedAt.set(key, now);
  return false;
}

/** Has the number of a cart checked in the background, so that its answer is there when the order is placed. */
export async function requestCheck(ctx: Ctx, vat: ParsedVat): Promise<void> {
  if (ctx.settings(settings).viesUrl === null || !inRegister(vat)) return;
  const state = await ctx.db.first<{ writable: boolean; recent: number }>(sql`
    select current_setting('transaction_read_only') = 'off' as writable,
      (select count(*)::int from taxes_vat_check where tenant_id = ${ctx.tenant.id} and checked_at > ${since(ctx, 60_000)}) as recent`);
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
  await ctx.db.run(sql`delete from taxes_vat_check where tenant_id = ${ctx.tenant.id} and checked_at < ${since(ctx, keptMs)}`);
}
