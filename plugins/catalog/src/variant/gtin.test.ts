import { describe, expect, it } from 'vitest';
import { isGtin } from './gtin.ts';

// Sample codes of the GS1 mod 10 check digit: GTIN-13, ISBN-13, GTIN-14, GTIN-8, GTIN-12.
const valid = ['7501031311309', '4006381333931', '9780471117094', '98412345678908', '73513537', '036000291452'];
const invalid = ['7501031311308', '75010313113', '750103AAAA309', '4006381333932', '036000291453'];

describe('isGtin', () => {
  it.each(valid)('takes %s', (code) => expect(isGtin(code)).toBe(true));
  it.each([...invalid, '', '7350 3537', '７３５１３５３７', '735135370000000'])('refuses %s', (code) =>
    expect(isGtin(code)).toBe(false),
  );
  it('rejects every other check digit', () => {
    for (const code of valid)
      for (let digit = 0; digit < 10; digit++) expect(isGtin(code.slice(0, -1) + digit)).toBe(String(digit) === code.at(-1));
  });
});
