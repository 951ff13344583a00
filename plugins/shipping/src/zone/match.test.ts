import { describe, expect, it } from 'vitest';
import { levelOf, matchZone, type Place, readPattern, type ZonePlaces, zonesOverlap } from './match.ts';

const zone = (more: Partial<ZonePlaces> = {}): ZonePlaces => ({
  countries: ['RO'],
  regions: [],
  postalCodePatterns: [],
  priority: 0,
  restOfWorld: false,
  ...more,
});
const cluj: Place = { country: 'RO', region: 'Cluj', postalCode: '400001' };

describe('postal code patterns', () => {
  it.each([
    ['10*', '100123', true],
    ['10*', '110123', false],
    ['10*', '1', false],
    ['010000-019999', '010000', true],
    ['010000-019999', '019999', true],
    ['010000-019999', '020000', false],
    ['010000-019999', '01 5-000', true],
    ['00-950', '00-950', true],
    ['00-950', '00-951', false],
    ['1000-001', '1000001', true],
    ['sw1a*', 'SW1A 1AA', true],
    ['90000-90299', '90210-1234', true],
  ])('%s and %s: %s', (pattern, postalCode, expected) => {
    expect(levelOf(zone({ postalCodePatterns: [pattern] }), { country: 'RO', postalCode }) === 3).toBe(expected);
  });

  it.each(['', '*', '**', '019999-010000', '1_0', '-', 'a-b-c!', '%'])('refuses %j', (pattern) => {
    expect(readPattern(pattern)).toBeUndefined();
  });
});

describe('the zone of an address', () => {
  it('is the most specific one: postal code, region, country, rest of the world', () => {
    const world = zone({ countries: [], restOfWorld: true });
    const country = zone();
    const region = zone({ regions: ['RO-CJ', 'Cluj'] });
    const code = zone({ postalCodePatterns: ['400*'] });
    const all = [world, country, region, code];
    expect(matchZone(all, cluj)).toBe(code);
    expect(matchZone(all, { ...cluj, postalCode: '410001' })).toBe(region);
    expect(matchZone(all, { ...cluj, region: 'cj', postalCode: null })).toBe(region);
    expect(matchZone(all, { ...cluj, region: 'Bihor', postalCode: '1' })).toBe(country);
    expect(matchZone(all, { country: 'US' })).toBe(world);
    expect(matchZone([country, region, code], { country: 'US' })).toBeUndefined();
  });

  it('has the highest priority among equally specific ones', () => {
    const low = zone({ priority: 1 });
    const high = zone({ priority: 2 });
    const world = zone({ countries: [], restOfWorld: true, priority: 99 });
    expect(matchZone([low, world, high], cluj)).toBe(high);
  });

  it('compares regions without case and diacritics', () => {
    expect(levelOf(zone({ regions: ['București'] }), { country: 'RO', region: ' BUCURESTI ' })).toBe(2);
    expect(levelOf(zone({ regions: ['București'] }), { country: 'RO', region: null })).toBeUndefined();
  });

  it('matches every list of the zone', () => {
    const both = zone({ regions: ['B'], postalCodePatterns: ['01*'] });
    expect(levelOf(both, { country: 'RO', region: 'RO-B', postalCode: '010101' })).toBe(3);
    expect(levelOf(both, { country: 'RO', region: 'CJ', postalCode: '010101' })).toBeUndefined();
    expect(levelOf(both, { country: 'MD', region: 'B', postalCode: '010101' })).toBeUndefined();
  });
});

describe('overlapping zones', () => {
  it.each<[string, Partial<ZonePlaces>, Partial<ZonePlaces>, boolean]>([
    ['the same country', {}, { countries: ['HU', 'RO'] }, true],
    ['different countries', {}, { countries: ['HU'] }, false],
    ['different priorities', {}, { priority: 1 }, false],
    ['a country and a region of it', {}, { regions: ['CJ'] }, false],
    ['the same region', { regions: ['CJ'] }, { regions: ['ro-cj', 'B'] }, true],
    ['a range and a prefix in it', { postalCodePatterns: ['010000-019999'] }, { postalCodePatterns: ['0155*'] }, true],
    ['a range and a code in it', { postalCodePatterns: ['010000-019999'] }, { postalCodePatterns: ['012345'] }, true],
    ['ranges that meet at the end', { postalCodePatterns: ['010000-019999'] }, { postalCodePatterns: ['019999-029999'] }, true],
    ['ranges side by side', { postalCodePatterns: ['010000-019999'] }, { postalCodePatterns: ['020000-029999'] }, false],
    [
      'one pattern in two regions',
      { regions: ['B'], postalCodePatterns: ['0*'] },
      { regions: ['CJ'], postalCodePatterns: ['0*'] },
      false,
    ],
    ['the rest of the world in both', { countries: [], restOfWorld: true }, { countries: ['US'], restOfWorld: true }, true],
    ['the world and a country', { countries: [], restOfWorld: true }, {}, false],
  ])('%s', (_, a, b, expected) => {
    expect([zonesOverlap(zone(a), zone(b)), zonesOverlap(zone(b), zone(a))]).toEqual([expected, expected]);
  });
});
