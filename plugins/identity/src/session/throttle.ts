import { setImmediate, setTimeout } from 'node:timers/promises';
import { type PlatformCtx, rateLimits, sql } from '@storeloom/plugin-sdk';

/** After this long without a try the count starts again. Seconds. */
const remembered = 900;
const free = 3;
const first = 250;
const most = 5000;

/** Returns the delay in milliseconds before the nth consecutive attempt: 0, 0, 0, 250, 500, … 5000. Accounts are never locked. */
export function delayOf(attempts: number): number {
  return attempts <= free ? 0 : Math.min(most, first * 2 ** (attempts - free - 1));
}

/** Key of an address, known or not; the address itself isn't stored. */
export function throttleKey(ctx: PlatformCtx, audience: string, tenantId: string | null, email: string): string {
  return ctx.sign('sign-in', `${audience} ${tenantId ?? ''} ${email}`);
}

/** Counts a try before it is looked at, so that tries in parallel slow each other down. Gives the delay in milliseconds. */
export async function countTry(ctx: PlatformCtx, key: string): Promise<number> {
  const factor = ctx.require(rateLimits).factor;
  if (factor === 0) return 0;
  const now = ctx.clock.now();
  const row = await ctx.db.first<{
    attempts: number;
  }>(sql`insert into identity_throttle as t (key, attempts, last_at) values (${key}, 1, ${now})
    on conflict (key) do update set attempts = case when t.last_at < ${now}::timestamptz - make_interval(secs => ${remembered}) then 1 else least(t.attempts + 1, 1000) end, last_at = ${now}
    returning attempts`);
  return delayOf((row?.attempts ?? 1) / factor);
}
export async function forgive(ctx: PlatformCtx, key: string): Promise<void> {
  await ctx.db.run(sql`delete from identity_throttle where key = ${key}`);
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return;
  try {
    await setTimeout(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Answers no sooner than `ms` after the call, or a whole number of them later: what the work took doesn't show. */
export async function evenly<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await work();
  } finally {
    await nextBeat(started, ms);
  }
}

/** Waits until a whole number of `ms` has passed since `started`, to a few hundredths of a millisecond: timers know only whole ones. */
export async function nextBeat(started: number, ms: number): Promise<void> {
  const target = started + Math.ceil((performance.now() - started) / ms) * ms;
  const rest = target - performance.now();
  if (rest > 2) await setTimeout(rest - 2);
  while (performance.now() < target) await setImmediate();
}
