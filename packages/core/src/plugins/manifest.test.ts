import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mainTarget, processConditions } from './exports.ts';
import { readManifest, sdkVersion } from './manifest.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'storeloom-manifest-')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const built = new Set(['node', 'import']);
const json = (change: object = {}): Record<string, unknown> => ({
  name: '@storeloom/plugin-vendors',
  version: '1.4.0',
  exports: { '.': { 'storeloom-source': './src/index.ts', default: './dist/index.js' }, './contract': './dist/contract.js' },
  peerDependencies: {
    '@storeloom/plugin-sdk': '^1.2.0',
    '@storeloom/plugin-catalog': 'workspace:^',
    '@storeloom/plugin-search': '^1.0.0',
    // A library of contracts, and no plugin that would be required.
    '@storeloom/commerce': '^1.0.0',
    koa: '*',
  },
  peerDependenciesMeta: { '@storeloom/plugin-search': { optional: true } },
  storeloom: { plugin: 'vendors', entitlement: 'marketplace', upgradesFrom: '>=1.0.0' },
  ...change,
});
function put(folder: string, content: unknown, files: string[] = ['dist/index.js']): string {
  const dir = join(base, folder);
  for (const file of files) {
    mkdirSync(join(dir, file, '..'), { recursive: true });
    writeFileSync(join(dir, file), '');
  }
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'package.json'), typeof content === 'string' ? content : JSON.stringify(content));
  return dir;
}
const installed = 'node_modules/@storeloom/plugin-vendors';
const read = (spec = '@storeloom/plugin-vendors', conditions: ReadonlySet<string> = built) =>
  readManifest(spec, base, { conditions });

describe('readManifest', () => {
  test('reads an installed package without running it', () => {
    const dir = put(installed, json());
    writeFileSync(join(dir, 'dist/index.js'), "throw new Error('must not run');");
    expect(read()).toEqual({
      spec: '@storeloom/plugin-vendors',
      name: 'vendors',
      package: '@storeloom/plugin-vendors',
      fault: null,
      manifest: {
        package: '@storeloom/plugin-vendors',
        version: '1.4.0',
        name: 'vendors',
        entitlement: 'marketplace',
        foundation: false,
        upgradesFrom: '>=1.0.0',
        sdkRange: '^1.2.0',
        requires: [{ package: '@storeloom/plugin-catalog', name: 'catalog', range: '*' }],
        optional: [{ package: '@storeloom/plugin-search', name: 'search', range: '^1.0.0' }],
        dir,
        entry: pathToFileURL(join(dir, 'dist/index.js')).href,
      },
    });
  });

  test('finds it from the installation upwards, through links, also when exports hide package.json', () => {
    const real = put('store/vendors', json());
    mkdirSync(join(base, 'node_modules/@storeloom'), { recursive: true });
    symlinkSync(real, join(base, installed));
    mkdirSync(join(base, 'shops/one'), { recursive: true });
    expect(readManifest('@storeloom/plugin-vendors', join(base, 'shops/one'), { conditions: built }).manifest?.dir).toBe(real);
  });

  test('takes packages of other scopes by the name in their manifest', () => {
    put('node_modules/@acme/ticketing', json({ name: '@acme/ticketing', storeloom: { plugin: 'acme-tickets' } }));
    expect(read('@acme/ticketing')).toMatchObject({
      name: 'acme-tickets',
      manifest: { entitlement: 'acme-tickets', upgradesFrom: null },
    });
  });

  test('takes a folder, relative or absolute, and its sources before its build', () => {
    const dir = put('plugins/mine', json(), ['src/index.ts', 'dist/index.js']);
    for (const spec of ['./plugins/mine', dir]) {
      expect(read(spec)).toMatchObject({
        name: 'vendors',
        package: '@storeloom/plugin-vendors',
        manifest: { entry: pathToFileURL(join(dir, 'src/index.ts')).href },
      });
    }
    const onlyBuilt = put('plugins/built', json());
    expect(read('./plugins/built').manifest?.entry).toBe(pathToFileURL(join(onlyBuilt, 'dist/index.js')).href);
  });

  test('under the source condition a package comes from its sources', () => {
    const dir = put(installed, json(), ['src/index.ts', 'dist/index.js']);
    expect(read().manifest?.entry).toBe(pathToFileURL(join(dir, 'dist/index.js')).href);
    expect(read(undefined, new Set([...built, 'storeloom-source'])).manifest?.entry).toBe(
      pathToFileURL(join(dir, 'src/index.ts')).href,
    );
  });

  test('what is not there is not installed, and the fix is a command', () => {
    expect(read()).toMatchObject({
      name: 'vendors',
      manifest: null,
      fault: { state: 'not_installed', reason: { code: 'package_missing' } },
    });
    expect(read().fault?.reason.message).toMatch(/fix {4}npm i @storeloom\/plugin-vendors/);
    expect(read('./plugins/none')).toMatchObject({ fault: { state: 'not_installed' } });
    for (const odd of ['@storeloom/../../etc', 'https://x.example/p', 'a b', '@/x', 'node:fs', ''])
      expect([odd, read(odd).fault?.state]).toEqual([odd, 'not_installed']);
  });

  test.each<[string, unknown, RegExp]>([
    ['no JSON', '{', /can't be read/],
    ['a list', [], /no Storeloom plugin/],
    ['a package without identity', json({ storeloom: undefined }), /needs "storeloom"/],
    ['a name with capitals', json({ storeloom: { plugin: 'Vendors' } }), /storeloom\.plugin/],
    ['a name that is a path', json({ storeloom: { plugin: '../x' } }), /storeloom\.plugin/],
    ["the kernel's name", json({ storeloom: { plugin: 'core' } }), /kernel's own name/],
    ['no version', json({ version: undefined }), /version/],
    ['a version that is none', json({ version: '1' }), /semver version/],
    ['upgradesFrom that is no range', json({ storeloom: { plugin: 'vendors', upgradesFrom: 'soon' } }), /upgradesFrom/],
    ['a stranger as foundation', json({ storeloom: { plugin: 'vendors', foundation: true } }), /no foundation plugin/],
    [
      "a stranger under a foundation plugin's name",
      json({ name: '@acme/identity', storeloom: { plugin: 'identity', foundation: true } }),
      /no foundation plugin/,
    ],
  ])('%s: failed, with the reason', (_, content, message) => {
    put(installed, content);
    const { fault, manifest } = read();
    expect(manifest).toBeNull();
    expect(fault).toMatchObject({
      state: 'failed',
      reason: { code: 'contribution_invalid', message: expect.stringMatching(message) },
    });
  });

  test('foundation is given by the kernel: without the claim too, and never to another package of the name', () => {
    put(
      'node_modules/@storeloom/plugin-identity',
      json({ name: '@storeloom/plugin-identity', storeloom: { plugin: 'identity' } }),
    );
    expect(read('@storeloom/plugin-identity').manifest?.foundation).toBe(true);
    put('node_modules/@acme/identity', json({ name: '@acme/identity', storeloom: { plugin: 'identity' } }));
    expect(read('@acme/identity').manifest?.foundation).toBe(false);
  });

  test('one that was not built, or exports nothing, can not be imported', () => {
    put(installed, json(), []);
    expect(read().fault).toMatchObject({
      state: 'failed',
      reason: { code: 'import_failed', message: expect.stringContaining('build the plugin') },
    });
    for (const exports of [
      { './contract': './dist/contract.js' },
      { '.': { browser: './dist/index.js' } },
      '../outside.js',
      './../outside.js',
      '/etc/passwd',
      './node_modules/x/index.js',
    ]) {
      put(installed, json({ exports }));
      expect([exports, read().fault?.reason.code]).toEqual([exports, 'import_failed']);
    }
  });

  test('without a peer on the SDK there is no range', () => {
    put(installed, json({ peerDependencies: undefined, peerDependenciesMeta: undefined }));
    expect(read().manifest).toMatchObject({ sdkRange: null, requires: [], optional: [] });
  });

  test('ranges of a workspace', () => {
    for (const [written, range] of [
      ['workspace:*', '*'],
      ['workspace:~', '*'],
      ['workspace:^1.2.0', '^1.2.0'],
      ['>=1 <3', '>=1 <3'],
    ] as const) {
      put(installed, json({ peerDependencies: { '@storeloom/plugin-sdk': written } }));
      expect(read().manifest?.sdkRange).toBe(range);
    }
  });
});

describe('mainTarget', () => {
  test.each<[unknown, string | undefined]>([
    ['./a.js', './a.js'],
    [{ '.': './a.js' }, './a.js'],
    [{ import: './a.js', default: './b.js' }, './a.js'],
    [{ default: './b.js', import: './a.js' }, './b.js'],
    [{ '.': { node: { require: './a.cjs', import: './a.js' }, default: './b.js' } }, './a.js'],
    [{ '.': { node: { require: './a.cjs' }, default: './b.js' } }, './b.js'],
    [[{ require: './a.cjs' }, './b.js'], './b.js'],
    [{ '.': null }, undefined],
    [{}, undefined],
    [{ './x': './x.js' }, undefined],
  ])('%j → %s', (exports, target) => {
    expect(mainTarget({ exports }, built)).toBe(target);
  });

  test('without exports: main, else index.js', () => {
    expect(mainTarget({ main: 'lib/a.js' }, built)).toBe('./lib/a.js');
    expect(mainTarget({}, built)).toBe('./index.js');
  });
});

test('conditions of the process', () => {
  const conditions = (argv: string[], self = 'file:///x/dist/exports.js'): string[] =>
    [...processConditions(argv, self)].slice(3);
  expect(conditions([])).toEqual([]);
  expect(conditions(['--conditions=storeloom-source', '-C', 'a', '--conditions', 'b', '-C=c'])).toEqual([
    'storeloom-source',
    'a',
    'b',
    'c',
  ]);
  expect(conditions([], 'file:///x/src/exports.ts')).toEqual(['storeloom-source']);
});

test('the version of the SDK beside the kernel', () => {
  expect(sdkVersion()).toMatch(/^\d+\.\d+\.\d+/);
});
