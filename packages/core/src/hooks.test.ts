import { type AnyHook, bail, type Ctx, collect, waterfall } from '@storeloom/plugin-sdk';
import { describe, expect, test } from 'vitest';
import { callHook, HookError, type HookHost, type Tap } from './hooks.ts';

const faults: string[] = [];
const host: HookHost = {
  contextOf: () => ({}) as Ctx,
  isExpected: () => false,
  onFault: (plugin, _, error) => void faults.push(`${plugin}: ${(error as Error).message}`),
};
const call = (hook: unknown, fns: Record<string, (input: never) => unknown>, input: unknown = 0): Promise<unknown> => {
  faults.length = 0;
  const taps = Object.entries(fns).map(([plugin, fn], stage): Tap => ({ plugin, stage, fn: (_, value) => fn(value as never) }));
  return callHook(host, hook as AnyHook, taps, input);
};
const after = <T>(ms: number, value: T): Promise<T> => new Promise((resolve) => setTimeout(resolve, ms, value));
const never = (): Promise<never> => new Promise(() => undefined);
/** Something that can be awaited and is no Promise, as query builders are. */
const thenable = (then: (resolve: (value: unknown) => void, reject: (error: Error) => void) => void): unknown => ({ then });

describe('the deadline of a hook', () => {
  test('is each tap’s own: one that misses it costs the next ones nothing', async () => {
    const pages = collect<number, string>('test:pages', { policy: 'skip', deadline: 100 });
    const quick = { second: () => after(1, ['two']), third: () => after(60, ['three']), fourth: () => after(60, ['four']) };
    expect(await call(pages, { first: never, ...quick })).toEqual(['two', 'three', 'four']);
    expect(faults).toEqual(['first: no answer within 100 ms']);
    expect(await call(pages, { ...quick, last: never })).toEqual(['two', 'three', 'four']);
    expect(faults).toEqual(['last: no answer within 100 ms']);
  });

  test('cuts what can be awaited but is no Promise, and takes its answer in time', async () => {
    const name = waterfall<string>('test:name', { deadline: 50 });
    await expect(call(name, { slow: () => thenable(() => undefined) }, 'a')).rejects.toThrow(
      new HookError('slow', 'test:name', new Error('no answer within 50 ms')),
    );
    expect(await call(name, { lazy: () => thenable((resolve) => setTimeout(resolve, 1, 'b')) }, 'a')).toBe('b');
    await expect(call(name, { broken: () => thenable((_, reject) => reject(new Error('no'))) }, 'a')).rejects.toThrow(
      new HookError('broken', 'test:name', new Error('no')),
    );
  });

  test.each([Number.POSITIVE_INFINITY, 2 ** 31, 1e12])('of %d ms doesn’t fire at once', async (deadline) => {
    const found = bail<number, string>('test:found', { deadline });
    expect(await call(found, { patient: () => after(20, 'there') })).toBe('there');
  });

  test('leaves a tap that answers after it alone', async () => {
    const name = waterfall<string>('test:name', { policy: 'skip', deadline: 20 });
    expect(await call(name, { late: () => after(40, 'late'), next: (value: string) => after(15, `${value}!`) }, 'a')).toBe('a!');
    expect(faults).toEqual(['late: no answer within 20 ms']);
  });
});
