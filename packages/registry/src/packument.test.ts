import { describe, expect, test } from 'vitest';
import { type Caller, covers, entitlementOf, requirePublisher } from './coverage.ts';
import { abbreviated, full, type Packument, type Version, versionFor, visible } from './packument.ts';
import { maxRead, search } from './search.ts';

const licence = (change: object = {}): Caller => ({
  answer: 'valid',
  kind: 'install',
  licenseId: 'L1',
  plugins: { hotel: '^1.0.0' },
  themes: {},
  expiresAt: '2027-01-01T00:00:00.000Z',
  updatesUntil: '2027-01-01T00:00:00.000Z',
  ...change,
});
const publisher: Caller = { answer: 'valid', kind: 'publish', packages: ['@acme/*', 'solo'] };
const name = '@acme/plugin-hotel';
const version = (number: string, change: object = {}): Version => ({
  name,
  version: number,
  description: 'Rooms',
  scripts: { test: 'vitest' },
  dependencies: { zod: '4' },
  storeloom: { plugin: 'hotel' },
  dist: { integrity: `sha512-${number}`, tarball: 'http://localhost/x', signatures: [] },
  ...change,
});
const packument = (numbers: readonly string[], change: Partial<Packument> = {}): Packument => ({
  name,
  versions: Object.fromEntries(numbers.map((number) => [number, version(number)])),
  'dist-tags': { latest: numbers.at(-1) as string },
  time: {
    created: '2026-01-01T00:00:00.000Z',
    modified: '2026-06-01T00:00:00.000Z',
    ...Object.fromEntries(numbers.map((number, i) => [number, `2026-0${i + 1}-01T00:00:00.000Z`])),
  },
  ...change,
});
const thrown = (fn: () => unknown): string => {
  try {
    fn();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was thrown');
};

describe('what a licence covers', () => {
  test('its entitlement, by the manifest, else the short name; themes by theirs', () => {
    expect(entitlementOf(version('1.0.0'))).toEqual({ kind: 'plugins', key: 'hotel' });
    expect(entitlementOf(version('1.0.0', { storeloom: { plugin: 'spa', entitlement: 'wellness' } }))).toEqual({
      kind: 'plugins',
      key: 'wellness',
    });
    expect(entitlementOf({ name: '@acme/theme-sea', version: '1.0.0', storeloom: { theme: 'sea' } })).toEqual({
      kind: 'themes',
      key: 'sea',
    });
  });

  test('the kernel, the SDKs and foundation plugins need none; other scopes cannot declare foundation plugins', () => {
    expect(entitlementOf({ name: '@storeloom/core', version: '1.0.0' })).toBeUndefined();
    const foundation = { plugin: 'identity', foundation: true };
    expect(entitlementOf({ name: '@storeloom/plugin-identity', version: '1.0.0', storeloom: foundation })).toBeUndefined();
    expect(entitlementOf({ name: '@acme/plugin-identity', version: '1.0.0', storeloom: foundation })).toEqual({
      kind: 'plugins',
      key: 'identity',
    });
  });

  test('versions of its range, published until its updates end', () => {
    const at = '2026-01-01T00:00:00.000Z';
    expect(covers(licence(), version('1.9.0'), at)).toBe(true);
    expect(covers(licence(), version('2.0.0'), at)).toBe(false);
    expect(covers(licence({ plugins: { '*': '*' } }), version('2.0.0'), at)).toBe(true);
    expect(covers(licence({ plugins: { '*': '*', hotel: '<2' } }), version('2.0.0'), at)).toBe(false);
    expect(covers(licence({ plugins: {} }), version('1.0.0'), at)).toBe(false);
    expect(covers(licence(), version('1.0.0'), '2027-01-01T00:00:00.001Z')).toBe(false);
    for (const unknown of [undefined, '', 'soon']) expect(covers(licence(), version('1.0.0'), unknown)).toBe(false);
    expect(covers(licence({ plugins: {} }), { name: '@storeloom/core', version: '1.0.0' }, at)).toBe(true);
    // Names of Object.prototype aren't entitlements.
    expect(covers(licence({ plugins: {} }), version('1.0.0', { storeloom: { plugin: 'constructor' } }), at)).toBe(false);
  });

  test('a publisher sees and publishes what it names', () => {
    expect(covers(publisher, version('9.0.0'), undefined)).toBe(true);
    expect(covers(publisher, version('1.0.0', { name: '@acmeX/hotel' }), undefined)).toBe(false);
    expect(() => requirePublisher(publisher, 'solo')).not.toThrow();
    for (const other of ['@other/x', 'solo-2', '@acme'])
      expect(thrown(() => requirePublisher(publisher, other))).toMatch(/^not_a_publisher: /);
    expect(thrown(() => requirePublisher(licence(), '@acme/x'))).toMatch(/^not_a_publisher: .*for installing/);
  });
});

describe('a packument', () => {
  const stored = packument(['1.0.0', '1.1.0', '1.2.0-rc.1', '2.0.0']);

  test('holds what the licence covers: versions, times, tags', () => {
    const seen = visible(stored, licence());
    expect(Object.keys(seen.versions)).toEqual(['1.0.0', '1.1.0', '1.2.0-rc.1']);
    expect(Object.keys(seen.time as object)).toEqual(['created', 'modified', '1.0.0', '1.1.0', '1.2.0-rc.1']);
    expect(seen['dist-tags']).toEqual({ latest: '1.1.0' });
    expect(JSON.stringify(seen)).not.toContain('2.0.0');
    expect(visible(stored, licence({ plugins: { hotel: '*' } }))['dist-tags']).toEqual({ latest: '2.0.0' });
    expect(visible(packument(['1.1.0-a', '1.1.0-b']), licence())['dist-tags'].latest).toBe('1.1.0-b');
  });

  test('says why it holds nothing', () => {
    expect(thrown(() => visible(stored, licence({ plugins: { spa: '*' } })))).toMatch(
      /^not_in_license: @acme\/plugin-hotel needs the entitlement hotel.*licence L1.*Ask/,
    );
    expect(thrown(() => visible(stored, licence({ plugins: { hotel: '^3.0.0' } })))).toMatch(
      /^version_not_licensed: .*hotel \^3\.0\.0/,
    );
    expect(thrown(() => visible(stored, licence({ updatesUntil: '2025-01-01T00:00:00.000Z' })))).toMatch(/until 2025-01-01/);
    expect(thrown(() => visible({ ...stored, name: '@other/x', versions: {} }, publisher))).toMatch(/^not_in_license: @other\/x/);
  });

  test('a version is given by number and tag, or refused with the last one that is covered', () => {
    expect(versionFor(stored, licence(), '1.0.0')?.version).toBe('1.0.0');
    expect(versionFor(stored, licence(), 'latest')?.version).toBe('1.1.0');
    expect(versionFor(stored, licence(), '1.5.0')).toBeUndefined();
    expect(versionFor(stored, licence(), 'constructor')).toBeUndefined();
    expect(thrown(() => versionFor(stored, licence(), '2.0.0'))).toMatch(
      /^version_not_licensed: @acme\/plugin-hotel@2\.0\.0 .*Install @acme\/plugin-hotel@1\.1\.0/,
    );
  });

  test('names the address by which the caller came; the short form holds what an install reads', () => {
    const seen = visible(stored, licence());
    const address = 'https://npm.example/@acme/plugin-hotel/-/plugin-hotel-1.0.0.tgz';
    for (const form of [full, abbreviated]) {
      const made = form(seen, 'https://npm.example') as { versions: Record<string, { dist: object }> };
      expect(made.versions['1.0.0']?.dist).toEqual({ integrity: 'sha512-1.0.0', tarball: address, signatures: [] });
    }
    const short = abbreviated(seen, '') as { versions: Record<string, object>; modified: string };
    expect(Object.keys(short)).toEqual(['name', 'modified', 'dist-tags', 'versions']);
    expect(Object.keys(short.versions['1.0.0'] as object)).toEqual(['name', 'version', 'dependencies', 'dist', 'storeloom']);
  });
});

describe('search', () => {
  const other = { ...packument(['1.0.0']), name: '@acme/other' };
  const all = new Map([other, packument(['1.0.0', '1.1.0'])].map((each) => [each.name, each]));
  const find = async (text: string, from = 0, size = 20) => {
    const read: string[] = [];
    const load = async (each: string) => {
      read.push(each);
      return all.get(each);
    };
    const { objects, total } = await search([...all.keys()], load, { text, from, size });
    return { names: objects.map((row) => (row as { package: { name: string } }).package.name), total, read };
  };

  test('finds every word in name, description and keywords, names first', async () => {
    expect((await find('hotel rooms')).names).toEqual([name]);
    expect((await find('ROOMS')).names).toEqual(['@acme/other', name]);
    expect((await find('')).names).toHaveLength(2);
    expect((await find('rooms pool')).names).toEqual([]);
    expect(await find('', 1, 1)).toMatchObject({ names: [name], total: 2 });
  });

  test('reads what fills the page, a bounded number at most, and hides what the caller has no part in', async () => {
    const many = Array.from({ length: 2 * maxRead }, (_, i) => `@acme/plugin-${String(i).padStart(4, '0')}`);
    const asked: string[] = [];
    const hidden = new Set(many.slice(0, 10));
    const load = async (each: string) => {
      asked.push(each);
      return hidden.has(each) ? undefined : { ...packument(['1.0.0']), name: each };
    };
    const page = await search(many, load, { text: 'plugin', from: 0, size: 20 });
    expect(page.objects).toMatchObject(many.slice(10, 30).map((each) => ({ package: { name: each } })));
    expect(asked.length).toBeLessThan(40);
    expect(page.total).toBeGreaterThan(20);
    asked.length = 0;
    // The name that holds the word is read first.
    expect((await search(many, load, { text: '1999', from: 0, size: 1 })).objects).toMatchObject([
      { package: { name: many[1999] } },
    ]);
    expect(asked.length).toBeLessThan(10);
    asked.length = 0;
    expect((await search(many, load, { text: 'nothing', from: 0, size: 20 })).objects).toEqual([]);
    expect(asked).toHaveLength(maxRead);
  });
});
