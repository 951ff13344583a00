import { resolve } from 'node:path';
import { ConfigError } from '@storeloom/keys';
import { describe, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { keyChanges } from './key-changes.ts';

const problems = (run: () => unknown): readonly string[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

describe('readConfig', () => {
  test('an empty environment gives the defaults, production among them', () => {
    const config = readConfig({});
    expect(config).toMatchObject({ port: 4000, env: 'production', workers: true, rateLimitFactor: 1, trustedProxies: [] });
    expect(config.dataDir).toBe(resolve('.storeloom'));
    expect(config.databaseUrl).toBeUndefined();
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('reads every key', () => {
    expect(
      readConfig({
        DATABASE_URL: 'postgres://u:p@db/shop',
        DATABASE_URL_DIRECT: 'postgresql://u:p@localhost/shop?host=%2Ftmp%2Fsocket',
        PORT: '8080',
        STORELOOM_DATA: '/srv/data/../shop',
        STORELOOM_ENV: 'staging',
        STORELOOM_WORKERS: 'false',
        SETUP_TOKEN: 'a3f9c1d7e5b2a8f4',
        METRICS_TOKEN: 'b3f9c1d7e5b2a8f4',
        LOG_LEVEL: 'error',
        MAIL_URL: 'smtp://mail:2525',
        FILES_URL: 's3://key:secret@files.example/bucket',
        RATE_LIMIT_FACTOR: '0',
        NPM_REGISTRY_TOKEN: 'tok',
        TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      }),
    ).toEqual({
      databaseUrl: 'postgres://u:p@db/shop',
      databaseUrlDirect: 'postgresql://u:p@localhost/shop?host=%2Ftmp%2Fsocket',
      port: 8080,
      dataDir: '/srv/shop',
      env: 'staging',
      workers: false,
      setupToken: 'a3f9c1d7e5b2a8f4',
      metricsToken: 'b3f9c1d7e5b2a8f4',
      logLevel: 'error',
      mailUrl: 'smtp://mail:2525',
      filesUrl: 's3://key:secret@files.example/bucket',
      rateLimitFactor: 0,
      registryToken: 'tok',
      trustedProxies: ['10.0.0.0/8', '::1'],
    });
  });

  test('a flag that names the database leaves no way past the pooler of another one', () => {
    const env = { DATABASE_URL: 'postgres://u@pooler/prod', DATABASE_URL_DIRECT: 'postgres://u@db/prod' };
    expect(readConfig(env).databaseUrlDirect).toBe('postgres://u@db/prod');
    expect(readConfig(env, { databaseUrl: 'postgres://u@db/staging' })).toMatchObject({
      databaseUrl: 'postgres://u@db/staging',
      databaseUrlDirect: undefined,
    });
  });

  test('an empty variable counts as unset', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: ' ', TRUSTED_PROXIES: '' })).toEqual(readConfig({}));
  });

  test('overrides win and are checked like the environment', () => {
    expect(readConfig({ PORT: '1' }, { port: 0, workers: false, trustedProxies: ['127.0.0.1'] })).toMatchObject({
      port: 0,
      workers: false,
      trustedProxies: ['127.0.0.1'],
    });
    expect(readConfig({ PORT: '5000' }, { port: undefined }).port).toBe(5000);
    expect(problems(() => readConfig({}, { port: 70_000 }))).toEqual([
      '--port is "70000", must be a whole number from 0 to 65535',
    ]);
    expect(problems(() => readConfig({}, { port: 'http', dataDir: '', databaseUrl: ' ' }))).toEqual([
      '--database-url is empty: set a value, or omit it',
      '--port is "http", must be a whole number from 0 to 65535',
      '--data is empty: set a value, or omit it',
    ]);
  });

  test('the server beside a pooler needs the pooler', () => {
    const direct = { DATABASE_URL_DIRECT: 'postgres://u:p@db/shop' };
    expect(problems(() => readConfig(direct))).toEqual([
      'DATABASE_URL_DIRECT requires DATABASE_URL: set it to the pooler, or unset DATABASE_URL_DIRECT',
    ]);
    expect(readConfig(direct, { databaseUrl: 'postgres://u:p@pooler/shop' }).databaseUrlDirect).toBe(direct.DATABASE_URL_DIRECT);
  });

  test('reports all problems together and never repeats a secret', () => {
    const found = problems(() =>
      readConfig({
        DATABASE_URL: 'mysql://root:hunter2@db',
        PORT: '80x',
        STORELOOM_ENV: 'prod',
        STORELOOM_WORKERS: 'no',
        SETUP_TOKEN: 'hunter2',
        METRICS_TOKEN: 'change-me-change-me',
        MAIL_URL: 'http://mail',
        RATE_LIMIT_FACTOR: '-1',
        TRUSTED_PROXIES: '10.0.0.0/8,everyone',
      }),
    );
    expect(found.map((problem) => problem.split(' ')[0])).toEqual([
      'DATABASE_URL',
      'PORT',
      'STORELOOM_ENV',
      'STORELOOM_WORKERS',
      'SETUP_TOKEN',
      'METRICS_TOKEN',
      'MAIL_URL',
      'RATE_LIMIT_FACTOR',
      'TRUSTED_PROXIES',
    ]);
    expect(found.join()).not.toContain('hunter2');
  });

  test('a mail server needs a host', () => {
    expect(problems(() => readConfig({ MAIL_URL: 'smtp://' }))).toEqual(['MAIL_URL names no host']);
    expect(readConfig({ FILES_URL: 's3://key:secret@storage.example/shop-files' }).filesUrl).toContain('shop-files');
    for (const url of ['s3://key:secret@storage.example/', 's3://storage.example/a', 's3://storage.example/two/parts'])
      expect(problems(() => readConfig({ FILES_URL: url }))).toEqual([
        'FILES_URL names no bucket: s3://key:secret@endpoint/bucket',
      ]);
    expect(problems(() => readConfig({ FILES_URL: 'https://storage.example/files' }))[0]).toMatch(/^FILES_URL must be a URL/);
  });

  test.each(['NaN', 'Infinity', '1e3', '0x10', '1,5'])('refuses the factor %s', (text) => {
    expect(problems(() => readConfig({ RATE_LIMIT_FACTOR: text }))).toHaveLength(1);
  });

  test('a removed key stops the boot and names what takes its place', () => {
    const changes = {
      deprecated: [],
      removed: [
        { key: 'OLD_DATABASE', replacement: 'DATABASE_URL', since: '2.0.0', guide: '/guides/2#database' },
        { key: 'OLD_SWITCH', since: '2.0.0' },
      ],
    };
    const found = problems(() => readConfig({ OLD_DATABASE: 'x', OLD_SWITCH: '1' }, {}, changes));
    expect(found).toEqual([
      'OLD_DATABASE was removed in 2.0.0: set DATABASE_URL instead (/guides/2#database)',
      'OLD_SWITCH was removed in 2.0.0: unset it',
    ]);
    expect(readConfig({ OLD_DATABASE: '' }, {}, changes).port).toBe(4000);
    expect(new ConfigError(found)).toMatchObject({ exitCode: 2, code: 'config_invalid' });
  });

  test('a deprecated key works, warns once in a process, and gives way to its replacement', async () => {
    const changes = {
      deprecated: [{ key: 'API_PORT', replacement: 'PORT', since: '1.4.0', removedIn: '3.0.0' }],
      removed: [],
    };
    const warnings: string[] = [];
    const listen = (warning: Error): void => void warnings.push(`${warning.name}: ${warning.message}`);
    process.on('warning', listen);
    try {
      expect(readConfig({ API_PORT: '8080' }, {}, changes).port).toBe(8080);
      expect(readConfig({ API_PORT: '8080', PORT: '9090' }, {}, changes).port).toBe(9090);
      expect(problems(() => readConfig({ API_PORT: 'x' }, {}, changes))).toEqual([
        'API_PORT is "x", must be a whole number from 0 to 65535',
      ]);
      expect(readConfig({ API_PORT: ' ' }, {}, changes).port).toBe(4000);
      await new Promise(setImmediate);
    } finally {
      process.off('warning', listen);
    }
    expect(warnings).toEqual([
      'DeprecationWarning: The configuration key API_PORT is deprecated since 1.4.0 and removed in 3.0.0. Use PORT instead.',
    ]);
  });

  test('the shipped list of changed keys is valid', () => {
    for (const { key, since } of [...keyChanges().removed, ...keyChanges().deprecated]) {
      expect(key).toMatch(/^[A-Z][A-Z0-9_]*$/);
      expect(since).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });
});
