import { describe, expect, test } from 'vitest';
import { blockDependants, type GraphRules, resolvePlugins, type Verdict } from './graph.ts';
import type { Candidate } from './manifest.ts';
import type { Manifest } from './registry.ts';

const peer = (name: string, range = '*') => ({ package: `@storeloom/plugin-${name}`, name, range });
function candidate(name: string, requires: string[] = [], change: Partial<Manifest> = {}): Candidate {
  const manifest: Manifest = {
    package: `@storeloom/plugin-${name}`,
    version: '1.4.0',
    name,
    entitlement: name,
    foundation: false,
    upgradesFrom: null,
    sdkRange: '^1.0.0',
    requires: requires.map((required) => peer(required)),
    optional: [],
    dir: '/x',
    entry: 'file:///x/index.js',
    ...change,
  };
  return { spec: manifest.package, name: manifest.name, package: manifest.package, manifest, fault: null };
}
const missing = (name: string): Candidate => ({
  spec: `@storeloom/plugin-${name}`,
  name,
  package: `@storeloom/plugin-${name}`,
  manifest: null,
  fault: { state: 'not_installed', reason: { code: 'package_missing', message: 'not installed' } },
});
const rules = (change: Partial<GraphRules> = {}): GraphRules => ({
  sdkVersion: '1.2.0',
  covers: () => ({ ok: true }),
  ...change,
});
const unlicensed = (...names: string[]): Partial<GraphRules> => ({
  covers: ({ name }) => (names.includes(name) ? { ok: false, code: 'not_licensed', message: 'no' } : { ok: true }),
});
const states = (verdicts: readonly Verdict[]): Record<string, string> =>
  Object.fromEntries(verdicts.map(({ name, state, reason }) => [name, reason ? `${state}/${reason.code}` : state]));
const messageOf = (verdicts: readonly Verdict[], name: string): string =>
  verdicts.find((verdict) => verdict.name === name)?.reason?.message ?? '';

describe('resolvePlugins', () => {
  test('orders by dependency, and keeps the order of the list where it can', () => {
    const list = [
      candidate('orders', ['checkout', 'customers']),
      candidate('search', ['catalog']),
      candidate('checkout', ['catalog']),
      candidate('customers'),
      candidate('catalog'),
      candidate('hotel'),
    ];
    expect(resolvePlugins(list, rules()).map((verdict) => verdict.name)).toEqual([
      'catalog',
      'checkout',
      'customers',
      'orders',
      'search',
      'hotel',
    ]);
  });

  test('a package that is missing, and what requires it', () => {
    const verdicts = resolvePlugins(
      [missing('catalog'), candidate('orders', ['catalog']), candidate('reports', ['orders']), candidate('hotel')],
      rules(),
    );
    expect(states(verdicts)).toEqual({
      catalog: 'not_installed/package_missing',
      orders: 'blocked/requires_missing',
      reports: 'blocked/requires_failed',
      hotel: 'ready',
    });
    expect(messageOf(verdicts, 'orders')).toMatch(/fix {4}npm i @storeloom\/plugin-catalog/);
    expect(messageOf(verdicts, 'reports')).toMatch(/orders is blocked \(requires_missing\)/);
  });

  test('one that is not listed', () => {
    const verdicts = resolvePlugins([candidate('orders', ['catalog'])], rules());
    expect(states(verdicts)).toEqual({ orders: 'blocked/requires_missing' });
    expect(messageOf(verdicts, 'orders')).toMatch(/add '@storeloom\/plugin-catalog' to plugins/);
  });

  test('a range that the SDK is outside of: one block with all there is to know', () => {
    const verdicts = resolvePlugins(
      [candidate('loyalty', [], { sdkRange: '>=1.4 <3' }), candidate('hotel')],
      rules({ sdkVersion: '3.1.0' }),
    );
    expect(states(verdicts)).toMatchObject({ loyalty: 'incompatible/plugin_incompatible' });
    expect(messageOf(verdicts, 'loyalty').split('\n')).toEqual([
      "loyalty 1.4.0 can't run on plugin-sdk 3.1.0",
      '  where  @storeloom/plugin-loyalty@1.4.0, package.json peerDependencies',
      '  why    it wants @storeloom/plugin-sdk >=1.4 <3',
      '  fix    npm i @storeloom/plugin-loyalty@latest, or a version of it that takes plugin-sdk 3.1.0 (npm view @storeloom/plugin-loyalty peerDependencies)',
      '  docs   /errors/plugin_incompatible',
    ]);
  });

  test.each<[string | null, string, string]>([
    ['>=99', '1.2.0', 'incompatible/plugin_incompatible'],
    ['banana', '1.2.0', 'incompatible/plugin_incompatible'],
    [null, '1.2.0', 'incompatible/plugin_incompatible'],
    ['*', '1.2.0', 'ready'],
    ['*', '2.0.0-rc.1', 'ready'],
    ['^1.2.0', '1.3.0-rc.1', 'ready'],
    ['^1.2.0', '1.2.0', 'ready'],
    ['^1.3.0', '1.2.9', 'incompatible/plugin_incompatible'],
  ])('range %s on SDK %s: %s', (sdkRange, sdkVersion, expected) => {
    expect(states(resolvePlugins([candidate('x', [], { sdkRange })], rules({ sdkVersion })))).toEqual({ x: expected });
  });

  test('a required plugin, or an optional one that is there, of the wrong version', () => {
    const list = [
      candidate('catalog', [], { version: '2.0.0' }),
      candidate('orders', [], { requires: [peer('catalog', '^1.0.0')] }),
      candidate('search', [], { optional: [peer('catalog', '^1.0.0'), peer('absent', '^9.0.0')] }),
      candidate('vendors', [], { requires: [peer('catalog', '^2.0.0')], optional: [peer('absent', '^9.0.0')] }),
    ];
    expect(states(resolvePlugins(list, rules()))).toEqual({
      catalog: 'ready',
      orders: 'incompatible/plugin_incompatible',
      search: 'incompatible/plugin_incompatible',
      vendors: 'ready',
    });
  });

  test('an operator may let it run all the same, and that stays to be seen', () => {
    const list = [
      candidate('catalog', [], { sdkRange: '>=9' }),
      candidate('orders', [], { requires: [peer('catalog', '^5.0.0')] }),
      candidate('hotel', [], { sdkRange: '>=9' }),
    ];
    const verdicts = resolvePlugins(list, rules({ allowIncompatible: new Set(['catalog', 'orders']) }));
    expect(states(verdicts)).toEqual({
      catalog: 'ready/plugin_incompatible',
      orders: 'ready/plugin_incompatible',
      hotel: 'incompatible/plugin_incompatible',
    });
    expect(messageOf(verdicts, 'catalog')).toMatch(/--allow-incompatible/);
  });

  test('unlicensed, and what requires it; an incompatible one stays incompatible', () => {
    const list = [candidate('vendors'), candidate('payouts', ['vendors']), candidate('hotel', [], { sdkRange: '>=9' })];
    expect(states(resolvePlugins(list, rules({ ...unlicensed('vendors', 'hotel'), allowIncompatible: new Set() })))).toEqual({
      vendors: 'unlicensed/not_licensed',
      payouts: 'blocked/requires_failed',
      hotel: 'incompatible/plugin_incompatible',
    });
    // The licence can't be overridden, not by the escape hatch either.
    expect(states(resolvePlugins(list, rules({ ...unlicensed('hotel'), allowIncompatible: new Set(['hotel']) })))).toMatchObject({
      hotel: 'unlicensed/not_licensed',
    });
  });

  test('a cycle is named, its members fail, its dependants are blocked, the rest is ready', () => {
    const list = [
      candidate('a', ['b']),
      candidate('b', ['c']),
      candidate('c', ['a', 'd']),
      candidate('d'),
      candidate('e', ['a']),
      candidate('self', ['self']),
    ];
    const verdicts = resolvePlugins(list, rules());
    expect(states(verdicts)).toEqual({
      a: 'failed/contribution_invalid',
      b: 'failed/contribution_invalid',
      c: 'failed/contribution_invalid',
      d: 'ready',
      e: 'blocked/requires_failed',
      self: 'failed/contribution_invalid',
    });
    expect(messageOf(verdicts, 'a')).toContain('a → b → c → a');
    expect(messageOf(verdicts, 'b')).toContain('b → c → a → b');
    expect(messageOf(verdicts, 'self')).toContain('self → self');
  });

  test('an optional peer makes no cycle', () => {
    const list = [candidate('a', ['b']), candidate('b', [], { optional: [peer('a')] })];
    expect(states(resolvePlugins(list, rules()))).toEqual({ b: 'ready', a: 'ready' });
  });

  test('two packages of one name: the second fails, under its package name', () => {
    const list = [candidate('hotel'), candidate('hotel', [], { package: '@acme/hotel' }), candidate('hotel')];
    const verdicts = resolvePlugins(list, rules());
    expect(states(verdicts)).toEqual({ hotel: 'ready', '@acme/hotel': 'failed/contribution_invalid' });
    expect(messageOf(verdicts, '@acme/hotel')).toMatch(/calls itself hotel, as @storeloom\/plugin-hotel does/);
  });

  test('a candidate with a fault keeps it', () => {
    const broken: Candidate = { ...missing('x'), fault: { state: 'failed', reason: { code: 'import_failed', message: 'm' } } };
    expect(states(resolvePlugins([broken], rules()))).toEqual({ x: 'failed/import_failed' });
  });
});

test('blockDependants goes through the whole chain, and asked again changes nothing', () => {
  const judged = resolvePlugins([candidate('a'), candidate('b', ['a']), candidate('c', ['b']), candidate('d')], rules());
  const failed = judged.map((verdict) =>
    verdict.name === 'a' ? { ...verdict, state: 'failed' as const, reason: { code: 'migration_failed', message: 'm' } } : verdict,
  );
  const after = blockDependants(failed);
  expect(states(after)).toEqual({
    a: 'failed/migration_failed',
    b: 'blocked/requires_failed',
    c: 'blocked/requires_failed',
    d: 'ready',
  });
  expect(blockDependants(after)).toEqual(after);
});
