// Cost of a hook: a call with empty taps, compared with a loop that awaits the same functions.
// `node bench/hooks.ts [--rounds 9]`
import { parseArgs } from 'node:util';
import { type AnyHook, bail, type Ctx, collect, series, waterfall } from '@storeloom/plugin-sdk';
import { scopeFor } from '../packages/core/src/context/create-units.ts';
import { Hooks } from '../packages/core/src/hooks/hooks.ts';
import type { Tap } from '../packages/core/src/hooks/tap.ts';
import { createMetrics } from '../packages/core/src/observability/metrics.ts';

const rounds = Number(parseArgs({ options: { rounds: { type: 'string', default: '9' } } }).values.rounds);
const calls = 20_000;
const taps = 10;

const metrics = createMetrics({ version: 'bench', onSourceError: () => undefined });
const ctx = {} as Ctx;
const scope = scopeFor(undefined, { actor: { type: 'system', reason: 'bench' } });
const host = {
  contextOf: () => ctx,
  passes: () => false,
  stateOfTap: () => undefined,
  onFault: () => undefined,
  onTap: (plugin: string, hook: string, seconds: number) => metrics.hook(plugin, hook, seconds),
};

/** Microseconds per call, median of the rounds. */
async function measure(call: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < calls; i++) await call();
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    for (let i = 0; i < calls; i++) await call();
    times.push(((performance.now() - started) / calls) * 1000);
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] as number;
}

const bodies: Record<string, (ctx: Ctx, input: unknown) => unknown> = {
  async: async (_, input) => input,
  'async, waits': async (_, input) => {
    await null;
    return input;
  },
  sync: (_, input) => input,
};
const hooks: AnyHook[] = [
  waterfall<number>('bench:waterfall'),
  series<number>('bench:series'),
  collect<number, number>('bench:collect'),
  bail<number, number>('bench:bail'),
];

const rows: Record<string, Record<string, string>> = {};
for (const [name, body] of Object.entries(bodies)) {
  const loop = async (): Promise<unknown> => {
    let value: unknown = 1;
    for (let i = 0; i < taps; i++) value = await body(ctx, value);
    return value;
  };
  const row: Record<string, string> = { loop: (await measure(loop)).toFixed(2) };
  for (const hook of hooks) {
    // Returns nothing to collect, and nothing that ends a `bail` call early.
    const fn: Tap['fn'] = hook.kind === 'waterfall' ? body : (c, input) => silent(body(c, input));
    const list = Array.from({ length: taps }, (_, i): Tap => ({ plugin: `plugin-${i}`, stage: 50, fn }));
    const table = new Hooks({ host, taps: new Map([[hook.id, list]]) });
    row[hook.kind] = (await measure(() => table.call(hook, 1, { plugin: 'bench', scope }))).toFixed(2);
  }
  rows[name] = row;
}
console.log(`µs a call of ${taps} taps, median of ${rounds} rounds of ${calls} calls`);
console.table(rows);

function silent(result: unknown): unknown {
  return result instanceof Promise ? result.then(() => undefined) : undefined;
}
