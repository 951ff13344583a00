import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { forgeries, signed } from '../test/forged-tokens.ts';
import { type DataDir, openDataDir } from './data-dir.ts';
import { createKeyring, type Keyring, longestTokenLife, SealError } from './keyring.ts';

let base: string;
let dir: DataDir;
let now: number;
let ring: Keyring;
const type = 'at+jwt';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'storeloom-keys-'));
  dir = openDataDir(base);
  now = Date.UTC(2026, 10, 27, 12);
  ring = createKeyring(dir, () => now);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function keysOf(keySet: string): { kid: string; privateKey: KeyObject; publicKey: KeyObject } {
  const file = dir.readJson(`keys/${keySet}.json`) as { current: string; keys: { privateKey: string }[] };
  const privateKey = createPrivateKey({
    key: Buffer.from(file.keys[0]?.privateKey as string, 'base64url'),
    format: 'der',
    type: 'pkcs8',
  });
  return { kid: file.current, privateKey, publicKey: createPublicKey(privateKey) };
}

describe('issue and verify', () => {
  test('a token gives its claims back', async () => {
    const token = await ring.issue('admin', { sid: 's', authLevel: 1 }, { type, expiresIn: 600 });
    expect(await ring.verify('admin', token, { type })).toEqual({
      sid: 's',
      authLevel: 1,
      iss: `urn:storeloom:${dir.secrets.installation}`,
      aud: 'admin',
      iat: now / 1000,
      exp: now / 1000 + 600,
    });
    const header = JSON.parse(Buffer.from(token.split('.')[0] as string, 'base64url').toString());
    expect(header).toEqual({ alg: 'EdDSA', typ: type, kid: keysOf('admin').kid });
  });

  test('the caller cannot set issuer, audience or times', async () => {
    const token = await ring.issue('admin', { iss: 'x', aud: 'super-admin', exp: 9e9, iat: 0 }, { type, expiresIn: 60 });
    expect(await ring.verify('admin', token, { type })).toMatchObject({ aud: 'admin', exp: now / 1000 + 60 });
  });

  test('a token is good for its own key set and type only', async () => {
    const token = await ring.issue('admin', {}, { type, expiresIn: 600 });
    await ring.issue('storefront', {}, { type, expiresIn: 600 });
    expect(await ring.verify('storefront', token, { type })).toBeUndefined();
    expect(await ring.verify('super-admin', token, { type })).toBeUndefined();
    expect(await ring.verify('admin', token, { type: 'license+jwt' })).toBeUndefined();
    expect(await ring.verify('admin', token, { type })).toBeDefined();
  });

  test('it ends at exp, from the cache too', async () => {
    const token = await ring.issue('admin', {}, { type, expiresIn: 10 });
    expect(await ring.verify('admin', token, { type })).toBeDefined();
    now += 9_999;
    expect(await ring.verify('admin', token, { type })).toBeDefined();
    now += 1;
    expect(await ring.verify('admin', token, { type })).toBeUndefined();
  });

  test('a clock an hour off: what an early process issued is over here, what a late one issued ends by its own exp', async () => {
    const real = now;
    now = real - 3_600_000;
    const early = await ring.issue('admin', {}, { type, expiresIn: 600 });
    now = real + 3_600_000;
    const late = await ring.issue('admin', {}, { type, expiresIn: 600 });
    now = real;
    expect(await ring.verify('admin', early, { type })).toBeUndefined();
    expect(await ring.verify('admin', late, { type })).toBeDefined();
    now = real + 3_600_000 + 600_000;
    expect(await ring.verify('admin', late, { type })).toBeUndefined();
  });

  test('what is cached can not be changed by its reader', async () => {
    const token = await ring.issue('admin', { sid: 's' }, { type, expiresIn: 600 });
    const claims = (await ring.verify('admin', token, { type })) as Record<string, unknown>;
    expect(() => {
      claims.sid = 'other';
    }).toThrow(TypeError);
  });

  test('a lifetime above the maximum is rejected', async () => {
    for (const expiresIn of [0, -1, Number.NaN, longestTokenLife + 1])
      await expect(ring.issue('admin', {}, { type, expiresIn })).rejects.toThrow(/lifetime of a token/);
  });

  test('two processes that start simultaneously use one key set', async () => {
    const other = createKeyring(openDataDir(base), () => now);
    const [a, b] = await Promise.all([
      ring.issue('admin', {}, { type, expiresIn: 60 }),
      other.issue('admin', {}, { type, expiresIn: 60 }),
    ]);
    expect(await other.verify('admin', a, { type })).toBeDefined();
    expect(await ring.verify('admin', b, { type })).toBeDefined();
  });

  test('verifying makes no key set, and a name can not leave the folder', async () => {
    expect(await ring.verify('never', 'a.b.c', { type })).toBeUndefined();
    expect(dir.readJson('keys/never.json')).toBeUndefined();
    await expect(ring.issue('../secrets', {}, { type, expiresIn: 60 })).rejects.toThrow(/not a valid name/);
  });
});

describe('forged tokens', () => {
  test('none is accepted, none throws', async () => {
    const token = await ring.issue('admin', { sid: 's' }, { type, expiresIn: 600 });
    const { kid, privateKey, publicKey } = keysOf('admin');
    const claims = (await ring.verify('admin', token, { type })) as Record<string, unknown>;
    const header = { alg: 'EdDSA', typ: type, kid };
    expect(await ring.verify('admin', signed(header, claims, privateKey), { type })).toEqual(claims);
    const list = forgeries({ token, header, claims, publicKey, privateKey, strange: generateKeyPairSync('ed25519') });
    expect(list.length).toBeGreaterThan(50);
    for (const [name, forged] of list) expect([name, await ring.verify('admin', forged, { type })]).toEqual([name, undefined]);
    for (const odd of [undefined, null, 1, {}, []])
      expect(await ring.verify('admin', odd as unknown as string, { type })).toBeUndefined();
  });

  test('claims that our key signed but our rules refuse', async () => {
    await ring.issue('admin', {}, { type, expiresIn: 600 });
    const { kid, privateKey } = keysOf('admin');
    const header = { alg: 'EdDSA', typ: type, kid };
    const good = { iss: `urn:storeloom:${dir.secrets.installation}`, aud: 'admin', exp: now / 1000 + 60 };
    const verify = (claims: object): Promise<unknown> => ring.verify('admin', signed(header, claims, privateKey), { type });
    expect(await verify(good)).toBeDefined();
    for (const change of [
      { aud: 'storefront' },
      { aud: ['admin'] },
      { aud: undefined },
      { iss: 'urn:storeloom:other' },
      { iss: undefined },
      { exp: undefined },
      { exp: String(good.exp) },
      { exp: now / 1000 },
      { exp: null },
      { nbf: now / 1000 + 1 },
      { nbf: 'x' },
    ])
      expect([change, await verify({ ...good, ...change })]).toEqual([change, undefined]);
  });

  test('the Ed25519 vector of the JOSE cookbook is no token of ours', async () => {
    const vector =
      'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg';
    await ring.issue('admin', {}, { type, expiresIn: 600 });
    expect(await ring.verify('admin', vector, { type })).toBeUndefined();
  });
});

describe('rotation', () => {
  test('old tokens verify until the longest life is over, then no more', async () => {
    const old = await ring.issue('admin', {}, { type, expiresIn: longestTokenLife });
    now += 1000;
    await ring.rotate('admin');
    const fresh = await ring.issue('admin', {}, { type, expiresIn: 600 });
    expect(await ring.verify('admin', old, { type })).toBeDefined();
    expect(await ring.verify('admin', fresh, { type })).toBeDefined();
    expect(JSON.stringify(dir.readJson('keys/admin.json')).match(/privateKey/g)).toHaveLength(1);
    now += longestTokenLife * 1000;
    expect(await ring.verify('admin', old, { type })).toBeUndefined();
    await ring.rotate('admin');
    expect((dir.readJson('keys/admin.json') as { keys: unknown[] }).keys).toHaveLength(2);
  });

  test('a compromised key is invalid immediately', async () => {
    const old = await ring.issue('admin', {}, { type, expiresIn: 600 });
    expect(await ring.verify('admin', old, { type })).toBeDefined();
    await ring.rotate('admin', { compromised: true });
    expect(await ring.verify('admin', old, { type })).toBeUndefined();
  });

  test('another process sees it within seconds, its cache too', async () => {
    const other = createKeyring(openDataDir(base), () => now);
    const old = await ring.issue('admin', {}, { type, expiresIn: 600 });
    expect(await other.verify('admin', old, { type })).toBeDefined();
    await ring.rotate('admin', { compromised: true });
    now += 5_000;
    expect(await other.verify('admin', old, { type })).toBeUndefined();
    expect(await other.verify('admin', await ring.issue('admin', {}, { type, expiresIn: 600 }), { type })).toBeDefined();
    expect(await ring.verify('admin', await other.issue('admin', {}, { type, expiresIn: 600 }), { type })).toBeDefined();
  });
});

describe('seal', () => {
  test.each(['', 'x', 'ăâîșț €', 'a'.repeat(100_000)])('opens what it sealed', (text) => {
    expect(ring.unseal(ring.seal(text))).toBe(text);
  });

  test('the same text never looks the same', () => {
    expect(ring.seal('secret')).not.toBe(ring.seal('secret'));
  });

  test('refuses every change', () => {
    const sealed = ring.seal('secret');
    const [id, body] = sealed.split('.') as [string, string];
    const bytes = Buffer.from(body, 'base64url');
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes);
      changed[i] = (changed[i] as number) ^ 1;
      expect(() => ring.unseal(`${id}.${changed.toString('base64url')}`)).toThrow(SealError);
    }
    for (const odd of [
      '',
      'secret',
      id,
      `${id}.`,
      `${id}.AAAA`,
      `${sealed}.x`,
      `ffff.${body}`,
      `__proto__.${body}`,
      `${sealed} `,
    ])
      expect(() => ring.unseal(odd)).toThrow(SealError);
  });

  test('after a rotation old text opens, in every process, and is known to be stale', () => {
    const other = createKeyring(openDataDir(base), () => now);
    const old = ring.seal('secret');
    dir.rotateEncryptionKey();
    const fresh = ring.seal('secret');
    expect(ring.isStale(old)).toBe(true);
    expect(ring.isStale(fresh)).toBe(false);
    expect([ring.unseal(old), ring.unseal(fresh), other.unseal(fresh)]).toEqual(['secret', 'secret', 'secret']);
  });

  test('another process seals with the new key within seconds', () => {
    const other = createKeyring(openDataDir(base), () => now);
    dir.rotateEncryptionKey();
    now += 2_001;
    expect(other.seal('text').split('.')[0]).toBe(dir.secrets.encryption.current);
    expect(ring.unseal(other.seal('text'))).toBe('text');
  });

  test("another installation can't open it", () => {
    const other = createKeyring(openDataDir(join(base, 'other')));
    expect(() => other.unseal(ring.seal('secret'))).toThrow(SealError);
  });
});

describe('sign', () => {
  test('is stable, and keeps purposes and installations apart', () => {
    expect(ring.sign('cart', 'x')).toBe(createKeyring(openDataDir(base)).sign('cart', 'x'));
    expect(ring.sign('cart', 'x')).toMatch(/^[\w-]{43}$/);
    const others = [
      ring.sign('order', 'x'),
      ring.sign('cart', 'y'),
      ring.sign('a', 'b:c'),
      ring.sign('a:b', 'c'),
      createKeyring(openDataDir(join(base, 'other'))).sign('cart', 'x'),
    ];
    expect(new Set([ring.sign('cart', 'x'), ...others]).size).toBe(6);
  });
});
