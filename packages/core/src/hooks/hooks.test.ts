import { type AnyHook, bail, type Ctx, collect, type HookObserver, series, waterfall } from '@storeloom/plugin-sdk';
import { beforeEach, describe, expect, test } from 'vitest';
import { scopeFor } from '../context/create-units.ts';
import { initialState, type Scope } from '../context/scope.ts';
import { HookError } from './hook-error.ts';
import { Hooks } from './hooks.ts';
import type { HookHost, Interception, Tap } from './tap.ts';

const faults: string[] = [];
const off = new Set<string>();
const host: HookHost = {
  contextOf: (plugin) => (off.has(plugin) ? undefined : ({ plugin } as Ctx)),
  passes: (error) => error === passing,
  stateOfTap: (plugin, hook) => (hook === 'test:guarded' && plugin === 'stock' ? 'failed' : undefined),
  onFault: (plugin, _, error) => void faults.push(`${plugin}: ${(error as Error | undefined)?.message}`),
};
const passing = new Error('passes');
const scope: Scope = {
  ...scopeFor(undefined, { actor: { type: 'system', reason: 'test' }, requestId: 'r' }),
  ...initialState(),
  on: (plugin) => !off.has(plugin),
};
beforeEach(() => {
  faults.length = 0;
  off.clear();
});

type TapValue = Omit<Tap, 'fn' | 'stage'> & { stage?: number; fn: (input: never, ctx: Ctx) => unknown };
function hooksOf(hook: AnyHook, taps: readonly TapValue[], interceptions: readonly Interception[] = []): Hooks {
  const list = taps.map(({ fn, ...tap }): Tap => ({ stage: 50, ...tap, fn: (ctx, input) => fn(input as never, ctx) }));
  return new Hooks({ host, taps: new Map([[hook.id, list]]), interceptions });
}
const call = (hook: AnyHook, taps: readonly TapValue[], input: unknown = 0): Promise<unknown> =>
  hooksOf(hook, taps).call(hook, input, { plugin: 'owner', scope });
const named = (fns: Record<string, (input: never) => unknown>): TapValue[] =>
  Object.entries(fns).map(([plugin, fn]) => ({ plugin, fn }));

const after = <T>(ms: number, value: T): Promise<T> => new Promise((resolve) => setTimeout(resolve, ms, value));
const never = (): Promise<never> => new Promise(() => undefined);
/** Can be awaited and is no promise, as query builders are. */
const thenable = (then: (resolve: (value: unknown) => void, reject: (error: Error) => void) => void): unknown => ({ then });
const late = (plugin: string, hook: string, ms: number): string =>
  `${plugin} missed the deadline of hook ${hook} (${ms} ms); its context is closed`;

describe('a plugin that is on and not ready', () => {
  const lacking: Scope = { ...scope, unavailable: new Set(['search', 'stock']) };
  const calling = (hook: AnyHook, of: Scope): Promise<unknown> =>
    hooksOf(hook, named({ a: () => ['a'] })).call(hook, 0, { plugin: 'owner', scope: of });

  test('fails a hook with the policy `fail` that it taps', async () => {
    const guarded = collect<number, string>('test:guarded');
    await expect(calling(guarded, lacking)).rejects.toMatchObject({
      code: 'plugin_unavailable',
      extra: { plugin: 'stock', state: 'failed' },
    });
    expect(await calling(guarded, { ...scope, unavailable: new Set(['search']) })).toEqual(['a']);
    expect(await calling(collect<number, string>('test:other'), lacking)).toEqual(['a']);
  });

  test('is left out of a hook with the policy `skip`', async () => {
    expect(await calling(collect<number, string>('test:guarded', { policy: 'skip' }), lacking)).toEqual(['a']);
  });
});

describe('the result of a call', () => {
  test('of a waterfall is the value of the last tap; a tap without a value leaves it', async () => {
    const price = waterfall<number | null>('test:price');
    const taps = { a: (n: number) => n + 1, b: async () => undefined, c: () => null, d: async (n: number) => n * 10 };
    expect(await call(price, named(taps), 1)).toBe(20);
    expect(await call(price, [], 7)).toBe(7);
  });

  test('of a collect has the items of all taps, in their order', async () => {
    const items = collect<number, string>('test:items');
    const taps = named({ a: async (n: number) => [`a${n}`, 'b'], none: () => undefined, c: () => ['c'] });
    expect(await call(items, taps, 1)).toEqual(['a1', 'b', 'c']);
    expect(await call(items, [])).toEqual([]);
  });

  test('of a bail is that of the first tap that has one, null included; later ones don’t run', async () => {
    const found = bail<number, string | null>('test:found');
    const ran: string[] = [];
    const tap = (name: string, value: unknown) => async (): Promise<unknown> => {
      ran.push(name);
      return value;
    };
    expect(await call(found, named({ a: tap('a', undefined), b: tap('b', null), c: tap('c', 'c') }))).toBeNull();
    expect(ran).toEqual(['a', 'b']);
    expect(await call(found, named({ a: tap('a', undefined) }))).toBeUndefined();
  });

  test('of a series is nothing; taps run one after the other', async () => {
    const ran: string[] = [];
    const tap =
      (name: string, ms = 0) =>
      async (): Promise<string> => {
        await after(ms, undefined);
        ran.push(name);
        return name;
      };
    expect(await call(series<number>('test:steps'), named({ a: tap('a', 15), b: tap('b') }))).toBeUndefined();
    expect(ran).toEqual(['a', 'b']);
  });
});

describe('the order of taps', () => {
  const path = waterfall<string>('test:path');
  const tap = (plugin: string, options: Partial<Tap> = {}): TapValue => ({
    plugin,
    ...options,
    fn: (value: string) => `${value} ${plugin}${options.stage ?? ''}`,
  });
  // In the order in which contributions hand them over.
  test.each<[string, TapValue[], string]>([
    ['by stage', [tap('b', { stage: 10 }), tap('a'), tap('c', { stage: 60 })], 'b10 a c60'],
    [
      'before a plugin of a lower stage',
      [tap('a', { stage: 10 }), tap('b', { stage: 20 }), tap('c', { before: ['b'] })],
      'a10 c b20',
    ],
    [
      'before all taps of a plugin, and before the first of several',
      [
        tap('x', { stage: 5 }),
        tap('a', { stage: 10 }),
        tap('b', { stage: 20 }),
        tap('a', { stage: 90 }),
        tap('c', { before: ['b', 'a'] }),
      ],
      'x5 c a10 b20 a90',
    ],
    ['before a plugin that isn’t installed', [tap('a', { stage: 10 }), tap('b', { before: ['absent'] })], 'a10 b'],
  ])('%s', async (_, taps, expected) => {
    expect(await call(path, taps, '')).toBe(` ${expected}`);
  });

  test('leaves out plugins that are off', async () => {
    off.add('b');
    expect(await call(path, [tap('a'), tap('b'), tap('c')], '')).toBe(' a c');
    expect(await call(bail<string, string>('test:first'), [{ plugin: 'b', fn: () => 'b' }], '')).toBeUndefined();
  });
});

describe('a tap that fails', () => {
  const broken = (): never => {
    throw new Error('no');
  };
  test('stops a call of policy `fail` and is blamed by name', async () => {
    const steps = series<number>('test:steps');
    const ran: string[] = [];
    const error = await call(steps, named({ a: () => void ran.push('a'), b: broken, c: () => void ran.push('c') })).catch(
      (e) => e,
    );
    expect(error).toBeInstanceOf(HookError);
    expect(error).toMatchObject({ plugin: 'b', hook: 'test:steps', message: 'b failed in hook test:steps: no' });
    expect((error as HookError).cause).toMatchObject({ message: 'no' });
    expect([ran, faults]).toEqual([['a'], ['b: no']]);
  });

  test.each([undefined, null, 0, ''])('is blamed also where it throws %j', async (thrown) => {
    const steps = series<number>('test:steps');
    await expect(call(steps, named({ a: () => Promise.reject(thrown) }))).rejects.toThrow(HookError);
  });

  test('is left out of a call of policy `skip`', async () => {
    const items = collect<number, string>('test:items', { policy: 'skip' });
    expect(await call(items, named({ a: () => ['a'], b: broken, c: async () => broken(), d: () => ['d'] }))).toEqual(['a', 'd']);
    expect(faults).toEqual(['b: no', 'c: no']);
  });

  test.each(['fail', 'skip'] as const)('with an error that passes ends a call of policy `%s` with it', async (policy) => {
    const value = waterfall<number>('test:value', { policy });
    await expect(call(value, named({ a: () => Promise.reject(passing) }))).rejects.toBe(passing);
    expect(faults).toEqual([]);
  });
});

describe('the deadline of a hook', () => {
  test('is each tap’s own: one that misses it costs the next ones nothing', async () => {
    const pages = collect<number, string>('test:pages', { policy: 'skip', deadline: 100 });
    const quick = { second: () => after(1, ['two']), third: () => after(60, ['three']), fourth: () => after(60, ['four']) };
    expect(await call(pages, named({ first: never, ...quick }))).toEqual(['two', 'three', 'four']);
    expect(faults).toEqual([`first: ${late('first', 'test:pages', 100)}`]);
    expect(await call(pages, named({ ...quick, last: never }))).toEqual(['two', 'three', 'four']);
    expect(faults.slice(1)).toEqual([`last: ${late('last', 'test:pages', 100)}`]);
  });

  test('cuts what can be awaited but is no promise, and takes its result in time', async () => {
    const name = waterfall<string>('test:name', { deadline: 50 });
    await expect(call(name, named({ slow: () => thenable(() => undefined) }), 'a')).rejects.toThrow(
      `slow failed in hook test:name: ${late('slow', 'test:name', 50)}`,
    );
    expect(await call(name, named({ lazy: () => thenable((resolve) => setTimeout(resolve, 1, 'b')) }), 'a')).toBe('b');
    await expect(call(name, named({ broken: () => thenable((_, reject) => reject(new Error('no'))) }), 'a')).rejects.toThrow(
      new HookError('broken', 'test:name', new Error('no')),
    );
  });

  test.each([Number.POSITIVE_INFINITY, 2 ** 31, 1e12])('of %d ms doesn’t expire immediately', async (deadline) => {
    const found = bail<number, string>('test:found', { deadline });
    expect(await call(found, named({ patient: () => after(20, 'there') }))).toBe('there');
  });

  test('ignores the result of a tap after it', async () => {
    const name = waterfall<string>('test:name', { policy: 'skip', deadline: 20 });
    const taps = named({ late: () => after(40, 'late'), next: (value: string) => after(15, `${value}!`) });
    expect(await call(name, taps, 'a')).toBe('a!');
    expect(faults).toEqual([`late: ${late('late', 'test:name', 20)}`]);
  });
});

describe('an observer', () => {
  const recorder = (seen: unknown[]): HookObserver => {
    const ids: object[] = [];
    const idOf = (one: object): number => (ids.includes(one) ? ids.indexOf(one) : ids.push(one) - 1);
    return {
      call: (one) => void seen.push(['call', idOf(one), one]),
      tap: (one, plugin) => void seen.push(['tap', idOf(one), plugin]),
      tapped: (one, { plugin, outcome, seconds }) => void seen.push(['tapped', idOf(one), plugin, outcome, seconds >= 0]),
      done: (one, { outcome, seconds }) => void seen.push(['done', idOf(one), outcome, seconds >= 0]),
    };
  };
  const items = collect<number, string>('test:items', { policy: 'skip', deadline: 20 });
  const taps = named({ a: async () => ['a'], b: () => Promise.reject(new Error('no')), slow: never });
  const expected = (id: number): unknown[] => [
    ['call', id, { hook: 'test:items', plugin: 'owner', tenantId: null, requestId: 'r' }],
    ...[
      ['a', 'succeeded'],
      ['b', 'failed'],
      ['slow', 'timed_out'],
    ].flatMap(([plugin, outcome]) => [
      ['tap', id, plugin],
      ['tapped', id, plugin, outcome, true],
    ]),
    ['done', id, 'succeeded', true],
  ];

  test('sees calls, taps, durations and outcomes of one hook or of all', async () => {
    const one: unknown[] = [];
    const all: unknown[] = [];
    const hooks = hooksOf(items, taps, [
      { plugin: 'trace', hook: 'test:items', observer: recorder(one) },
      { plugin: 'trace', hook: '*', observer: recorder(all) },
      { plugin: 'trace', hook: 'test:other', observer: { call: () => expect.unreachable() } },
    ]);
    for (let i = 0; i < 2; i++) expect(await hooks.call(items, 0, { plugin: 'owner', scope })).toEqual(['a']);
    expect(one).toEqual([...expected(0), ...expected(1)]);
    expect(all).toEqual(one);
  });

  test('is called for a failed call, skipped if its plugin is off, and changes nothing if it throws', async () => {
    const seen: unknown[] = [];
    const steps = series<number>('test:steps');
    const failing = named({ a: () => Promise.reject(new Error('no')) });
    const hooks = hooksOf(steps, failing, [
      { plugin: 'quiet', hook: '*', observer: { call: () => expect.unreachable() } },
      {
        plugin: 'broken',
        hook: '*',
        observer: {
          call() {
            throw new Error('observer');
          },
        },
      },
      { plugin: 'trace', hook: '*', observer: { done: (_, { outcome }) => void seen.push(outcome) } },
    ]);
    off.add('quiet');
    await expect(hooks.call(steps, 0, { plugin: 'owner', scope })).rejects.toThrow(HookError);
    expect(seen).toEqual(['failed']);
    expect(faults).toEqual(['broken: observer', 'a: no']);
  });
});

test('parallel calls of one hook, and a tap that calls another hook, stay separate', async () => {
  const inner = waterfall<string>('test:inner', { deadline: 40 });
  const outer = collect<string, string>('test:outer', { deadline: 200 });
  const hooks: Hooks = new Hooks({
    host,
    taps: new Map([
      ['test:outer', [{ plugin: 'a', stage: 50, fn: async (_: Ctx, input: unknown) => [await nested(input as string)] }]],
      [
        'test:inner',
        [{ plugin: 'b', stage: 50, fn: (_: Ctx, input: unknown) => after(input === 'slow' ? 100 : 10, `${input}!`) }],
      ],
    ]),
  });
  const nested = (input: string): Promise<unknown> => hooks.call(inner, input, { plugin: 'a', scope });
  const [one, two, slow] = await Promise.allSettled(
    ['one', 'two', 'slow'].map((input) => hooks.call(outer, input, { plugin: 'owner', scope })),
  );
  expect([one, two]).toEqual([
    { status: 'fulfilled', value: ['one!'] },
    { status: 'fulfilled', value: ['two!'] },
  ]);
  expect((slow as PromiseRejectedResult).reason).toMatchObject({
    plugin: 'a',
    hook: 'test:outer',
    cause: { plugin: 'b', hook: 'test:inner', cause: { message: late('b', 'test:inner', 40) } },
  });
});

test('a hook has one kind', async () => {
  const hooks = hooksOf(series<number>('test:steps'), named({ a: () => undefined }));
  await hooks.call(series<number>('test:steps'), 0, { plugin: 'owner', scope });
  await expect(hooks.call(bail<number, number>('test:steps'), 0, { plugin: 'owner', scope })).rejects.toThrow(
    'hook test:steps is bail here and series elsewhere',
  );
});
