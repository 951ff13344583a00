import type { Plugin } from '@storeloom/plugin-sdk';
import { TestClient, type TestResponse } from '../shop/client.ts';
import type { TestShop } from '../shop/shop.ts';

/**
 * Runs simultaneous calls, alternating between processes: `crowd(shop.bases, 50, (at) => at(shop.a.guest).post(path, body))`. `bases` are those
 * of the test's kernels (`testShop({ processes: 2 })`) or of separate processes.
 */
export async function crowd<R>(
  bases: readonly string[],
  size: number,
  call: (at: (client: TestClient) => TestClient, i: number) => Promise<R>,
): Promise<{ answers: R[]; seconds: number }> {
  const started = performance.now();
  const answers = await Promise.all(
    Array.from({ length: size }, (_, i) => call((client) => client.at(bases[i % bases.length] as string), i)),
  );
  return { answers, seconds: (performance.now() - started) / 1000 };
}

/** How often each answer was given: `{ '201': 1, '409 slot_taken': 49 }`. */
export function tally(answers: readonly Pick<TestResponse<{ code?: unknown }>, 'status' | 'body'>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const name = body?.code === undefined ? `${status}` : `${status} ${body.code}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/**
 * How often processes had to repeat a unit of work, by SQLSTATE: `{}` where nothing met a deadlock (40P01) or a serialisation failure
 * (40001). Callers see nothing of the first repetitions, so a race looks here too.
 */
export async function repeatedUnits(bases: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const base of new Set(bases)) {
    const client = new TestClient(base, 'localhost');
    const { status, text } = await client.get<string>('/metrics');
    await client.close();
    if (status !== 200) throw new Error(`the metrics of ${base} answered ${status}`);
    for (const [, sqlstate, n] of text.matchAll(/^db_tx_retries_total\{sqlstate="(\w+)"\} (\d+)$/gm))
      counts[sqlstate as string] = (counts[sqlstate as string] ?? 0) + Number(n);
  }
  return counts;
}

/**
 * Runs a job of a plugin now, at the time of the shop's clock: `shop.clock.advance(16 * 60_000); await runJob(shop, plugin, 'lapse')`.
 * A job of one tenant runs for the first shop.
 */
export async function runJob(shop: TestShop, plugin: Plugin, name: string, data: Record<string, unknown> = {}): Promise<void> {
  const job = plugin.jobs?.[name];
  if (!job) throw new Error(`${plugin.name} has no job ${name}`);
  if (job.platform) await shop.kernel.asPlatform(plugin.name, (ctx) => job.run(ctx, data));
  else await shop.a.run(plugin.name, (ctx) => job.run(ctx, data), job.transaction === 'none' ? { transaction: 'none' } : {});
}
