import { createHmac, generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyring, type DataDir, openDataDir } from '@storeloom/keys';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { forgeries, signed } from '../../keys/test/forged-tokens.ts';
import { licenceClaims } from './claims.ts';
import { type LicenceDocument, noDocument, sealDocument } from './document.ts';
import type { Environment } from './environment.ts';
import type { TrustedIssuer } from './keys.ts';
import { covers, createLicence, type Licensed } from './licence.ts';
import { licenceState } from './state.ts';
import { type LicenceKeys, verifyLicence } from './verify.ts';

const day = 24 * 60 * 60;
const now = Date.UTC(2026, 10, 27, 12);
const seconds = now / 1000;
const issuer = generateKeyPairSync('ed25519');
const keys: LicenceKeys = new Map([
  ['issuer-1', { key: issuer.publicKey, environments: ['production', 'staging', 'development'] }],
]);
const header = { alg: 'EdDSA', typ: 'license+jwt', kid: 'issuer-1' };

let base: string;
let dir: DataDir;
let claims: Record<string, unknown>;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'storeloom-licence-'));
  dir = openDataDir(base);
  claims = {
    iss: 'urn:storeloom:issuer',
    aud: 'kernel',
    v: 1,
    sub: dir.secrets.installation,
    jti: 'L-1',
    iat: seconds - day,
    nbf: seconds - day,
    exp: seconds + 30 * day,
    expiresAt: seconds + 365 * day,
    env: 'production',
    plan: 'agency',
    plugins: { catalog: '*', marketplace: '^1.2.0' },
    themes: {},
    limits: { tenants: 3, seats: 1, stores: 5 },
    domains: [],
    updatesUntil: seconds + 365 * day,
  };
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const token = (change: object = {}): string => signed(header, { ...claims, ...change }, issuer.privateKey);
const verify = (text: string, env: Environment = 'production', purpose: 'activate' | 'stored' = 'activate', at = now) =>
  verifyLicence(text, { keys, env, installation: dir.secrets.installation, now: at, purpose });
const plugin = (change: Partial<Licensed> = {}): Licensed => ({
  name: 'vendors',
  version: '1.4.0',
  entitlement: 'marketplace',
  foundation: false,
  ...change,
});

describe('verifyLicence', () => {
  test('a genuine one gives its claims, defaults filled, unknown ones ignored', async () => {
    const result = await verify(token({ later: { addition: true } }));
    expect(result).toMatchObject({
      ok: true,
      claims: { plan: 'agency', grace: 14 * day, heartbeat: { interval: day, maxOffline: 0 } },
    });
    expect(result).not.toHaveProperty('claims.later');
    expect(await verify(`  ${token()}\n`)).toMatchObject({ ok: true });
  });

  test('forged ones: none is accepted, none throws', async () => {
    const list = forgeries({
      token: token(),
      header,
      claims,
      publicKey: issuer.publicKey,
      privateKey: issuer.privateKey,
      strange: generateKeyPairSync('ed25519'),
    });
    // White space around a pasted licence is taken off, so a new line at its end is no forgery.
    for (const [name, forged] of list.filter(([name]) => name !== 'new line at the end'))
      expect([name, await verify(forged)]).toMatchObject([name, { ok: false, code: 'signature_invalid' }]);
  });

  test('of two hundred with one letter changed none is accepted', async () => {
    const genuine = token();
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
    let accepted = 0;
    for (let i = 0; i < 200; i++) {
      const at = Math.floor((i * genuine.length) / 200);
      const letter = letters[(letters.indexOf(genuine[at] as string) + 1 + (i % 60)) % letters.length] as string;
      const changed = `${genuine.slice(0, at)}${letter}${genuine.slice(at + 1)}`;
      expect(changed).not.toBe(genuine);
      if ((await verify(changed)).ok) accepted++;
    }
    console.info(`200 licences with one letter changed: ${accepted} accepted`);
    expect(accepted).toBe(0);
  });

  test('an access token is no licence', async () => {
    const access = await createKeyring(dir, () => now).issue('admin', { sid: 's' }, { type: 'at+jwt', expiresIn: 600 });
    expect(await verify(access)).toMatchObject({ ok: false, code: 'signature_invalid' });
    expect(await verify(signed({ ...header, typ: 'at+jwt' }, claims, issuer.privateKey))).toMatchObject({ ok: false });
  });

  test.each([
    ['another audience', { aud: 'admin' }],
    ['a list as audience', { aud: ['kernel'] }],
    ['another shape', { v: 2 }],
    ['the shape as text', { v: '1' }],
    ['no subject', { sub: undefined }],
    ['no end', { exp: undefined }],
    ['an end as text', { exp: '2030-01-01' }],
    ['an endless end', { exp: 1e300 }],
    ['a negative grace', { grace: -1 }],
    ['an endless grace', { grace: 1e12 }],
    ['plugins as list', { plugins: ['*'] }],
    ['a range that is none', { plugins: { catalog: 'banana' } }],
    ['an unknown environment', { env: 'test' }],
    ['a negative limit', { limits: { tenants: -1 } }],
  ])('signed, but with %s: refused', async (_, change) => {
    expect(await verify(token(change))).toMatchObject({ ok: false, code: 'signature_invalid' });
  });

  test('environment and installation have refusals of their own', async () => {
    expect(await verify(token({ env: 'staging' }))).toMatchObject({ ok: false, code: 'wrong_environment' });
    expect(await verify(token(), 'development')).toMatchObject({ ok: false, code: 'wrong_environment' });
    expect(await verify(token({ sub: 'another' }))).toMatchObject({ ok: false, code: 'no_activation' });
  });

  test('a key signs for its own environments only', async () => {
    const narrow: LicenceKeys = new Map([['issuer-1', { key: issuer.publicKey, environments: ['development'] }]]);
    const result = await verifyLicence(token(), {
      keys: narrow,
      env: 'production',
      installation: dir.secrets.installation,
      now,
      purpose: 'stored',
    });
    expect(result).toMatchObject({ ok: false, code: 'wrong_environment' });
  });

  test('times count at activation; a stored licence stays', async () => {
    const early = token({ nbf: seconds + 60 });
    const late = token({ exp: seconds });
    const ended = token({ expiresAt: seconds - 1 });
    expect(await verify(early)).toMatchObject({ ok: false, code: 'not_yet_valid' });
    expect(await verify(late)).toMatchObject({ ok: false, code: 'expired' });
    expect(await verify(ended)).toMatchObject({ ok: false, code: 'expired' });
    for (const stored of [early, late, ended]) expect(await verify(stored, 'production', 'stored')).toMatchObject({ ok: true });
  });
});

describe('licenceState', () => {
  const state = (change: object = {}, at = now, facts = {}): string =>
    licenceState(licenceClaims.parse({ ...claims, ...change }), at, facts);
  const ms = day * 1000;

  test('none, valid, revoked', () => {
    expect(licenceState(undefined, now)).toBe('none');
    expect(state()).toBe('valid');
    expect(state({}, now, { revoked: true })).toBe('revoked');
  });

  test('renewal is due 60 days before the entitlement ends', () => {
    const long = { exp: seconds + 500 * day };
    expect(state({ ...long, expiresAt: seconds + 60 * day + 1 })).toBe('valid');
    expect(state({ ...long, expiresAt: seconds + 60 * day })).toBe('renewal_due');
  });

  test("renewal is due in a certificate's last 10 days, once renewing has failed", () => {
    expect(state({ exp: seconds + 10 * day })).toBe('valid');
    expect(state({ exp: seconds + 10 * day }, now, { renewalFailed: true })).toBe('renewal_due');
    expect(state({ exp: seconds + 10 * day + 1 }, now, { renewalFailed: true })).toBe('valid');
  });

  test.each([
    ['entitlement', { expiresAt: seconds }, {}],
    ['certificate', { exp: seconds }, {}],
    ['silence', {}, { offlineSince: now }],
  ])('%s over: 14 days of grace, then expired', (_, change, facts) => {
    expect(state(change, now, facts)).toBe('grace');
    expect(state(change, now + 14 * ms - 1, facts)).toBe('grace');
    expect(state(change, now + 14 * ms, facts)).toBe('expired');
  });

  test('one clock, started by the first end', () => {
    const both = { exp: seconds, expiresAt: seconds + 10 * day };
    expect(state(both, now + 14 * ms - 1)).toBe('grace');
    expect(state(both, now + 14 * ms)).toBe('expired');
  });

  test('the time without an answer that costs nothing', () => {
    const airGapped = { exp: seconds + 365 * day, heartbeat: { maxOffline: 90 * day } };
    expect(state(airGapped, now + 90 * ms - 1, { offlineSince: now })).toBe('valid');
    expect(state(airGapped, now + 90 * ms, { offlineSince: now })).toBe('grace');
  });

  test('a clock that was put back prolongs nothing', () => {
    const ended = { expiresAt: seconds - 100 * day, iat: seconds - 465 * day, nbf: seconds - 465 * day };
    expect(state(ended, now - 200 * ms)).toBe('valid');
    expect(state(ended, now - 200 * ms, { latestSeen: now })).toBe('expired');
    expect(state({ expiresAt: seconds - 5 * day, iat: seconds - 2 * day }, now - 300 * ms)).toBe('grace');
  });
});

describe('covers', () => {
  const parsed = () => licenceClaims.parse(claims);
  test('by entitlement and range of versions', () => {
    expect(covers(parsed(), 'valid', plugin(), true)).toEqual({ ok: true });
    expect(covers(parsed(), 'valid', plugin({ version: '1.3.0-beta.1' }), true)).toEqual({ ok: true });
    expect(covers(parsed(), 'valid', plugin({ version: '2.0.0' }), true)).toMatchObject({ ok: false, code: 'not_licensed' });
    expect(covers(parsed(), 'valid', plugin({ version: '1.1.9' }), true)).toMatchObject({ ok: false });
    const lacking = covers(parsed(), 'valid', plugin({ entitlement: 'hotel', name: 'hotel' }), true);
    expect(lacking).toMatchObject({
      ok: false,
      code: 'not_licensed',
      message: expect.stringMatching(/hotel 1\.4\.0.*L-1 lacks the entitlement hotel/s),
    });
  });

  test('a star covers the rest, a named range goes before it', () => {
    const wide = licenceClaims.parse({ ...claims, plugins: { '*': '*', marketplace: '<1.0.0' } });
    expect(covers(wide, 'valid', plugin({ entitlement: 'hotel' }), true)).toEqual({ ok: true });
    expect(covers(wide, 'valid', plugin(), true)).toMatchObject({ ok: false });
  });

  test.each(['constructor', '__proto__', 'toString'])('an entitlement called %s is not covered', (entitlement) => {
    expect(covers(parsed(), 'valid', plugin({ entitlement }), true)).toMatchObject({ ok: false });
  });

  test('foundation needs none, everything else needs a licence', () => {
    expect(covers(undefined, 'none', plugin({ foundation: true }), true)).toEqual({ ok: true });
    expect(covers(undefined, 'none', plugin(), true)).toMatchObject({ ok: false });
  });

  test.each(['expired', 'revoked'] as const)('%s: installed plugins work, new ones are not taken', (state) => {
    expect(covers(parsed(), state, plugin(), true)).toEqual({ ok: true });
    expect(covers(parsed(), state, plugin(), false)).toMatchObject({ ok: false, message: expect.stringContaining(state) });
  });
});

describe('createLicence', () => {
  const sign = (text: string): string => createHmac('sha256', 'a secret of this test').update(text).digest('base64url');
  const trusted: TrustedIssuer = {
    id: 'urn:storeloom:issuer',
    keys: [
      {
        kid: 'issuer-1',
        x: issuer.publicKey.export({ format: 'jwk' }).x as string,
        environments: ['production', 'staging', 'development'],
      },
    ],
  };
  const stored = (change: Partial<LicenceDocument> = {}) => sealDocument({ ...noDocument, token: token(), ...change }, sign);
  const open = (env: Environment, { at = now, document = undefined as unknown, from = trusted as TrustedIssuer | null } = {}) =>
    createLicence({ dataDir: dir, env, sign, clock: { ms: () => at }, issuer: from ?? undefined, stored: document });

  test('development makes its own: everything, a year, renewed at start', async () => {
    const licence = await open('development');
    expect(licence.problem).toBeUndefined();
    expect(licence.view()).toEqual({
      state: 'valid',
      plan: 'development',
      plugins: { '*': '*' },
      themes: { '*': '*' },
      limits: {},
      domains: [],
      expiresAt: new Date(now + 365 * day * 1000).toISOString(),
      updatesUntil: new Date(now + 365 * day * 1000).toISOString(),
      keyMasked: null,
      lastHeartbeatAt: null,
      installation: dir.secrets.installation,
    });
    expect(licence.covers(plugin({ version: '0.0.1' }))).toEqual({ ok: true });
    expect((await open('development', { at: now + 400 * day * 1000 })).state()).toBe('valid');
  });

  test.each(['production', 'staging'] as const)('%s makes none, and refuses the development key', async (env) => {
    await open('development');
    expect((await open(env)).state()).toBe('none');
    const { developmentLicence } = await import('./development.ts');
    const licence = await open(env, { document: stored({ token: (await developmentLicence(dir, now)).token }) });
    expect(licence.state()).toBe('none');
    expect(licence.problem).toMatchObject({ code: 'signature_invalid' });
    expect(licence.covers(plugin())).toMatchObject({ ok: false, code: 'not_licensed' });
  });

  test('a stored licence is verified, and its state follows the clock', async () => {
    let at = now;
    const licence = await open('production', { document: stored({ keyHint: 'WXYZ' }) });
    licence.useClock({ ms: () => at });
    expect(licence.view()).toMatchObject({
      state: 'valid',
      plan: 'agency',
      limits: { tenants: 3 },
      plugins: { marketplace: '^1.2.0' },
      keyMasked: '••••WXYZ',
    });
    at += 44 * day * 1000;
    expect(licence.state()).toBe('expired');
    expect(licence.covers(plugin())).toEqual({ ok: true });
    expect(licence.covers(plugin(), { installed: false })).toMatchObject({ ok: false });
  });

  test('what is known of it besides', async () => {
    expect((await open('production', { document: stored({ revoked: true }) })).state()).toBe('revoked');
    const offlineSince = new Date(now - 1000).toISOString();
    expect((await open('production', { document: stored({ offlineSince }) })).state()).toBe('grace');
    const latestSeen = new Date(now + 400 * day * 1000).toISOString();
    expect((await open('production', { document: stored({ latestSeen }) })).state()).toBe('expired');
  });

  test('an edited document is not trusted: as if there had been no response since the certificate', async () => {
    const sealed = stored({ offlineSince: new Date(now - 60_000).toISOString(), learnedKeys: [] });
    const touched = { ...sealed, body: { ...sealed.body, offlineSince: null } };
    const licence = await open('production', { document: touched });
    expect(licence.problem).toBeUndefined();
    expect(licence.state()).toBe('grace');
    expect((await open('production', { document: touched, at: now + 14 * day * 1000 })).state()).toBe('expired');
    const strange = generateKeyPairSync('ed25519');
    const learned = { kid: 'mine', x: strange.publicKey.export({ format: 'jwk' }).x as string, environments: ['production'] };
    const forged = signed({ ...header, kid: 'mine' }, claims, strange.privateKey);
    const own = { body: { ...noDocument, token: forged, learnedKeys: [learned] }, mac: sealed.mac };
    expect((await open('production', { document: own })).state()).toBe('none');
  });

  test('one that is stored but refused: no licence, and the reason', async () => {
    for (const [document, code] of [
      [stored({ token: token({ env: 'staging' }) }), 'wrong_environment'],
      [stored({ token: token({ sub: 'other' }) }), 'no_activation'],
      [stored({ token: token({ iss: 'urn:storeloom:another' }) }), 'signature_invalid'],
      [stored({ token: 'x' }), 'signature_invalid'],
      [{ licence: 'x' }, 'signature_invalid'],
      ['x', 'signature_invalid'],
    ] as const) {
      const licence = await open('production', { document });
      expect(licence.problem).toMatchObject({ code });
      expect(licence.state()).toBe('none');
      expect(licence.view()).toMatchObject({ plan: null, plugins: {}, expiresAt: null });
    }
  });

  test('no key is shipped, so an installation that names no issuer trusts nothing but development', async () => {
    expect((await open('production', { document: stored(), from: null })).state()).toBe('none');
  });

  test('a data directory that was restored elsewhere carries on: nothing of the machine is in it', async () => {
    const keyring = createKeyring(dir, () => now);
    const document = sealDocument({ ...noDocument, token: token() }, (text) => keyring.sign('licence', text));
    const copy = mkdtempSync(join(tmpdir(), 'storeloom-restored-'));
    cpSync(dir.path, copy, { recursive: true });
    const restored = openDataDir(copy);
    const sign = (text: string): string => createKeyring(restored, () => now).sign('licence', text);
    const clock = { ms: () => now };
    const licence = await createLicence({ dataDir: restored, env: 'production', sign, clock, issuer: trusted, stored: document });
    expect(licence.problem).toBeUndefined();
    expect(licence.state()).toBe('valid');
    // Another installation's directory beside this database is another matter.
    const other = openDataDir(mkdtempSync(join(copy, 'other-')));
    const strange = await createLicence({ dataDir: other, env: 'production', sign, clock, issuer: trusted, stored: document });
    expect(strange.problem).toMatchObject({ code: 'no_activation' });
    rmSync(copy, { recursive: true, force: true });
  });

  test('themes are covered by name and range', async () => {
    const licence = await open('production', { document: stored({ token: token({ themes: { nord: '^2.0.0' } }) }) });
    expect(licence.coversTheme({ name: 'nord', version: '2.1.0' })).toEqual({ ok: true });
    expect(licence.coversTheme({ name: 'nord', version: '1.9.0' })).toMatchObject({ ok: false });
    expect(licence.coversTheme({ name: 'casa', version: '2.1.0' })).toMatchObject({ ok: false });
  });
});

/** Licence states by what happened to the licence, whether its server answers, and where the clock stands. */
describe('states × online, offline × clock', () => {
  const ms = day * 1000;
  const offline = { offlineSince: now - 3600_000 };
  const long = { exp: seconds + 800 * day, expiresAt: seconds + 800 * day, updatesUntil: seconds + 800 * day };
  const cases: Record<string, { claims: object; facts: object }> = {
    valid: { claims: long, facts: {} },
    'renewal due': { claims: { ...long, expiresAt: seconds + 30 * day }, facts: {} },
    grace: { claims: { ...long, expiresAt: seconds - 3 * day }, facts: {} },
    expired: { claims: { ...long, expiresAt: seconds - 30 * day }, facts: {} },
    revoked: { claims: long, facts: { revoked: true } },
    'not yet': { claims: { ...long, nbf: seconds + 5 * day, heartbeat: { maxOffline: 800 * day } }, facts: {} },
  };
  // Now, a day back, a year on. Offline costs one grace clock of 14 days, where the licence allows no time without an answer.
  const table: [string, string, string[]][] = [
    ['valid', 'online', ['valid', 'valid', 'valid']],
    ['valid', 'offline', ['grace', 'grace', 'expired']],
    ['renewal due', 'online', ['renewal_due', 'renewal_due', 'expired']],
    ['renewal due', 'offline', ['grace', 'grace', 'expired']],
    ['grace', 'online', ['grace', 'grace', 'expired']],
    ['grace', 'offline', ['grace', 'grace', 'expired']],
    ['expired', 'online', ['expired', 'expired', 'expired']],
    ['expired', 'offline', ['expired', 'expired', 'expired']],
    ['revoked', 'online', ['revoked', 'revoked', 'revoked']],
    ['revoked', 'offline', ['revoked', 'revoked', 'revoked']],
    ['not yet', 'online', ['valid', 'valid', 'valid']],
    ['not yet', 'offline', ['valid', 'valid', 'valid']],
  ];
  test.each(table)('%s, %s', (name, line, wanted) => {
    const { claims: change, facts } = cases[name] as { claims: object; facts: object };
    const parsed = licenceClaims.parse({ ...claims, iat: seconds - 60 * day, ...change });
    const seen = { latestSeen: now, ...(line === 'offline' ? offline : {}), ...facts };
    const at = [0, -1, 365].map((days) => licenceState(parsed, now + days * ms, seen));
    expect(at).toEqual(wanted);
  });

  test.each(Object.keys(cases))('%s, in a wrong environment: no licence, with its reason', async (name) => {
    const { claims: change } = cases[name] as { claims: object };
    for (const env of ['staging', 'development'] as const)
      expect(await verify(token(change), env, 'stored')).toMatchObject({ ok: false, code: 'wrong_environment' });
    const activated = await verify(token(change));
    expect(activated.ok ? 'ok' : activated.code).toBe(
      name === 'not yet' ? 'not_yet_valid' : name === 'grace' || name === 'expired' ? 'expired' : 'ok',
    );
  });
});
