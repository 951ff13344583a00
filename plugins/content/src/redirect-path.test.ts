import { describe, expect, it } from 'vitest';
import { normalPath, normalTarget } from './redirect-path.ts';

describe('a path', () => {
  it.each([
    ['/', '/'],
    ['/old', '/old'],
    ['/old/', '/old'],
    ['//old//page//', '/old/page'],
    ['/a/../b', '/b'],
    ['/Old', '/Old'],
    ['/știri', '/%C8%99tiri'],
    ['/%C8%99tiri', '/%C8%99tiri'],
    ['/%c8%99tiri', '/%C8%99tiri'],
    ['/%61', '/a'],
    ['/a%20b', '/a%20b'],
  ])('%s is %s', (text, path) => expect(normalPath(text)).toBe(path));
  it.each(['', 'old', 'https://x.example/', '/a?b', '/a#b', '/a b', '/\\x', '/%00', '/%', '/%5c', '/a%3Fb', '/%c8'])(
    '%s is none',
    (text) => expect(normalPath(text)).toBeUndefined(),
  );
});

describe('a target', () => {
  const hosts = ['shop.example', 'www.shop.example'];
  it.each([
    ['/new/', '/new'],
    ['/new?a=1#b', '/new?a=1#b'],
    ['https://shop.example/new/?a=1', '/new?a=1'],
    ['HTTP://WWW.shop.example', '/'],
    ['https://elsewhere.example/x/', 'https://elsewhere.example/x/'],
  ])('%s is %s', (text, target) => expect(normalTarget(text, hosts)).toBe(target));
  it.each([
    '',
    'new',
    '//elsewhere.example',
    '/\\elsewhere.example',
    'javascript:alert(1)',
    'ftp://x.example/',
    'https://user@x.example/',
    'https://',
    'data:text/html,x',
  ])('%s is none', (text) => expect(normalTarget(text, hosts)).toBeUndefined());
});
