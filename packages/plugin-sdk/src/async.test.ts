import { describe, expect, it, vi } from 'vitest';
import { createLimiter, withTimeout } from './async.ts';

const gate = () => Promise.withResolvers<string>();

describe('a limiter', () => {
  it('runs at most `concurrency` calls, in their order', async () => {
    const limit = createLimiter({ concurrency: 2 });
    const gates = [gate(), gate(), gate()];
    const started: number[] = [];
    const all = gates.map(({ promise }, i) =>
      limit(async () => {
        started.push(i);
        return promise;
      }),
    );
    await vi.waitFor(() => expect(started).toEqual([0, 1]));
    gates[1]?.resolve('b');
    expect(await all[1]).toBe('b');
    await vi.waitFor(() => expect(started).toEqual([0, 1, 2]));
    gates[0]?.resolve('a');
    gates[2]?.resolve('c');
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
  });

  it('rejects calls beyond the waiting limit, and continues after a failure', async () => {
    const limit = createLimiter({ concurrency: 1, maxWaiting: 1, refuse: () => new Error('full') });
    const first = gate();
    const running = limit(() => first.promise);
    const waiting = limit(async () => 'second');
    await expect(limit(async () => 'third')).rejects.toThrow('full');
    first.reject(new Error('broken'));
    await expect(running).rejects.toThrow('broken');
    expect(await waiting).toBe('second');
    expect(await limit(async () => 'fourth')).toBe('fourth');
  });
});

describe('a timeout', () => {
  it('returns the result in time, otherwise that of onTimeout', async () => {
    expect(await withTimeout(Promise.resolve('done'), 1000, () => 'late')).toBe('done');
    expect(await withTimeout(gate().promise, 1, () => undefined)).toBeUndefined();
    const late = withTimeout(gate().promise, 1, () => {
      throw new Error('too late');
    });
    await expect(late).rejects.toThrow('too late');
    await expect(withTimeout(Promise.reject(new Error('broken')), 1000, () => undefined)).rejects.toThrow('broken');
  });

  it('leaves no timer behind', async () => {
    vi.useFakeTimers();
    try {
      await withTimeout(Promise.resolve(1), 60_000, () => 2);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
