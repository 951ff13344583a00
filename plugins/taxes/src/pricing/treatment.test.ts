import { describe, expect, it } from 'vitest';
import { isUnchecked, type Sale, treatmentOf } from './treatment.ts';

const sale = (country: string | undefined, more: Partial<Sale> = {}): Sale => ({
  home: 'RO',
  destination: country === undefined ? undefined : { country },
  registered: false,
  exempt: false,
  vat: undefined,
  ...more,
});
const business = (country: string | null, status: 'valid' | 'invalid' | 'unavailable' = 'valid') => ({
  vat: { country, status },
});
const goods = (of: Sale, atDestination = false) => treatmentOf(of, 'goods', atDestination);

describe('which tax a sale bears', () => {
  it("to the shop's own country: the domestic rate", () => {
    expect(goods(sale('RO'))).toEqual({ treatment: 'domestic', place: { country: 'RO' }, code: null, counts: false });
    expect(goods(sale('RO'), true).treatment).toBe('domestic');
    expect(goods(sale('RO', business('DE'))).treatment).toBe('domestic');
    expect(goods(sale(undefined)).place).toEqual({ country: 'RO' });
  });

  it('to a consumer in another member state below the limit: the rate of the origin, and it counts', () => {
    expect(goods(sale('DE'))).toEqual({ treatment: 'origin', place: { country: 'RO' }, code: null, counts: true });
    expect(treatmentOf(sale('DE'), 'electronic_service', false)).toMatchObject({ treatment: 'origin', counts: true });
  });

  it('to a consumer in another member state, limit passed or opted in: the rate of the destination, and it counts', () => {
    expect(goods(sale('DE'), true)).toEqual({ treatment: 'destination', place: { country: 'DE' }, code: null, counts: true });
  });

  it('to a business in another member state with a valid number: nothing, reverse charge', () => {
    expect(goods(sale('DE', business('DE')), true)).toEqual({
      treatment: 'reverse_charge',
      place: null,
      code: 'K',
      counts: false,
    });
    expect(treatmentOf(sale('DE', business('FR')), 'service', false)).toMatchObject({ treatment: 'reverse_charge', code: 'AE' });
    expect(goods(sale('XI', business('XI')))).toMatchObject({ treatment: 'reverse_charge', code: 'K' });
    // A number of the shop's country or of no member state doesn't identify a foreign business.
    for (const country of ['RO', 'GB', 'EU', 'CH', null]) expect(goods(sale('DE', business(country))).treatment).toBe('origin');
  });

  it('to a business whose number could not be checked: as a consumer, never 0', () => {
    const unchecked = sale('DE', business('DE', 'unavailable'));
    expect(goods(unchecked)).toMatchObject({ treatment: 'origin', counts: true });
    expect(goods(unchecked, true)).toMatchObject({ treatment: 'destination', counts: true });
    expect(isUnchecked(unchecked)).toBe(true);
    expect(isUnchecked(sale('DE', business('DE', 'invalid')))).toBe(false);
    expect(isUnchecked(sale('RO', business('DE', 'unavailable')))).toBe(false);
    expect(isUnchecked(sale('DE', business('RO', 'unavailable')))).toBe(false);
    expect(isUnchecked(sale('US', business('DE', 'unavailable')))).toBe(false);
    expect(isUnchecked(sale('DE'))).toBe(false);
  });

  it('outside the EU: no tax, export, for any buyer', () => {
    expect(goods(sale('US'))).toEqual({ treatment: 'export', place: null, code: 'G', counts: false });
    expect(goods(sale('CH', { ...business('DE'), exempt: true }), true).treatment).toBe('export');
    expect(goods(sale('GB')).treatment).toBe('export');
    expect(treatmentOf(sale('US'), 'electronic_service', true)).toMatchObject({ treatment: 'export', code: 'O' });
    // Rates of the shop for that place don't apply to a shop in the EU.
    expect(goods(sale('US', { registered: true })).treatment).toBe('export');
  });

  it('to a customer who is exempt: nothing, at home and abroad, and it counts for nothing', () => {
    for (const country of ['RO', 'DE'])
      expect(goods(sale(country, { exempt: true }), true)).toEqual({
        treatment: 'exempt',
        place: null,
        code: 'E',
        counts: false,
      });
  });

  it('Northern Ireland is in the VAT area for goods only', () => {
    expect(goods(sale('XI'))).toMatchObject({ treatment: 'origin', counts: true });
    expect(goods(sale('XI'), true)).toMatchObject({ treatment: 'destination', place: { country: 'XI' } });
    expect(treatmentOf(sale('XI'), 'electronic_service', true)).toMatchObject({ treatment: 'export' });
  });

  it('other services to consumers are taxed where the shop is, and count for nothing', () => {
    expect(treatmentOf(sale('DE'), 'service', true)).toEqual({
      treatment: 'origin',
      place: { country: 'RO' },
      code: null,
      counts: false,
    });
  });

  it('a shop outside the EU charges where it has rates, and exports elsewhere', () => {
    const us = (more: Partial<Sale>) => goods(sale('DE', { home: 'US', ...more }), true);
    expect(us({})).toMatchObject({ treatment: 'export', counts: false });
    expect(us({ registered: true })).toMatchObject({ treatment: 'destination', place: { country: 'DE' }, counts: false });
    expect(us({ registered: true, exempt: true })).toMatchObject({ treatment: 'exempt' });
  });

  it('a shop of no known country sells at home everywhere', () => {
    expect(goods(sale('DE', { home: undefined }))).toMatchObject({ treatment: 'domestic', place: { country: 'DE' } });
    expect(goods(sale(undefined, { home: undefined }))).toMatchObject({ treatment: 'untaxed', place: null });
  });
});
