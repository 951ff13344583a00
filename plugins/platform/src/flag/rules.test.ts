import { describe, expect, test } from 'vitest';
import { type FlagState, isFlagOn } from './rules.ts';

const flag = (change: Partial<FlagState> = {}): FlagState => ({
  name: 'beta',
  enabled: true,
  rolloutBp: 10_000,
  rules: [],
  ...change,
});
const share = (state: FlagState): number =>
  Array.from({ length: 10_000 }, (_, i) => isFlagOn(state, { key: `customer-${i}` })).filter(Boolean).length;

describe('isFlagOn', () => {
  test('off is off for any rules', () => {
    const rules = [{ attribute: 'group', values: ['vip'], enabled: true }];
    expect(isFlagOn(flag({ enabled: false, rules }), { attributes: { group: 'vip' } })).toBe(false);
    expect(isFlagOn(flag())).toBe(true);
  });

  test('the first rule that names the subject decides', () => {
    const state = flag({
      rolloutBp: 0,
      rules: [
        { attribute: 'country', values: ['BG'], enabled: false },
        { attribute: 'group', values: ['vip', 'staff'], enabled: true },
      ],
    });
    expect(isFlagOn(state, { attributes: { group: 'staff' } })).toBe(true);
    expect(isFlagOn(state, { attributes: { group: 'staff', country: 'BG' } })).toBe(false);
    expect(isFlagOn(state, { attributes: { group: 'other' } })).toBe(false);
    expect(
      isFlagOn(flag({ rolloutBp: 0, rules: [{ attribute: 'constructor', values: ['x'], enabled: true }] }), { attributes: {} }),
    ).toBe(false);
  });

  test('a roll-out takes its share, the same subjects each time, and more as it grows', () => {
    expect(isFlagOn(flag({ rolloutBp: 9_999 }))).toBe(false);
    expect(share(flag({ rolloutBp: 0 }))).toBe(0);
    expect(Math.abs(share(flag({ rolloutBp: 2_500 })) - 2_500)).toBeLessThan(200);
    for (let i = 0; i < 500; i++) {
      const key = `customer-${i}`;
      if (isFlagOn(flag({ rolloutBp: 2_500 }), { key })) expect(isFlagOn(flag({ rolloutBp: 5_000 }), { key })).toBe(true);
    }
    const both = Array.from({ length: 2_000 }, (_, i) => `c${i}`).filter(
      (key) => isFlagOn(flag({ rolloutBp: 5_000 }), { key }) && isFlagOn(flag({ name: 'other', rolloutBp: 5_000 }), { key }),
    );
    expect(Math.abs(both.length - 500)).toBeLessThan(100);
  });
});
