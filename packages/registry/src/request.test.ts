import { describe, expect, test } from 'vitest';
import { routed } from '../test/routed.ts';
import { canonicalUrl, type RegistryRequest } from './request.ts';

const parseRequest = (method: string, url: string): RegistryRequest | undefined => routed(method, url).request;

describe('the routes', () => {
  test.each([
    ['GET', '/-/ping', { kind: 'ping' }],
    ['GET', '/-/npm/v1/keys', { kind: 'keys' }],
    ['GET', '/-/whoami', { kind: 'whoami' }],
    ['GET', '/-/v1/search?text=rooms&size=5&from=10', { kind: 'search', text: 'rooms', size: 5, from: 10 }],
    ['GET', '/@acme%2fplugin-hotel', { kind: 'packument', name: '@acme/plugin-hotel' }],
    ['GET', '/@acme%2Fplugin-hotel?write=true', { kind: 'packument', name: '@acme/plugin-hotel' }],
    ['HEAD', '/%40acme%2fplugin-hotel', { kind: 'packument', name: '@acme/plugin-hotel' }],
    ['GET', '/@acme/plugin-hotel', { kind: 'packument', name: '@acme/plugin-hotel' }],
    ['GET', '/hotel/1.2.3', { kind: 'version', name: 'hotel', version: '1.2.3' }],
    ['GET', '/@acme%2fhotel/next', { kind: 'version', name: '@acme/hotel', version: 'next' }],
    ['GET', '/@acme/hotel/-/hotel-1.0.0-rc.1.tgz', { kind: 'tarball', name: '@acme/hotel', version: '1.0.0-rc.1' }],
    ['GET', '/hotel-a/-/hotel-a-1.0.0.tgz', { kind: 'tarball', name: 'hotel-a', version: '1.0.0' }],
    ['PUT', '/@acme%2fhotel', { kind: 'publish', name: '@acme/hotel' }],
    ['GET', '/-/package/@acme%2fhotel/dist-tags', { kind: 'tags', name: '@acme/hotel' }],
    ['PUT', '/-/package/@acme%2fhotel/dist-tags/next', { kind: 'tag', name: '@acme/hotel', tag: 'next' }],
    ['DELETE', '/-/package/hotel/dist-tags/next', { kind: 'untag', name: 'hotel', tag: 'next' }],
  ])('%s %s', (method, url, expected) => {
    expect(parseRequest(method, url)).toEqual(expected);
  });

  test.each([
    ['GET', '/'],
    ['GET', '//hotel'],
    ['GET', '/../hotel'],
    ['GET', '/%2e%2e/hotel'],
    ['GET', '/@acme%2f..%2fhotel'],
    ['GET', '/@acme%252fhotel'],
    ['GET', '/@acme/hotel%2f..%2f..'],
    ['GET', '/%zz'],
    ['GET', '/hotel\u0000'],
    ['GET', '/__proto__'],
    ['GET', '/Hotel'],
    ['GET', '/hotel/^1.0.0'],
    ['GET', '/hotel/-/hotel-1.0.0.tgz/-rev/1'],
    ['GET', '/hotel/-/other-1.0.0.tgz'],
    ['GET', '/hotel/-/..%2fother%2fother-1.0.0.tgz'],
    ['GET', '/hotel/-/hotel-1.0.0'],
    ['PUT', '/hotel/-rev/1-a'],
    ['PUT', '/hotel/-/hotel-1.0.0.tgz/1'],
    ['DELETE', '/hotel/-rev/1-a'],
    ['DELETE', '/hotel/-/hotel-1.0.0.tgz/-rev/1'],
    ['POST', '/hotel'],
    ['PUT', '/-/user/org.couchdb.user:me'],
    ['POST', '/-/npm/v1/tokens'],
    ['GET', '/-/npm/v1/user'],
    ['GET', '/-/all'],
    ['GET', '/-/verdaccio/data/packages'],
    ['GET', '/-/v1/search?size=1e9'],
    ['GET', '/-/v1/search?from=-1'],
    ['PUT', '/-/package/hotel/dist-tags/1.0.0'],
    ['PUT', '/-/package/hotel/dist-tags/x%2fy'],
    ['POST', '/-/npm/v1/security/audits/quick'],
  ])('nothing: %s %s', (method, url) => {
    expect(parseRequest(method, url)).toBeUndefined();
  });

  test('what Verdaccio is given has one spelling', () => {
    const spelt = (method: string, url: string): string => canonicalUrl(parseRequest(method, url) as never);
    for (const url of [
      '/@acme/hotel/-/hotel-1.0.0.tgz',
      '/%40acme%2fhotel/-/hotel-1.0.0.tgz',
      '/@acme%2Fhotel/-/hotel-1.0.0.tgz?x=1',
    ])
      expect(spelt('GET', url)).toBe('/@acme%2Fhotel/-/hotel-1.0.0.tgz');
    expect(spelt('PUT', '/@acme%2fhotel')).toBe('/@acme%2Fhotel');
    expect(spelt('PUT', '/-/package/@acme/hotel/dist-tags/next')).toBe('/-/package/@acme%2Fhotel/dist-tags/next');
  });
});
