import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addMoney,
  assertSameCurrency,
  compareMoney,
  currencyOf,
  equalMoney,
  exponentOf,
  formatMoney,
  isCurrency,
  isMoney,
  listCurrencies,
  MoneyError,
  maxAmount,
  money,
  mulDecimal,
  multiplyMoney,
  negateMoney,
  parseDecimal,
  parseMoney,
  subtractMoney,
  sumMoney,
  toDecimalString,
} from './index.ts';

const invalid = expect.objectContaining({ code: 'money_invalid' });
const mismatch = expect.objectContaining({ code: 'currency_mismatch' });

describe('currencies', () => {
  test.each([
    ['JPY KRW ISK VND', 0],
    ['EUR RON USD', 2],
    ['KWD BHD OMR JOD TND', 3],
    ['CLF UYW', 4],
  ])('%s have exponent %i', (codes, exponent) => {
    for (const code of codes.split(' ')) expect(exponentOf(code)).toBe(exponent);
  });

  test('withdrawn currencies are known but not listed', () => {
    expect(currencyOf('BGN')).toMatchObject({ exponent: 2, withdrawn: '2026-01-01' });
    expect(currencyOf('XCG')).toMatchObject({ number: '532', name: 'Caribbean Guilder', withdrawn: null });
    const offered = listCurrencies().map((currency) => currency.code);
    expect(offered).not.toContain('BGN');
    expect(offered).not.toContain('ANG');
    expect(offered).toContain('RON');
    expect(offered).toEqual([...new Set(offered)].sort());
  });

  test.each(['ron', 'XXX', 'XAU', '', 'toString', null, 978])('%j is not a currency', (code) => {
    expect(isCurrency(code)).toBe(false);
    expect(() => exponentOf(code as string)).toThrow(invalid);
  });

  test('Intl knows every one of them', () => {
    for (const { code } of listCurrencies()) expect(formatMoney(money(123_456, code), 'en')).toMatch(/\d/);
  });
});

describe('money', () => {
  test.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, maxAmount + 1, -maxAmount - 1])('%d is not an amount', (amount) => {
    expect(() => money(amount, 'RON')).toThrow(invalid);
    expect(isMoney({ amount, currency: 'RON' })).toBe(false);
  });

  test('the bounds themselves are amounts', () => {
    expect(money(maxAmount, 'RON').amount).toBe(10_000_000_000_000);
    expect(money(-maxAmount, 'RON').amount).toBe(-10_000_000_000_000);
  });

  test('zero is never negative', () => {
    expect(Object.is(money(-0, 'RON').amount, 0)).toBe(true);
    expect(Object.is(negateMoney(money(0, 'RON')).amount, 0)).toBe(true);
    expect(Object.is(parseMoney({ amount: -0, currency: 'RON' }).amount, 0)).toBe(true);
  });

  test.each([
    null,
    12,
    '12.00',
    [],
    {},
    { amount: 1 },
    { amount: '1', currency: 'RON' },
    { amount: 1, currency: 'ron' },
    { amount: 1, currency: 'RON', exponent: 2 },
  ])('%j is not money', (value) => {
    expect(isMoney(value)).toBe(false);
    expect(() => parseMoney(value)).toThrow(invalid);
  });

  test('a pointer refers to the field', () => {
    const problem = (() => {
      try {
        return parseMoney(1.5, '/lines/0/price');
      } catch (error) {
        return error;
      }
    })();
    expect(problem).toBeInstanceOf(MoneyError);
    expect(problem).toMatchObject({ extra: { errors: [{ pointer: '/lines/0/price', code: 'money_invalid' }] } });
  });

  test('rejects two currencies', () => {
    const lei = money(100, 'RON');
    const euros = money(100, 'EUR');
    for (const meet of [addMoney, subtractMoney, compareMoney, assertSameCurrency])
      expect(() => meet(lei, euros)).toThrow(mismatch);
    expect(() => sumMoney([lei, euros], 'RON')).toThrow(mismatch);
    expect(() => sumMoney([euros], 'RON')).toThrow(mismatch);
    expect(equalMoney(lei, euros)).toBe(false);
    expect(() => assertSameCurrency()).not.toThrow();
  });

  test('sums', () => {
    const lei = (amount: number) => money(amount, 'RON');
    expect(addMoney(lei(1), lei(2))).toEqual(lei(3));
    expect(subtractMoney(lei(1), lei(2))).toEqual(lei(-1));
    expect(multiplyMoney(lei(199), 3)).toEqual(lei(597));
    expect(sumMoney([], 'RON')).toEqual(lei(0));
    expect(sumMoney([lei(1), lei(2), lei(3)], 'RON')).toEqual(lei(6));
    expect([compareMoney(lei(1), lei(2)), compareMoney(lei(2), lei(2)), compareMoney(lei(3), lei(2))]).toEqual([-1, 0, 1]);
    expect(() => addMoney(lei(maxAmount), lei(1))).toThrow(invalid);
    expect(() => multiplyMoney(lei(maxAmount), 2)).toThrow(invalid);
    expect(() => multiplyMoney(lei(1), 1.5)).toThrow(RangeError);
  });
});

describe('decimals', () => {
  test.each([
    [1255, 'KWD', '1.255'],
    [-5, 'RON', '-0.05'],
    [0, 'RON', '0.00'],
    [1240, 'JPY', '1240'],
    [7, 'CLF', '0.0007'],
  ])('%i %s is %s', (amount, currency, text) => {
    expect(toDecimalString({ amount, currency })).toBe(text);
    expect(parseDecimal(text, currency)).toEqual({ amount, currency });
  });

  test('what is read', () => {
    expect(parseDecimal('12', 'RON').amount).toBe(1200);
    expect(parseDecimal('12.5', 'RON').amount).toBe(1250);
    expect(parseDecimal('12.5000', 'RON').amount).toBe(1250);
    expect(parseDecimal('100.0', 'JPY').amount).toBe(100);
    expect(Object.is(parseDecimal('-0', 'RON').amount, 0)).toBe(true);
  });

  test.each(['', '1,5', '1.', '.5', '+1', '1e3', ' 1', '0x10', '1.255', '1 000', 'NaN', '100000000000.01', '9'.repeat(50)])(
    '%j is not lei',
    (text) => {
      expect(() => parseDecimal(text, 'RON')).toThrow(invalid);
    },
  );

  test('every amount survives', () => {
    const codes = fc.constantFrom(...listCurrencies().map((currency) => currency.code));
    fc.assert(
      fc.property(fc.integer({ min: -maxAmount, max: maxAmount }), codes, (amount, currency) => {
        expect(parseDecimal(toDecimalString({ amount, currency }), currency)).toEqual({ amount, currency });
      }),
    );
  });

  test('fractional quantities', () => {
    expect(mulDecimal(1999, '1.25')).toBe(2499);
    expect(mulDecimal(10, '-0.25')).toBe(-3);
    expect(() => mulDecimal(10, '1,5')).toThrow(invalid);
    expect(() => mulDecimal(maxAmount, '1.01')).toThrow(invalid);
  });
});

describe('format', () => {
  const plain = (text: string) => text.replace(/\s/g, ' ');

  test('by locale, with the decimals of ISO', () => {
    expect(plain(formatMoney(money(123_456, 'RON'), 'ro'))).toBe('1.234,56 RON');
    expect(formatMoney(money(123_456, 'USD'), 'en-US')).toBe('$1,234.56');
    expect(plain(formatMoney(money(1255, 'KWD'), 'en'))).toBe('KWD 1.255');
    expect(formatMoney(money(1240, 'JPY'), 'en')).toBe('¥1,240');
    // Intl alone shows no decimals here.
    expect(plain(formatMoney(money(1255, 'IQD'), 'en'))).toBe('IQD 1.255');
  });

  test('all digits of the largest amount', () => {
    expect(formatMoney(money(maxAmount - 1, 'USD'), 'en-US')).toBe('$99,999,999,999.99');
  });

  test('an invalid locale', () => {
    expect(() => formatMoney(money(1, 'RON'), 'not a locale')).toThrow(RangeError);
  });
});
