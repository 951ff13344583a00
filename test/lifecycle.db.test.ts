import type { ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createDatabase, type TestDatabase, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../packages/embedded-postgres/src/processes.ts';
import { installation, type SmallInstallation, serving } from './support/installation.ts';
import { ended, type RunOptions, run, storeloom } from './support/processes.ts';

const taken = async (): Promise<{ port: number; server: Server }> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return { port: (server.address() as AddressInfo).port, server };
};

/** The pid of the embedded PostgreSQL of a data directory, if it lives. */
function postmaster(dataDir: string): number | undefined {
  const file = join(dataDir, 'postgres/18/postmaster.pid');
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  return isAlive(pid) ? pid : undefined;
}

describe('a process that is asked to end', () => {
  let home: SmallInstallation;
  const options = (): RunOptions => ({ dir: home.dir, databaseUrl: '', dataDir: home.dataDir });
  beforeAll(() => {
    home = installation({
      one: { module: serving('one', true), migration: 'create table one_thing (id int); select pg_sleep(1);' },
    });
    // The server's user passes through; a temporary folder is closed to it otherwise.
    chmodSync(join(home.dir, '..'), 0o711);
    const file = join(home.dir, 'storeloom.config.mjs');
    writeFileSync(
      file,
      readFileSync(file, 'utf8')
        .replace('export default', 'const config =')
        .concat(`
import { sql } from '@storeloom/plugin-sdk';
// As a demo fills: calls of the shop's own routes, whose connections stay open, and transactions one after the other.
for (const tenant of config.demo)
  tenant.seed = async (ctx, owner) => {
    await owner.call('GET', '/api/storefront/one/');
    const endless = process.env.ENDLESS === '1';
    for (let i = 0; endless || i < 1; i++) await ctx.transaction((inner) => inner.db.rows(sql\`select pg_sleep(\${endless ? 50 : 3})\`));
    console.error('filled');
  };
export default config;
`),
    );
  });
  afterAll(() => home?.remove());

  /** Starts `dev`, sends the signal as soon as it has said the text, and gives how it ended. */
  async function endedAt(
    text: string,
    signal: NodeJS.Signals,
    args: string[] = [],
    env: Record<string, string> = { ENDLESS: '1' },
  ) {
    const child: ChildProcess = storeloom(['dev', '--json', '--port', '0', ...args], { ...options(), env });
    let [stdout, stderr] = ['', ''];
    let asked = 0;
    const look = (): void => {
      if (asked > 0 || !`${stderr}${stdout}`.includes(text)) return;
      asked = performance.now();
      child.kill(signal);
    };
    child.stdout?.on('data', (chunk) => {
      stdout += chunk;
      look();
    });
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
      look();
    });
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, stdout, stderr, seconds: (performance.now() - asked) / 1000 };
  }

  it.each([
    ['while the database is made', 'starting the embedded', 'SIGINT', 130],
    ['while the core migrates', 'applied core 0001', 'SIGTERM', 143],
    ['in the middle of a migration', 'applied dashboard 0001', 'SIGHUP', 129],
    ['while the demo is filled', 'filling the demo shop', 'SIGINT', 130],
  ] as const)('%s ends with its code, quietly, and leaves nothing running', async (_, text, signal, expected) => {
    const { code, stdout, stderr, seconds } = await endedAt(text, signal);
    expect([code, stdout], stderr).toEqual([expected, '']);
    expect(stderr).toMatch(/stopping …\n[\s\S]*stopped before it was done\n$/);
    expect(stderr).not.toMatch(/57P01|57014|"level":"(error|warn)"|\n {4}at /);
    expect(postmaster(home.dataDir)).toBeUndefined();
    expect(existsSync(join(home.dataDir, 'database.lock'))).toBe(false);
    // What it waits for is never the demo, nor a statement of it.
    expect(seconds).toBeLessThan(text.startsWith('filling') ? 30 : 60);
  });

  it('while the demo is filled: the next start fills it', async () => {
    const { code, stdout, stderr } = await endedAt('"setupToken"', 'SIGTERM', [], { ENDLESS: '0' });
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/filling the demo shop small …\nfilled\n/);
    expect(stderr).not.toContain('missing');
    expect(JSON.parse(stdout)).toMatchObject({ tenants: [{ slug: 'small' }] });
  });

  it('once it serves, ends with 0, and so does one that took over the database of a killed one', async () => {
    const killed = await endedAt('"setupToken"', 'SIGKILL', ['--no-demo']);
    expect(killed.code).toBe(null);
    const left = postmaster(home.dataDir);
    expect(left).toBeGreaterThan(0);
    for (let round = 0; round < 2; round++) {
      const { code, stdout, stderr } = await endedAt('"setupToken"', 'SIGTERM', ['--no-demo']);
      expect(code, stderr).toBe(0);
      expect(stdout.trim().split('\n')).toHaveLength(1);
      expect(stderr).not.toMatch(/57P01|"level":"(error|warn)"|\n {4}at /);
      expect(postmaster(home.dataDir)).toBeUndefined();
    }
  });
});

describe('a start that is refused', () => {
  let home: SmallInstallation;
  let database: TestDatabase | undefined;
  afterEach(async () => {
    await database?.drop();
    database = undefined;
    home?.remove();
  });
  const options = (databaseUrl = ''): RunOptions => ({ dir: home.dir, databaseUrl, dataDir: home.dataDir });

  it('by a port in use ends immediately, names it, and creates nothing', async () => {
    home = installation({});
    const { port, server } = await taken();
    try {
      for (const command of ['dev', 'start']) {
        const { code, stdout, stderr } = await run([command, '--port', String(port)], options());
        expect([code, stdout]).toEqual([1, '']);
        expect(stderr).toContain(`port ${port} is in use`);
        expect(stderr).toContain('--port');
        expect(existsSync(home.dataDir)).toBe(false);
      }
    } finally {
      server.close();
    }
  });

  it('by an empty option or a switch that is neither yes nor no: exit 2, nothing written', async () => {
    home = installation({});
    for (const args of [
      ['start', '--data='],
      ['migrate', 'status', '--port='],
      ['keys', 'rotate', ''],
      ['dev', '--port', 'http'],
    ]) {
      const { code, stderr } = await run(args, options());
      expect([args, code]).toEqual([args, 2]);
      expect(stderr).toMatch(/is empty|--port is "http"/);
    }
    const { code, stderr } = await run(['dev'], { ...options(), env: { STORELOOM_DEMO: 'maybe' } });
    expect([code, stderr]).toEqual([2, expect.stringContaining('STORELOOM_DEMO is "maybe"')]);
    expect(existsSync(home.dataDir)).toBe(false);
  });

  it('by a database that is unreachable or rejects the login: exit 5, with its host and name, never the password', async () => {
    home = installation({});
    const { hostname, pathname, searchParams } = new URL((database = await createDatabase()).url);
    const host = searchParams.get('host') ?? hostname;
    const query = `?host=${encodeURIComponent(host)}`;
    for (const [command, url, text] of [
      ['migrate', 'postgres://someone:s3cret@127.0.0.1:1/shop', 'the database "shop" on 127.0.0.1:1'],
      ['start', `postgres://storeloom_owner:s3cret@localhost${pathname}${query}`, 'rejects "storeloom_owner"'],
    ] as const) {
      const { code, stdout, stderr } = await run([command], options(url));
      expect([code, stderr]).toEqual([5, expect.stringContaining(text)]);
      expect(`${stdout}${stderr}`).not.toContain('s3cret');
    }
  });

  it('on a database without migrations says what to run', async () => {
    home = installation({});
    database = await createDatabase();
    const { code, stderr } = await run(['start', '--port', '0'], options(database.url));
    expect([code, stderr]).toEqual([1, expect.stringContaining('run `storeloom migrate`')]);
    expect(stderr).not.toContain('core_installation');
  });

  it('by two plugins with one route comes before any migration', async () => {
    home = installation({
      first: { module: serving('first') },
      second: {
        module: serving('second', true).replace("'/second/'", "'/first/'"),
        migration: 'create table second_thing (id int);',
      },
    });
    database = await createDatabase();
    for (const command of ['migrate', 'dev']) {
      const { code, stdout, stderr } = await run([command, ...(command === 'dev' ? ['--port', '0'] : [])], options(database.url));
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('GET /api/storefront/first');
      expect(stderr).not.toContain('applied');
    }
  });

  it('leaves the permissions of a folder that was there', async () => {
    home = installation({});
    mkdirSync(home.dataDir, { mode: 0o755 });
    chmodSync(home.dataDir, 0o755);
    database = await createDatabase();
    await run(['migrate', 'status'], options(database.url));
    expect(statSync(home.dataDir).mode & 0o777).toBe(0o755);
    expect(statSync(join(home.dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  });
});

describe('beside a process that keeps the embedded database running', () => {
  let home: SmallInstallation;
  let serves: ChildProcess | undefined;
  const options = (): RunOptions => ({ dir: home.dir, databaseUrl: '', dataDir: home.dataDir });
  beforeAll(async () => {
    home = installation({});
    chmodSync(join(home.dir, '..'), 0o711);
    // As a person types it, with nothing set: `dev` is development.
    const child = storeloom(['dev', '--json', '--no-demo', '--port', '0'], { ...options(), env: { STORELOOM_ENV: '' } });
    serves = child;
    await new Promise<void>((resolve, reject) => {
      child.stdout?.once('data', () => resolve());
      child.once('exit', (code) => reject(new Error(`ended with ${code}`)));
    });
  });
  afterAll(async () => {
    serves?.kill('SIGTERM');
    if (serves) await ended(serves);
    home?.remove();
  });

  it('license and audit do their work, and what would start a database of its own is refused', async () => {
    const made = await run(['license', 'token', 'publisher', '@acme/*', '--name', 'acme', '--json'], options());
    expect(made.code, made.stderr).toBe(0);
    const { id } = JSON.parse(made.stdout) as { id: string };
    for (const args of [
      ['license', 'show'],
      ['license', 'token', 'list'],
      ['license', 'token', 'revoke', id],
      ['audit', 'verify'],
    ]) {
      const { code, stderr } = await run(args, options());
      expect([args, code, stderr]).toEqual([args, 0, '']);
    }
    // The environment is that of the serving process, with or without a variable in the shell.
    for (const env of [{ STORELOOM_ENV: '' }, { STORELOOM_ENV: 'development' }]) {
      const { stdout } = await run(['license', 'show', '--json'], { ...options(), env });
      expect(JSON.parse(stdout)).toMatchObject({ state: 'valid', plan: 'development' });
    }
    const production = await run(['license', 'show', '--json'], { ...options(), env: { STORELOOM_ENV: 'production' } });
    expect(JSON.parse(production.stdout)).toMatchObject({ state: 'none', plan: null });
    const nothing = await run(['license', 'deactivate'], options());
    expect([nothing.code, nothing.stdout]).toEqual([1, '']);
    expect(nothing.stderr).toContain('there is no licence to give back');
    const refused = await run(['migrate', 'status'], options());
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`(pid ${serves?.pid})`)]);
  });
});

describe('a kernel whose boot fails', () => {
  let shop: TestShop;
  beforeAll(async () => {
    shop = await testShop({ plugins: [], workers: false });
  });
  afterAll(() => shop?.stop());

  it('closes every connection that it has opened', async () => {
    const open = async (): Promise<number> => {
      const [row] = await shop.rows<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name like 'storeloom%'`,
      );
      return row?.n ?? 0;
    };
    const { port, server } = await taken();
    const before = await open();
    try {
      await expect(shop.prepared.start({ port, workers: true })).rejects.toMatchObject({ code: 'port_refused' });
      await expect.poll(open).toBeLessThanOrEqual(before);
    } finally {
      server.close();
    }
  });
});
