import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDataDir } from './data-dir.ts';
import { createKeyring } from './keyring.ts';
import { keyFamilies, rotateKeys } from './rotate.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'storeloom-rotate-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test('creates nothing without an installation', async () => {
  for (const family of keyFamilies) await expect(rotateKeys(base, family)).rejects.toThrow('is not the data directory');
  expect(() => readFileSync(join(base, 'secrets.json'))).toThrow();
});

test.each(['admin', 'storefront', 'super-admin'] as const)(
  '%s: old tokens expire, those of a compromised key immediately',
  async (family) => {
    const ring = createKeyring(openDataDir(base));
    const old = await ring.issue(family, {}, { type: 'at+jwt', expiresIn: 600 });
    const first = await rotateKeys(base, family);
    expect(first.key).toMatch(new RegExp(`^${family}-`));
    expect(Date.parse(first.oldUntil as string)).toBeGreaterThan(Date.now() + 86_000_000);
    const after = () => createKeyring(openDataDir(base));
    expect(await after().verify(family, old, { type: 'at+jwt' })).toBeDefined();
    const second = await rotateKeys(base, family, { compromised: true });
    expect(second).toEqual({ family, key: expect.not.stringContaining(first.key), oldUntil: null });
    expect(await after().verify(family, old, { type: 'at+jwt' })).toBeUndefined();
    // The others are as they were.
    const elsewhere = family === 'admin' ? 'storefront' : 'admin';
    const other = await ring.issue(elsewhere, {}, { type: 'at+jwt', expiresIn: 600 });
    expect(await after().verify(elsewhere, other, { type: 'at+jwt' })).toBeDefined();
  },
);

test('encryption: the old key goes on opening, and cannot be given up', async () => {
  const dir = openDataDir(base);
  const sealed = createKeyring(dir).seal('secret');
  const { key } = await rotateKeys(base, 'encryption');
  const ring = createKeyring(openDataDir(base));
  expect(ring.unseal(sealed)).toBe('secret');
  expect(ring.isStale(sealed)).toBe(true);
  expect(ring.seal('more').startsWith(`${key}.`)).toBe(true);
  await expect(rotateKeys(base, 'encryption', { compromised: true })).rejects.toThrow('must stay');
});
