import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from './config-error.ts';
import { checkSameInstallation, dataDirMode, openDataDir } from './data-dir.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'storeloom-data-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const mode = (path: string): number => statSync(path).mode & 0o777;

describe('openDataDir', () => {
  test('makes the directory and its secrets for the owner alone, once', () => {
    const path = join(base, 'a', 'b');
    const first = openDataDir(path);
    expect(first.fresh).toBe(true);
    expect(mode(path)).toBe(dataDirMode());
    expect(mode(join(path, 'secrets.json'))).toBe(0o600);
    const again = openDataDir(path);
    expect(again.fresh).toBe(false);
    expect(again.secrets).toEqual(first.secrets);
    expect(readdirSync(path)).toEqual(['secrets.json']);
  });

  test('no two installations share a secret', () => {
    const values = ['x', 'y'].flatMap((name) => {
      const { installation, encryption, hmac, databasePassword } = openDataDir(join(base, name)).secrets;
      return [installation, ...Object.values(encryption.keys), hmac, databasePassword];
    });
    expect(new Set(values).size).toBe(8);
  });

  test('a directory that is there keeps its permissions; what it makes itself is closed', () => {
    chmodSync(base, 0o755);
    openDataDir(base);
    expect(mode(base)).toBe(0o755);
    expect(mode(join(base, 'secrets.json'))).toBe(0o600);
    openDataDir(join(base, 'made'));
    expect(mode(join(base, 'made')) & 0o066).toBe(0);
  });

  test('twelve processes that start simultaneously get the same secrets', async () => {
    const path = join(base, 'shared');
    const script = `import { openDataDir } from ${JSON.stringify(import.meta.resolve('./data-dir.ts'))};
      console.log(JSON.stringify(openDataDir(process.argv[1]).secrets));`;
    const runs = await Promise.all(
      Array.from({ length: 12 }, () =>
        promisify(execFile)(process.execPath, ['--conditions=storeloom-source', '--input-type=module', '-e', script, path]),
      ),
    );
    expect(new Set(runs.map(({ stdout }) => stdout)).size).toBe(1);
    expect(readdirSync(path)).toEqual(['secrets.json']);
  });

  test.each([
    [
      'a short encryption key',
      (secrets: Record<string, unknown>) => ({ ...secrets, encryption: { current: 'a', keys: { a: 'c2hvcnQ' } } }),
    ],
    ['a short HMAC key', (secrets: Record<string, unknown>) => ({ ...secrets, hmac: 'AAAA' })],
    [
      'a current key that is not there',
      (secrets: Record<string, unknown>) => ({ ...secrets, encryption: { current: 'gone', keys: {} } }),
    ],
    ['a missing key', ({ hmac: _, ...secrets }: Record<string, unknown>) => secrets],
    ['an array', () => []],
  ])('refuses %s and shows no secret', (_, spoil) => {
    const secrets = openDataDir(base).secrets;
    writeFileSync(join(base, 'secrets.json'), JSON.stringify(spoil({ ...secrets })));
    expect(() => openDataDir(base)).toThrow(ConfigError);
    expect(() => openDataDir(base)).toThrow(/secrets\.json/);
    expect(() => openDataDir(base)).not.toThrow(secrets.hmac);
  });

  test('rejects a file that is not JSON, and a path that is not a directory', () => {
    writeFileSync(join(base, 'secrets.json'), '{"installation":');
    expect(() => openDataDir(base)).toThrow(/not JSON/);
    writeFileSync(join(base, 'plain'), '');
    expect(() => openDataDir(join(base, 'plain'))).toThrow(ConfigError);
  });
});

describe('files', () => {
  test('are written as a whole for the owner alone', () => {
    const dir = openDataDir(base);
    expect(dir.readJson('keys/admin.json')).toBeUndefined();
    dir.writeJson('keys/admin.json', { a: 1 });
    dir.writeJson('keys/admin.json', { a: 2 });
    expect(dir.readJson('keys/admin.json')).toEqual({ a: 2 });
    expect(mode(dir.file('keys/admin.json'))).toBe(0o600);
    expect(mode(join(base, 'keys'))).toBe(0o700);
    expect(readdirSync(join(base, 'keys'))).toEqual(['admin.json']);
  });

  test('createJson never replaces', () => {
    const dir = openDataDir(base);
    expect(dir.createJson('x.json', () => ({ n: 1 }))).toEqual({ value: { n: 1 }, made: true });
    expect(dir.createJson('x.json', () => ({ n: 2 }))).toEqual({ value: { n: 1 }, made: false });
  });

  test.each(['../x', '/etc/passwd', 'a/../b', 'keys/../../x', '', '.', '.hidden', 'a//b', 'a/b/c', 'a\0b', 'a\\b'])(
    'the name %j is refused',
    (name) => {
      const dir = openDataDir(base);
      expect(() => dir.file(name)).toThrow(/not a valid name/);
      expect(() => dir.writeJson(name, 1)).toThrow(/not a valid name/);
    },
  );
});

test('rotating the encryption key keeps the old one', () => {
  const dir = openDataDir(base);
  const before = dir.secrets;
  const other = openDataDir(base);
  const after = dir.rotateEncryptionKey();
  expect(after.encryption.current).not.toBe(before.encryption.current);
  expect(after.encryption.keys).toMatchObject(before.encryption.keys);
  expect(after.hmac).toBe(before.hmac);
  expect(other.secrets).toEqual(before);
  expect(other.reload()).toEqual(after);
  expect(JSON.parse(readFileSync(join(base, 'secrets.json'), 'utf8'))).toEqual(after);
});

test('new secrets beside a used database stop the boot', () => {
  const dir = openDataDir(base);
  checkSameInstallation(dir, undefined);
  checkSameInstallation(dir, dir.secrets.installation);
  expect(() => checkSameInstallation(dir, '00000000-0000-4000-8000-000000000000')).toThrow(/just been made/);
  mkdirSync(join(base, 'sub'));
  expect(() => checkSameInstallation(openDataDir(base), '00000000-0000-4000-8000-000000000000')).toThrow(
    /belongs to the installation/,
  );
});
