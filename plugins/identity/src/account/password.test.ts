import { argon2Sync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { commonPasswords } from './common-passwords.ts';
import { checkNewPassword, hashPassword, verifyPassword } from './password.ts';

describe('argon2id', () => {
  it('verifies what it hashed, and nothing else', async () => {
    const hash = await hashPassword('correct horse battery staple');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await verifyPassword(hash, 'correct horse battery staple')).toEqual({ ok: true, stale: false });
    expect(await verifyPassword(hash, 'correct horse battery stapl')).toEqual({ ok: false, stale: false });
  });
  it('salts: one password, two hashes', async () => {
    expect(await hashPassword('correct horse battery staple')).not.toBe(await hashPassword('correct horse battery staple'));
  });
  it('refuses every password where there is no hash, also the one of the stand-in', async () => {
    for (const none of [null, undefined]) expect((await verifyPassword(none, '')).ok).toBe(false);
  });
  it('says when a hash has other parameters than today', async () => {
    const nonce = Buffer.alloc(16, 7);
    const key = argon2Sync('argon2id', {
      message: 'correct horse battery staple',
      nonce,
      parallelism: 1,
      tagLength: 32,
      memory: 8192,
      passes: 1,
    });
    const plain = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
    const hash = `$argon2id$v=19$m=8192,t=1,p=1$${plain(nonce)}$${plain(key)}`;
    expect(await verifyPassword(hash, 'correct horse battery staple')).toEqual({ ok: true, stale: true });
  });
  it('accepts 54 simultaneous calls, rejects the next, and empties the queue', async () => {
    const hash = await hashPassword('correct horse battery staple');
    const results = await Promise.allSettled(
      Array.from({ length: 70 }, () => verifyPassword(hash, 'correct horse battery staple')),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(54);
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'rate_limited' });
    expect((await verifyPassword(hash, 'correct horse battery staple')).ok).toBe(true);
  });
});

describe('new passwords', () => {
  it('the bundled list holds only what its length lets through', () => {
    expect(commonPasswords.size).toBeGreaterThan(300);
    for (const word of commonPasswords) expect(word.length).toBeGreaterThanOrEqual(12);
  });
  it.each(['qwerty123456', 'PasswordPassword', 'aaaaaaaaaaaa', 'abababababab', 'Somebody@shop.example'])(
    '%s is refused',
    (password) => {
      expect(() => checkNewPassword(password, 'somebody@shop.example')).toThrowError(
        expect.objectContaining({ code: 'validation_failed' }),
      );
    },
  );
  it('takes a long phrase', () => {
    expect(() => checkNewPassword('correct horse battery staple', 'somebody@shop.example')).not.toThrow();
  });
});
