import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LoadOptions, loadPlugins, type PluginRegistry } from './load.ts';
import { foundationPlugins } from './manifest.ts';

let base: string;
let imported: string[];
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'storeloom-load-')));
  imported = [];
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const plain = (name: string): string => `export default Object.freeze({ contract: 1, name: '${name}' });\n`;
/** Puts a plugin into the installation; gives its package. */
function put(name: string, code = plain(name), requires: string[] = []): string {
  const packageName = `@storeloom/plugin-${name}`;
  const dir = join(base, 'node_modules', packageName);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'index.mjs'), code);
  const peers = ['sdk', ...requires].map((peer) => [`@storeloom/plugin-${peer}`, '*']);
  writeFileSync(
    join(dir, 'package.json'),
    JSON.stringify({
      name: packageName,
      version: '1.0.0',
      exports: './index.mjs',
      peerDependencies: Object.fromEntries(peers),
      storeloom: { plugin: name },
    }),
  );
  return packageName;
}
const load = (list: string[], change: Partial<LoadOptions> = {}): Promise<PluginRegistry> =>
  loadPlugins({
    dir: base,
    list,
    licence: { covers: () => ({ ok: true }) },
    sdkVersion: '1.0.0',
    importModule: (url, manifest) => {
      imported.push(manifest.name);
      return import(url);
    },
    ...change,
  });
const listed = (registry: PluginRegistry): Record<string, string> =>
  Object.fromEntries(
    registry
      .states()
      .filter(({ name }) => !(foundationPlugins as readonly string[]).includes(name))
      .map(({ name, state, reason }) => [name, reason ? `${state}/${reason.code}` : state]),
  );
const names = (registry: PluginRegistry): string[] => registry.loaded.map(({ manifest }) => manifest.name);

describe('loadPlugins', () => {
  test('imports in dependency order', async () => {
    const list = [put('orders', undefined, ['catalog']), put('catalog')];
    const registry = await load(list);
    expect(imported).toEqual(['catalog', 'orders']);
    expect(names(registry)).toEqual(['catalog', 'orders']);
    expect([...registry.byName.keys()]).toEqual(['catalog', 'orders']);
    expect(registry.byName.get('orders')?.plugin).toMatchObject({ contract: 1, name: 'orders' });
    expect(registry.states().find(({ name }) => name === 'orders')).toEqual({
      name: 'orders',
      package: '@storeloom/plugin-orders',
      version: '1.0.0',
      state: 'ready',
      reason: null,
      entitlement: 'orders',
      foundation: false,
      requires: ['catalog'],
    });
  });

  test('foundation plugins are added to the list, first, and may be missing', async () => {
    put('identity');
    const registry = await load([put('hotel')]);
    expect(registry.states().map(({ name, state, foundation }) => `${name} ${state} ${foundation}`)).toEqual([
      'identity ready true',
      'platform not_installed true',
      'workspace not_installed true',
      'customers not_installed true',
      'content not_installed true',
      'webhooks not_installed true',
      'dashboard not_installed true',
      'hotel ready false',
    ]);
    expect(names(registry)).toEqual(['identity', 'hotel']);
    expect(registry.states().find(({ name }) => name === 'content')?.reason?.message).not.toContain('off the list');
  });

  test('a foundation plugin that is listed as a folder takes the place of its package', async () => {
    put('identity');
    const registry = await load([`./node_modules/@storeloom/plugin-identity`]);
    expect(registry.states().filter(({ name }) => name === 'identity')).toHaveLength(1);
    expect(names(registry)).toEqual(['identity']);
  });

  test('what may not load is never imported', async () => {
    const registry = await load(
      [put('vendors'), put('payouts', undefined, ['vendors']), put('hotel'), '@storeloom/plugin-gone'],
      {
        licence: {
          covers: ({ name }) => (name === 'vendors' ? { ok: false, code: 'not_licensed', message: 'no' } : { ok: true }),
        },
      },
    );
    expect(imported).toEqual(['hotel']);
    expect(listed(registry)).toEqual({
      vendors: 'unlicensed/not_licensed',
      payouts: 'blocked/requires_failed',
      hotel: 'ready',
      gone: 'not_installed/package_missing',
    });
  });

  test.each<[string, string, string, RegExp]>([
    ['throws', "throw new Error('no luck');", 'import_failed', /no luck/],
    ['throws null', 'throw null;', 'import_failed', /null/],
    ['does not parse', 'export default {', 'import_failed', /./],
    ['imports what is not there', "import '@acme/missing'; export default {};", 'import_failed', /@acme\/missing/],
    ['exports nothing', 'export const plugin = 1;', 'contribution_invalid', /no default export/],
    ['exports a function', 'export default () => {};', 'contribution_invalid', /no default export/],
    ['exports null', 'export default null;', 'contribution_invalid', /no default export/],
    ['speaks another contract', "export default { contract: 2, name: 'bad' };", 'contribution_invalid', /contract 2/],
    ['speaks none', "export default { name: 'bad' };", 'contribution_invalid', /contract undefined/],
    ['has another name', "export default { contract: 1, name: 'good' };", 'contribution_invalid', /has the name good/],
  ])('one that %s fails alone', async (_, code, reason, message) => {
    const errors: string[] = [];
    const list = [put('bad', code), put('after', undefined, ['bad']), put('hotel')];
    const registry = await load(list, { onError: (name) => errors.push(name) });
    expect(listed(registry)).toEqual({ bad: `failed/${reason}`, after: 'blocked/requires_failed', hotel: 'ready' });
    expect(registry.states().find(({ name }) => name === 'bad')?.reason?.message).toMatch(message);
    expect(names(registry)).toEqual(['hotel']);
    expect(imported).toEqual(['bad', 'hotel']);
    expect(errors).toEqual(reason === 'import_failed' ? ['bad'] : []);
  });

  test('one that never ends its import meets the deadline', async () => {
    const list = [put('slow', 'await new Promise(() => setTimeout(() => {}, 1).unref());\nexport default {};'), put('hotel')];
    // What is read from a disk may take longer than that on a busy machine.
    const importModule: LoadOptions['importModule'] = async (url, { name }) =>
      name === 'slow' ? import(url) : { default: { contract: 1, name } };
    const registry = await load(list, { deadline: 50, importModule });
    expect(listed(registry)).toEqual({ slow: 'failed/import_timeout', hotel: 'ready' });
  });

  test('one that fails after its deadline has no effect on others', async () => {
    const registry = await load([put('slow')], {
      deadline: 5,
      importModule: () => new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 20)),
    });
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(listed(registry)).toEqual({ slow: 'failed/import_timeout' });
  });

  test('the licence check gets whether a plugin was on before', async () => {
    const asked: unknown[] = [];
    const covers: LoadOptions['licence']['covers'] = ({ name }, how) => {
      asked.push([name, how?.installed]);
      return { ok: true };
    };
    const licence = { covers };
    await load([put('old'), put('new')], { licence, installed: new Set(['old']) });
    await load(['@storeloom/plugin-new'], { licence });
    expect(asked).toEqual([
      ['old', true],
      ['new', false],
      ['new', true],
    ]);
  });
});

describe('markFailed', () => {
  test('removes the plugin and its dependants, in any order', async () => {
    const registry = await load([put('a'), put('b', undefined, ['a']), put('c', undefined, ['b']), put('d')]);
    registry.markFailed('b', { code: 'migration_failed', message: 'm' });
    expect(listed(registry)).toEqual({ a: 'ready', b: 'failed/migration_failed', c: 'blocked/requires_failed', d: 'ready' });
    expect(names(registry)).toEqual(['a', 'd']);
    expect(registry.byName.has('c')).toBe(false);
    registry.markFailed('a', { code: 'contribution_invalid', message: 'm' });
    expect(names(registry)).toEqual(['d']);
    expect(listed(registry)).toMatchObject({ a: 'failed/contribution_invalid', b: 'failed/migration_failed' });
    expect(() => registry.markFailed('unknown', { code: 'x', message: 'm' })).toThrow(/unknown is not a plugin/);
  });
});
