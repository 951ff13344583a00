import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { acknowledgement, authentication, eventIdOf, formFields, hashOf, isPaid, isSigned, orderOf } from './payment-c.ts';

const secret = 'the secret of an account';
const md5 = (text: string): string => createHmac('md5', secret).update(text).digest('hex');
const body = (pairs: [string, string][]): Buffer =>
  Buffer.from(
    pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value).replaceAll('%20', '+')}`).join('&'),
  );
const pairs: [string, string][] = [
  ['SALEDATE', '2026-11-27 12:22:09'],
  ['REFNO', '1000037'],
  ['REFNOEXT', ''],
  ['ORDERSTATUS', 'COMPLETE'],
  ['FIRSTNAME', 'Ștefania'],
  ['IPN_PID[]', '1'],
  ['IPN_PNAME[]', 'Agency licence'],
  ['IPN_DATE', '20261127122210'],
];
const source = '192026-11-27 12:22:097100003708COMPLETE9Ștefania1114Agency licence1420261127122210';

describe('notifications of payment-c', () => {
  test('each value with its length in bytes before it, nothing as 0, in the order in which they came', () => {
    expect(
      hashOf(
        pairs.map(([, value]) => value),
        secret,
      ),
    ).toBe(md5(source));
    const fields = formFields(body([...pairs, ['HASH', md5(source)]]));
    expect(isSigned(fields, secret)).toBe(true);
    expect(isSigned(formFields(body([...pairs, ['SIGNATURE_SHA2_256', 'x'], ['HASH', md5(source).toUpperCase()]])), secret)).toBe(
      true,
    );
  });

  test('another order, value, field, secret or hash is not signed', () => {
    const hash: [string, string] = ['HASH', md5(source)];
    const swapped = [pairs[1], pairs[0], ...pairs.slice(2)] as [string, string][];
    const changed = pairs.map(([name, value]): [string, string] => [name, name === 'REFNO' ? '1000038' : value]);
    for (const wrong of [
      [...swapped, hash],
      [...changed, hash],
      [...pairs.slice(1), hash],
      [...pairs, ['EXTRA', '1'] as [string, string], hash],
      [...pairs, hash, hash],
      pairs,
      [['HASH', ''] as [string, string]],
    ])
      expect(isSigned(formFields(body(wrong)), secret)).toBe(false);
    expect(isSigned(formFields(body([...pairs, hash])), 'another')).toBe(false);
    expect(isSigned([], secret)).toBe(false);
  });

  test('an event is an order in a state at a time', () => {
    expect(eventIdOf(formFields(body(pairs)))).toBe('1000037:COMPLETE:20261127122210');
    expect(() => orderOf(formFields(body([['REFNO', '../1']])))).toThrow('no order');
    expect(() => orderOf([])).toThrow('no order');
  });

  test('the answer and the header of the API carry hashes of the same kind', () => {
    const now = Date.UTC(2026, 10, 27, 14, 5, 6);
    expect(acknowledgement(formFields(body(pairs)), secret, now)).toBe(
      `<EPAYMENT>20261127140506|${md5('1114Agency licence14202611271222101420261127140506')}</EPAYMENT>`,
    );
    expect(authentication('SHOP', secret, now)).toBe(
      `code="SHOP" date="2026-11-27 14:05:06" hash="${md5('4SHOP192026-11-27 14:05:06')}"`,
    );
  });

  test('only a complete order is paid', () => {
    const order = { RefNo: '1', Currency: 'EUR', BillingDetails: { Email: 'a@b.example' }, Items: [] };
    expect(isPaid({ ...order, Status: 'COMPLETE' })).toBe(true);
    for (const Status of ['PENDING', 'AUTHRECEIVED', 'REFUND', 'REVERSED', '']) expect(isPaid({ ...order, Status })).toBe(false);
  });
});
