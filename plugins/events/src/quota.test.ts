import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import data from '../test/testdata/cases.json' with { type: 'json' };
import { combine, type QuotaUse, quotaOf } from './quota.ts';

interface Given {
  kind: string;
  size?: number | null;
  paid?: number;
  pending?: number;
  cartHolds?: number;
  quotas?: { size: number }[];
}
const use = ({ size = null, paid = 0, pending = 0, cartHolds = 0 }: Given): QuotaUse => ({
  size,
  paid,
  pending,
  held: cartHolds,
});

describe('quotas', () => {
  for (const { id, given, expect: expected } of data.cases.filter((one) => one.given.kind === 'quota'))
    it(`case ${id}`, () => {
      const { quotas } = given as Given;
      const result = quotas
        ? combine(...quotas.map(({ size }) => quotaOf({ size, paid: 0, pending: 0, held: 0 })))
        : quotaOf(use(given as Given));
      expect(result).toEqual(expected);
    });

  it('never leave less than nothing, and combined no more than the smallest', () => {
    const spent = fc.nat(50);
    const quota = fc.record({ size: fc.option(fc.nat(60)), paid: spent, pending: spent, held: spent });
    fc.assert(
      fc.property(fc.array(quota, { minLength: 1, maxLength: 4 }), (uses) => {
        const each = uses.map(quotaOf);
        const { available, state } = combine(...each);
        const limited = each.flatMap((one) => (one.available === null ? [] : [one.available]));
        expect(available).toBe(limited.length === 0 ? null : Math.min(...limited));
        expect(state === 'ok').toBe(available !== 0);
      }),
    );
  });
});
