import { describe, expect, test } from 'vitest';
import { type DecidedPlugin, type DecidedTenant, decide } from './decide.ts';

const plugin = (name: string, change: Partial<DecidedPlugin> = {}): DecidedPlugin => ({
  name,
  version: '1.0.0',
  state: 'ready',
  entitlement: name,
  foundation: false,
  requires: [],
  ...change,
});
const tenant = (change: Partial<DecidedTenant> = {}): DecidedTenant => ({
  planPlugins: ['*'],
  nichePlugins: null,
  overrides: new Map(),
  switches: new Map(),
  ...change,
});
const all = { covers: () => ({ ok: true }) };
const none = { covers: () => ({ ok: false }) };
const why = (of: DecidedPlugin[], licence = all, facts = tenant()): Record<string, string> =>
  Object.fromEntries([...decide(of, licence, facts)].map(([name, choice]) => [name, `${choice.on ? '+' : '-'}${choice.why}`]));

const listed = (name: string, range: string | null = null) => [{ name, range }];
const overridden = (enabled: boolean) => new Map([['hotel', { enabled }]]);
const switched = (enabled: boolean) => new Map([['hotel', enabled]]);

describe('decide', () => {
  test.each(['not_installed', 'incompatible', 'unlicensed', 'blocked', 'failed'] as const)('%s: off for that reason', (state) => {
    const facts = tenant({ overrides: overridden(true), switches: switched(true) });
    expect(why([plugin('hotel', { state })], all, facts)).toEqual({ hotel: `-${state}` });
    expect(why([plugin('hotel', { state, foundation: true })])).toEqual({ hotel: `-${state}` });
  });

  test('a plugin that is not ready is unavailable where it would be on, and plainly off where it would not', () => {
    const unavailable = (of: DecidedPlugin[], facts = tenant(), licence = all): string[] =>
      [...decide(of, licence, facts)].filter(([, choice]) => choice.unavailable).map(([name]) => name);
    for (const state of ['not_installed', 'incompatible', 'blocked', 'failed'] as const) {
      const hotel = plugin('hotel', { state, ...(state === 'not_installed' ? { version: null } : {}) });
      expect(unavailable([hotel])).toEqual(['hotel']);
      expect(unavailable([hotel], tenant({ overrides: overridden(false) }))).toEqual([]);
      expect(unavailable([hotel], tenant({ switches: switched(false) }))).toEqual([]);
      expect(unavailable([hotel], tenant({ planPlugins: [] }))).toEqual([]);
      expect(unavailable([hotel], tenant({ nichePlugins: listed('catalog') }))).toEqual([]);
    }
    expect(unavailable([plugin('hotel', { state: 'unlicensed' })])).toEqual([]);
    expect(unavailable([plugin('hotel', { state: 'failed' })], tenant(), none)).toEqual([]);
    expect(unavailable([plugin('identity', { state: 'failed', foundation: true })])).toEqual(['identity']);
    expect(unavailable([plugin('identity', { state: 'not_installed', version: null, foundation: true })])).toEqual([]);
    // Blocked by a plugin that is off on purpose: off too.
    const dependent = plugin('booking', { state: 'blocked', requires: ['hotel'] });
    expect(unavailable([plugin('hotel', { state: 'failed' }), dependent])).toEqual(['hotel', 'booking']);
    expect(unavailable([plugin('hotel', { state: 'failed' }), dependent], tenant({ switches: switched(false) }))).toEqual([]);
    // Two that require each other.
    const circle = [plugin('a', { state: 'failed', requires: ['b'] }), plugin('b', { state: 'failed', requires: ['a'] })];
    expect(unavailable(circle).sort()).toEqual(['a', 'b']);
  });

  test('foundation is on for everybody: no licence, plan, override or switch counts', () => {
    const facts = tenant({ planPlugins: [], nichePlugins: [], overrides: overridden(false), switches: switched(false) });
    expect(why([plugin('hotel', { foundation: true })], none, facts)).toEqual({ hotel: '+on' });
  });

  // Each row gives a rule its say, and every later rule the opposite.
  test.each<[string, typeof all, Partial<DecidedTenant>, string]>([
    ['the licence goes before the operator', none, { overrides: overridden(true) }, '-not_licensed'],
    [
      'the operator goes before the plan',
      all,
      { overrides: overridden(true), planPlugins: [], switches: switched(false) },
      '+override_on',
    ],
    ['the operator can take away', all, { overrides: overridden(false), switches: switched(true) }, '-override_off'],
    ['the plan goes before the switch', all, { planPlugins: ['catalog'], switches: switched(true) }, '-not_in_plan'],
    ['no plan gives nothing', all, { planPlugins: null, switches: switched(true) }, '-not_in_plan'],
    ['the switch goes before the niche', all, { switches: switched(true), nichePlugins: [] }, '+on'],
    ['the switch turns off', all, { switches: switched(false), nichePlugins: listed('hotel') }, '-tenant_off'],
    ['the niche leaves out', all, { nichePlugins: listed('catalog') }, '-not_in_niche'],
    ['the niche lists a range that holds it', all, { nichePlugins: listed('hotel', '^1.0.0') }, '+on'],
    ['the niche lists another range', all, { nichePlugins: listed('hotel', '>=2') }, '-not_in_niche'],
    ['the switch goes before the range', all, { switches: switched(true), nichePlugins: listed('hotel', '>=2') }, '+on'],
    ['the niche lists all', all, { nichePlugins: listed('*') }, '+on'],
    ['the niche lists', all, { nichePlugins: listed('hotel'), planPlugins: ['hotel'] }, '+on'],
    ['nothing is said', all, {}, '+on'],
  ])('%s', (_, licence, facts, expected) => {
    expect(why([plugin('hotel')], licence, tenant(facts))).toEqual({ hotel: expected });
  });

  test('a required plugin that is off turns off its dependants, for any order of the list', () => {
    const plugins = [
      plugin('reports', { requires: ['orders'] }),
      plugin('orders', { requires: ['checkout', 'catalog'] }),
      plugin('checkout', { requires: ['catalog'] }),
      plugin('catalog'),
      plugin('search'),
    ];
    const facts = tenant({ switches: new Map([['catalog', false]]), overrides: new Map([['reports', { enabled: true }]]) });
    const expected = {
      catalog: '-tenant_off',
      checkout: '-requires:catalog',
      orders: '-requires:checkout',
      reports: '-requires:orders',
      search: '+on',
    };
    expect(why(plugins, all, facts)).toEqual(expected);
    expect(why(plugins.toReversed(), all, facts)).toEqual(expected);
  });

  test('a required plugin that is not of the installation counts as off', () => {
    expect(why([plugin('orders', { requires: ['checkout'] })])).toEqual({ orders: '-requires:checkout' });
  });

  test('the licence is asked with what it needs', () => {
    const asked: unknown[] = [];
    decide(
      [plugin('vendors', { entitlement: 'marketplace', version: '1.4.0' })],
      { covers: (given) => ({ ok: asked.push(given) > 0 }) },
      tenant(),
    );
    expect(asked).toEqual([{ name: 'vendors', version: '1.4.0', entitlement: 'marketplace', foundation: false }]);
  });
});
