import { expect, test } from 'vitest';
import type { ReleaseManifest } from '../manifest.ts';
import { licenceFindings } from './licence.ts';

const manifest = {
  version: '1.5.0',
  released: '2027-02-01',
  packages: { '@storeloom/plugin-hotel': '2.1.0', '@storeloom/plugin-orders': '1.5.0' },
} as unknown as ReleaseManifest;
const plugin = (name: string, entitlement?: string) => ({
  folder: '/x',
  isLocal: false,
  manifest: {
    name: `@storeloom/plugin-${name}`,
    version: '1.0.0',
    storeloom: { plugin: name, ...(entitlement === undefined ? {} : { entitlement }) },
  },
});
const codes = (view: Partial<Parameters<typeof licenceFindings>[1]>) =>
  licenceFindings(manifest, { state: 'valid', plugins: { '*': '*' }, updatesUntil: null, ...view }, [
    plugin('hotel', 'lodging'),
    plugin('orders'),
  ]).map(({ code, where }) => `${code} ${where}`);

test('a licence covers a target by its state, its update period and the range of each plugin', () => {
  expect(codes({})).toEqual([]);
  expect(codes({ state: 'grace', updatesUntil: '2027-02-01T00:00:00.000Z' })).toEqual([]);
  expect(codes({ state: 'expired' })).toEqual(['license_expired licence']);
  expect(codes({ state: 'revoked' })).toEqual(['license_expired licence']);
  expect(codes({ updatesUntil: '2027-01-31T23:59:59.000Z' })).toEqual(['license_updates_ended licence']);
  expect(codes({ plugins: { lodging: '^1.0.0', '*': '*' } })).toEqual(['version_not_licensed @storeloom/plugin-hotel@2.1.0']);
  expect(codes({ plugins: { lodging: '^2.0.0' } })).toEqual([]);
});
