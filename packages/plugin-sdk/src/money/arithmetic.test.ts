import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hamiltonBig } from './allocate.ts';
import {
  adjustPrice,
  allocate,
  cashRound,
  constantNetPrice,
  convert,
  invertRate,
  isRate,
  maxAmount,
  money,
  mulRatio,
  percentBp,
  ppm,
  prorate,
  roundHalfAway,
  tierFor,
  unitShares,
  unitsTotal,
} from './index.ts';
import { unitRuns } from './parts.ts';
import { roundingOf } from './rounding.ts';

const invalid = expect.objectContaining({ code: 'money_invalid' });
const amount = fc.integer({ min: -maxAmount, max: maxAmount });

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

describe('R2 rounding', () => {
  test.each([
    [5n, 10n, 1n],
    [-5n, 10n, -1n],
    [4n, 10n, 0n],
    [-4n, 10n, 0n],
    [15n, 10n, 2n],
    [25n, 10n, 3n],
    [-25n, 10n, -3n],
    [5n, -10n, -1n],
    [0n, 3n, 0n],
  ])('%i / %i → %i', (num, den, rounded) => {
    expect(roundHalfAway(num, den)).toBe(rounded);
  });

  test('is the nearest, and symmetric', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.bigInt({ min: 1n, max: 10n ** 9n }), (num, den) => {
        const rounded = roundHalfAway(num, den);
        const off = 2n * (rounded * den - num);
        expect(off <= den && off >= -den).toBe(true);
        expect(roundHalfAway(-num, den)).toBe(-rounded);
        expect(roundHalfAway(-num, -den)).toBe(rounded);
      }),
    );
  });

  test('exact where floats are not', () => {
    expect(mulRatio(maxAmount, 999_999, 1_000_000)).toBe(9_999_990_000_000);
    expect(percentBp(1005, 1000)).toBe(101);
    expect(ppm(-50, 10_000)).toBe(-1);
    expect(Object.is(mulRatio(-1, 1, 3), 0)).toBe(true);
  });

  test('bounds', () => {
    expect(() => mulRatio(maxAmount, 2, 1)).toThrow(invalid);
    expect(() => mulRatio(0.1, 1, 1)).toThrow(invalid);
    expect(() => mulRatio(1, 1, 0)).toThrow(RangeError);
    for (const bp of [-1, 10_001, 0.5]) expect(() => percentBp(1, bp)).toThrow(RangeError);
    for (const rate of [-1, 1_000_001, 0.5]) expect(() => ppm(1, rate)).toThrow(RangeError);
  });

  test('what rounding added', () => {
    expect(roundingOf(460n, 4595n, 10n)).toBe('1/2');
    expect(roundingOf(459n, 4594n, 10n)).toBe('-2/5');
    expect(roundingOf(5n, 50n, 10n)).toBe('0');
    expect(roundingOf(-1n, 5n, -10n)).toBe('-1/2');
  });
});

describe('R4 allocation', () => {
  const weights = fc.array(fc.oneof(fc.constant(0), fc.nat({ max: 50 }), fc.nat({ max: 1_000_000_000 })), { maxLength: 12 });

  test('shares add up, each next to its exact share, zero for zero', () => {
    fc.assert(
      fc.property(amount, weights, (size, all) => {
        const shares = allocate(size, all);
        const total = sum(all);
        expect(sum(shares)).toBe(total === 0 ? 0 : size);
        for (const [i, share] of shares.entries()) {
          if (total === 0 || all[i] === 0) expect(share).toBe(0);
          else expect(Math.abs(Number(BigInt(share) * BigInt(total) - BigInt(size) * BigInt(all[i]!)))).toBeLessThan(total);
          expect(Object.is(share, -0)).toBe(false);
        }
      }),
    );
  });

  test('a negative amount is split like its absolute value', () => {
    fc.assert(
      fc.property(amount, weights, (size, all) => {
        expect(allocate(-size, all)).toEqual(allocate(size, all).map((share) => 0 - share));
      }),
    );
  });

  test('ties go to the lowest position', () => {
    expect(allocate(1, [1, 1, 1])).toEqual([1, 0, 0]);
    expect(allocate(5, [1, 1, 1])).toEqual([2, 2, 1]);
    expect(allocate(1, [0, 1, 1])).toEqual([0, 1, 0]);
    expect(allocate(2, [2, 3, 3])).toEqual([0, 1, 1]);
    expect(allocate(1, [])).toEqual([]);
  });

  test('caps (R17)', () => {
    expect(allocate(2000, [5000, 2000], [500, 2000])).toEqual([500, 1500]);
    expect(allocate(-2000, [5000, 2000], [500, 2000])).toEqual([-500, -1500]);
    expect(allocate(100, [1, 1, 1], [10, 20, 30])).toEqual([10, 20, 30]);
    expect(allocate(90, [1, 1, 1], [10, 100, 100])).toEqual([10, 40, 40]);
    expect(allocate(5, [0, 1], [10, 3])).toEqual([0, 3]);
  });

  test('never exceeds a cap, and allocates all that fits', () => {
    const lines = fc.array(fc.record({ weight: fc.nat({ max: 1000 }), room: fc.nat({ max: 500 }) }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.nat({ max: 5000 }), lines, (size, all) => {
        const shares = allocate(
          size,
          all.map((line) => line.weight),
          all.map((line) => line.room),
        );
        for (const [i, share] of shares.entries()) expect(share).toBeLessThanOrEqual(all[i]!.room);
        const fits = sum(all.map((line) => (line.weight > 0 ? line.room : 0)));
        expect(sum(shares)).toBe(Math.min(size, fits));
      }),
    );
  });

  test('rejects an invalid weight', () => {
    for (const weight of [-1, 0.5, Number.NaN]) expect(() => allocate(1, [weight])).toThrow(RangeError);
    expect(() => allocate(1, [1, 1], [1])).toThrow(RangeError);
    expect(() => allocate(1, [1], [-1])).toThrow(RangeError);
    expect(() => allocate(1.5, [1])).toThrow(invalid);
  });

  test('the BigInt core takes weights beyond the safe integers', () => {
    expect(hamiltonBig(3n, [10n ** 30n, 10n ** 30n])).toEqual([2n, 1n]);
  });
});

describe('R13 parts', () => {
  test('units of a total', () => {
    expect(unitShares(10, 4)).toEqual([3, 3, 2, 2]);
    expect(unitShares(-10, 4)).toEqual([-3, -3, -2, -2]);
    expect(unitShares(0, 2)).toEqual([0, 0]);
    expect(unitRuns(10, 4)).toEqual([
      { amount: 3, count: 2 },
      { amount: 2, count: 2 },
    ]);
    expect(unitRuns(8, 4)).toEqual([{ amount: 2, count: 4 }]);
  });

  test('are the allocation over equal weights, and add up in any partition', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 60 }), fc.nat(), (total, quantity, cut) => {
        const shares = unitShares(total, quantity);
        expect(shares).toEqual(
          allocate(
            total,
            Array.from({ length: quantity }, () => 1),
          ),
        );
        const at = cut % (quantity + 1);
        expect(unitsTotal(total, quantity, 0, at)).toBe(sum(shares.slice(0, at)));
        expect(unitsTotal(total, quantity, at, quantity - at)).toBe(sum(shares.slice(at)));
      }),
    );
  });

  test('reject a part that is out of range', () => {
    for (const quantity of [0, -1, 1.5]) expect(() => unitShares(1, quantity)).toThrow(RangeError);
    expect(() => unitsTotal(1, 3, 2, 2)).toThrow(RangeError);
    expect(() => unitsTotal(1, 3, -1, 1)).toThrow(RangeError);
    expect(() => prorate(1, 3, 2, 5)).toThrow(RangeError);
    expect(() => prorate(1, 0, 6, 5)).toThrow(RangeError);
    expect(() => prorate(1, 0, 0, 0)).toThrow(RangeError);
  });

  test('parts of a period add up exactly (P17)', () => {
    expect(prorate(1000, 0, 10, 30)).toBe(333);
    const cuts = fc.array(fc.nat({ max: 366 }), { maxLength: 8 });
    fc.assert(
      fc.property(amount, cuts, (total, points) => {
        const all = [0, ...points.sort((a, b) => a - b), 366];
        const pieces = all.slice(1).map((to, i) => prorate(total, all[i]!, to, 366));
        expect(sum(pieces)).toBe(total);
      }),
    );
  });
});

describe('R11 exchange', () => {
  test('between exponents', () => {
    expect(convert(money(100, 'JPY'), 'KWD', '0.002')).toEqual({ amount: 200, currency: 'KWD' });
    expect(convert(money(1255, 'KWD'), 'JPY', '485.5')).toEqual({ amount: 609, currency: 'JPY' });
    expect(convert(money(-5, 'EUR'), 'RON', '4.9')).toEqual({ amount: -25, currency: 'RON' });
    expect(convert(money(100, 'EUR'), 'EUR', '1')).toEqual({ amount: 100, currency: 'EUR' });
    expect(() => convert(money(maxAmount, 'EUR'), 'RON', '5')).toThrow(invalid);
    expect(() => convert(money(1, 'EUR'), 'XXX', '5')).toThrow(invalid);
  });

  test.each(['1', '0.86', '3.783325', '123456789012', '0.000000123456789012', '1.000000000000000', '1000000000000000'])(
    '%s is a rate',
    (rate) => {
      expect(isRate(rate)).toBe(true);
    },
  );

  test.each(['0', '0.0', '-1', '1234567890123', '1.2345678901234', '1e3', '', '1,5', '.5', 1.5, null, `0.${'0'.repeat(50)}1`])(
    '%j is not a rate',
    (rate) => {
      expect(isRate(rate)).toBe(false);
      expect(() => convert(money(1, 'EUR'), 'RON', rate as string)).toThrow(invalid);
    },
  );

  test('inverse of 12 digits', () => {
    expect(invertRate('4')).toBe('0.25');
    expect(invertRate('3')).toBe('0.333333333333');
    expect(invertRate('4.9765')).toBe('0.200944438863');
    expect(invertRate('0.002')).toBe('500');
    expect(invertRate('1000000')).toBe('0.000001');
    expect(invertRate('0.00000000007')).toBe('14285714285.7');
    expect(invertRate('0.00000000000007')).toBe('14285714285700');
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 999_999_999_999n }), fc.nat({ max: 11 }), (digits, decimals) => {
        const text = String(digits).padStart(decimals + 1, '0');
        const rate = decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
        const inverse = invertRate(rate);
        expect(isRate(inverse)).toBe(true);
        expect(Math.abs(Number(rate) * Number(inverse) - 1)).toBeLessThan(1e-11);
      }),
    );
  });
});

describe('R12 cash', () => {
  test('negative amounts mirror, and steps are whole', () => {
    expect(cashRound(-1953, 5)).toEqual({ rounded: -1955, difference: -2 });
    expect(cashRound(1953, 1)).toEqual({ rounded: 1953, difference: 0 });
    for (const step of [0, -5, 0.5]) expect(() => cashRound(1, step)).toThrow(RangeError);
  });
});

describe('prices', () => {
  test('C26 catalogue promotions one after the other', () => {
    const changes = [{ amount: 1000 }, { percentBp: 5000 }, { amount: 500 }, { percentBp: 2500 }];
    expect(adjustPrice(10_000, changes)).toBe(3000);
  });

  test('half of a price: the discount is rounded (R5)', () => {
    expect(adjustPrice(8333, [{ percentBp: 5000 }])).toBe(4166);
  });

  test('percentages in parallel, floors, new prices', () => {
    const two = [{ percentBp: 1000 }, { percentBp: 2000 }];
    expect(adjustPrice(1000, two)).toBe(720);
    expect(adjustPrice(1000, two, { percentStacking: 'parallel' })).toBe(700);
    expect(adjustPrice(1000, [{ amount: 5000 }])).toBe(0);
    expect(adjustPrice(1000, [{ amount: 5000 }], { minPrice: 400 })).toBe(400);
    expect(adjustPrice(300, [{ amount: 100 }], { minPrice: 400 })).toBe(300);
    expect(adjustPrice(1000, [{ price: 700 }])).toBe(700);
    expect(() => adjustPrice(1000, [{ amount: -1 }])).toThrow(invalid);
  });

  test('C52, C53 tiers by the total quantity', () => {
    const tiers = [
      { min: 3, price: 3150 },
      { min: 1, price: 3250 },
      { min: 2, price: 3200 },
    ];
    const price = (quantity: number) => (tierFor(tiers, quantity)?.price ?? 0) * quantity;
    expect([price(3), price(2)]).toEqual([9450, 6400]);
    expect(tierFor(tiers, 0)).toBeUndefined();
    const bulk = [
      { min: 3, price: 273 },
      { min: 6, price: 250 },
    ];
    const total = (quantity: number) => (tierFor(bulk, quantity)?.price ?? 295) * quantity;
    expect([2, 3, 5, 6, 5].map(total)).toEqual([590, 819, 1365, 1500, 1365]);
  });

  test('constant_net to another rate', () => {
    expect(constantNetPrice(11_900, [{ ratePpm: 190_000 }], [{ ratePpm: 210_000 }])).toBe(12_100);
    expect(() => constantNetPrice(-1, [], [])).toThrow(invalid);
  });
});
