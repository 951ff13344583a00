import { describe, expect, test } from 'vitest';
import { licenceLine, unreadyLines } from './unready.ts';

type State = Parameters<typeof unreadyLines>[0][number];
const state = (name: string, change: Partial<State> = {}): State => ({
  name,
  package: `@storeloom/plugin-${name}`,
  version: '1.0.0',
  state: 'ready',
  reason: null,
  entitlement: name,
  foundation: false,
  requires: [],
  ...change,
});
const unlicensed = (name: string, why: string): State =>
  state(name, {
    state: 'unlicensed',
    reason: {
      code: 'not_licensed',
      message: `${name} 1.0.0 is not covered\n  why    ${why}\n  fix    activate a licence\n  docs   /errors/not_licensed`,
    },
  });

describe('plugins that are not ready', () => {
  test('have one line a cause, with all plugins that it affects', () => {
    const names = [
      'booking',
      'catalog',
      'checkout',
      'events',
      'hotel',
      'orders',
      'payments',
      'search',
      'shipping',
      'taxes',
      'webhooks',
    ];
    expect(
      unreadyLines([state('identity', { foundation: true }), ...names.map((name) => unlicensed(name, 'no licence is in force'))]),
    ).toEqual([`unlicensed: ${names.join(', ')}: not_licensed  no licence is in force (fix: activate a licence)`]);
    const lacking = ['hotel', 'events'].map((name) => unlicensed(name, `the licence 42 lacks the entitlement ${name}`));
    expect(unreadyLines(lacking)).toEqual([
      'unlicensed: hotel, events: not_licensed  the licence 42 lacks the entitlement … (fix: activate a licence)',
    ]);
  });

  test('that are blocked are named with the plugin that blocks them, through several steps', () => {
    const blocked = (name: string, requires: string): State =>
      state(name, {
        state: 'blocked',
        requires: [requires],
        reason: { code: 'requires_failed', message: `${name} requires ${requires}` },
      });
    const pending = {
      code: 'migration_pending',
      message: '0002_levels.sql has not run\n  fix    storeloom migrate\n  docs   /errors/x',
    };
    expect(
      unreadyLines([
        state('catalog'),
        state('inventory', { state: 'failed', reason: pending }),
        blocked('waiting-list', 'inventory'),
        blocked('alerts', 'waiting-list'),
        state('workspace', { state: 'not_installed', foundation: true }),
      ]),
    ).toEqual([
      'failed: inventory: migration_pending  0002_levels.sql has not run (fix: storeloom migrate); blocked by it: waiting-list, alerts',
    ]);
  });

  test('have a line for each of several causes, also where a listed package is missing', () => {
    const missing = {
      code: 'package_missing',
      message: '@storeloom/plugin-hotel is not installed\n  fix    npm i @storeloom/plugin-hotel',
    };
    expect(
      unreadyLines([
        state('hotel', { state: 'not_installed', version: null, reason: missing }),
        state('search', {
          state: 'failed',
          reason: { code: 'import_failed', message: "search can't be imported\n  why    x is not defined" },
        }),
      ]),
    ).toEqual([
      'not_installed: hotel: package_missing  @storeloom/plugin-hotel is not installed (fix: npm i @storeloom/plugin-hotel)',
      'failed: search: import_failed  x is not defined',
    ]);
    expect(unreadyLines([state('hotel')])).toEqual([]);
  });
});

describe('the line about the licence', () => {
  const licence = (view: object, problem?: { code: string; message: string }): Parameters<typeof licenceLine>[0] =>
    ({ licence: { view: () => ({ expiresAt: '2026-11-01T00:00:00.000Z', ...view }), problem } }) as never;
  test('says what an expired one means, and names a problem in place of "none"', () => {
    expect(licenceLine(licence({ state: 'valid' }))).toBeUndefined();
    expect(licenceLine(licence({ state: 'expired' }))).toMatch(/^licence: expired \(2026-11-01\)\. Plugins that were on stay on/);
    expect(licenceLine(licence({ state: 'grace' }))).toBe('licence: grace (ends 2026-11-01). Renew it.');
    expect(licenceLine(licence({ state: 'none' }))).toMatch(/^licence: none\. .* storeloom license activate <key>/);
    const problem = { code: 'wrong_environment', message: 'The licence is for staging.\n  fix    activate another' };
    expect(licenceLine(licence({ state: 'none' }, problem))).toBe(
      'licence: wrong_environment  The licence is for staging. · fix    activate another',
    );
  });
});
