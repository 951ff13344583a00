import { describe, expect, it } from 'vitest';
import { phoneDigits, searchTextOf } from './search-text.ts';

describe('telephone numbers in the search of orders', () => {
  it.each([
    ['722 123 456', '722123456'],
    ['0722 123 456', '722123456'],
    ['0722.123.456', '722123456'],
    ['(0722) 123-456', '722123456'],
    ['+40722123456', '40722123456'],
    ['0048 601 222 333', '48601222333'],
    ['2026-000001', '2026000001'],
  ])('%s is looked for as %s', (q, digits) => expect(phoneDigits(q)).toBe(digits));

  it.each(['40722123456', '12 34', '00 000 000', 'X-000001', 'SKU 123456', '', '+', '722+123456'])(
    '%s is looked for as it stands',
    (q) => expect(phoneDigits(q)).toBeUndefined(),
  );

  it('of the order and its addresses are stored as entered and as digits', () => {
    const person = { firstName: 'Ana', lastName: 'Pop', company: null };
    const words = searchTextOf(
      {
        number: '1',
        email: 'ana@test.example',
        phone: '+40 (722) 123-456',
        billingAddress: { ...person, phone: '0048 601 222 333' },
        shippingAddress: { ...person, phone: null },
        poNumber: null,
      },
      [],
      [],
    );
    expect(words).toBe('1 ana@test.example +40 (722) 123-456 40722123456 0048 601 222 333 0048601222333 Ana Pop');
  });
});
