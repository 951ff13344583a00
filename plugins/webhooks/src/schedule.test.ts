import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcomeOf, waits } from './schedule.ts';

const now = Date.parse('2026-11-27T20:00:00Z');
const at = (statusCode: number | null, step = 0, retryAfter?: string, chance = 0.5) =>
  outcomeOf({ statusCode, retryAfter }, step, now, chance);

describe('the schedule', () => {
  it('takes ten attempts over three days', () => {
    expect(waits).toEqual([0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]);
    const planned = waits.map((_, step) => at(500, step).wait);
    expect(planned).toEqual([...waits.slice(1), null]);
    expect(waits.map((_, step) => at(500, step).status)).toEqual([...Array(9).fill('retrying'), 'dead']);
  });

  it('spreads each wait by a fifth', () => {
    expect(at(500, 1, undefined, 0).wait).toBe(240);
    expect(at(500, 1, undefined, 0.999_999).wait).toBeCloseTo(360, 3);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 8 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (step, chance) => {
          const planned = waits[step + 1] as number;
          const { wait } = at(null, step, undefined, chance);
          expect(wait).toBeGreaterThanOrEqual(planned * 0.8);
          expect(wait).toBeLessThanOrEqual(planned * 1.2);
        },
      ),
    );
  });

  it.each([200, 201, 202, 204, 299])('%i is success', (status) =>
    expect(at(status)).toEqual({ status: 'succeeded', wait: null, gone: false, quiet: 0 }),
  );
  it.each([null, 100, 199, 300, 301, 302, 307, 308, 400, 404, 500, 599])('%s is not', (status) =>
    expect(at(status)).toEqual({ status: 'retrying', wait: 5, gone: false, quiet: 0 }),
  );
  it('410 says that the address is gone', () => expect(at(410)).toMatchObject({ status: 'retrying', gone: true }));

  it.each([429, 502, 503, 504])('%i slows everything down, as long as the receiver asks', (status) => {
    expect(at(status)).toMatchObject({ wait: 5, quiet: 5 });
    expect(at(status, 5)).toMatchObject({ wait: 36000, quiet: 300 });
    expect(at(status, 0, '120')).toMatchObject({ wait: 120, quiet: 120 });
    expect(at(status, 0, 'Fri, 27 Nov 2026 20:10:00 GMT')).toMatchObject({ wait: 600, quiet: 600 });
    expect(at(status, 4, '120')).toMatchObject({ wait: 18000, quiet: 300 });
    expect(at(status, 0, '99999999')).toMatchObject({ wait: 86400, quiet: 86400 });
    for (const nothing of ['', 'soon', '-5', 'Fri, 27 Nov 2020 20:10:00 GMT'])
      expect(at(status, 0, nothing)).toMatchObject({ wait: 5 });
  });
});
