import { describe, expect, it } from 'vitest';
import samples from '../../test/testdata/vat-number-samples.json' with { type: 'json' };
import { isInRegister, parseVat, splitVat } from './number.ts';

describe('VAT numbers', () => {
  it.each(Object.entries(samples.valid))('of %s are read as they are published', (prefix, numbers) => {
    for (const number of numbers) {
      const parsed = parseVat(number);
      expect(parsed).toMatchObject({ formatValid: true, country: prefix === 'EL' ? 'GR' : prefix });
      expect(parsed.number).toMatch(/^[A-Z]{2}[A-Z0-9]+$/);
    }
  });

  it('sees a wrong check digit', () => {
    // Dutch and EU numbers carry none at their end, others end in a letter.
    for (const [prefix, numbers] of Object.entries(samples.valid)) {
      if (['NL', 'EU', 'CY', 'ES', 'IE'].includes(prefix)) continue;
      const { number } = parseVat(numbers[0] as string);
      const last = Number(number.at(-1));
      const wrong = `${number.slice(0, -1)}${(last + 1) % 10}`;
      expect(parseVat(wrong), wrong).toMatchObject({ formatValid: false });
    }
  });

  it('takes a Romanian number with and without its prefix', () => {
    expect(parseVat('14399840')).toEqual({ number: 'RO14399840', country: 'RO', formatValid: true });
    expect(parseVat('RO 14399840')).toEqual({ number: 'RO14399840', country: 'RO', formatValid: true });
    expect(parseVat('14399841')).toMatchObject({ country: null, formatValid: false });
  });

  it('takes a number without prefix as one of the address', () => {
    expect(parseVat('113866163', 'DE')).toMatchObject({ number: 'DE113866163', country: 'DE', formatValid: true });
    expect(parseVat('039868210', 'GR')).toMatchObject({ number: 'EL039868210', country: 'GR', formatValid: true });
  });

  it('knows that GR is no prefix, and which numbers the register has', () => {
    expect(parseVat('GR039868210').formatValid).toBe(false);
    expect(splitVat(parseVat('EL 039868210'))).toEqual({ prefix: 'EL', rest: '039868210' });
    expect(isInRegister(parseVat('XI432525179'))).toBe(true);
    expect(isInRegister(parseVat('EU372022452'))).toBe(false);
    expect(isInRegister(parseVat('GB980780684'))).toBe(false);
  });

  it.each(['', ' ', 'RO', '???', 'ROabc', '٣٣٣٣٣٣٣٣', "RO1'; drop table", 'X'.repeat(40), '__proto__', 'DE!113866163'])(
    'refuses %j',
    (text) => {
      expect(parseVat(text).formatValid).toBe(false);
    },
  );
});
