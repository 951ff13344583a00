import { describe, expect, it } from 'vitest';
import { delayOf, evenly } from './throttle.ts';

describe('the growing delay', () => {
  it('starts after three tries, doubles, and stops at five seconds', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 1000].map(delayOf)).toEqual([0, 0, 0, 250, 500, 1000, 2000, 4000, 5000, 5000]);
  });
});

describe('evenly', () => {
  it('hides how long the work took, also when it fails', async () => {
    const time = async (work: () => Promise<unknown>) => {
      const started = performance.now();
      await work().catch(() => undefined);
      return performance.now() - started;
    };
    const quick = await time(() => evenly(60, async () => 1));
    const slow = await time(() => evenly(60, () => new Promise((resolve) => setTimeout(resolve, 30))));
    const failed = await time(() => evenly(60, () => Promise.reject(new Error('no'))));
    for (const taken of [quick, slow, failed]) {
      expect(taken).toBeGreaterThanOrEqual(60);
    }
  });
});
