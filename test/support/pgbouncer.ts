import { spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { drivers } from '@storeloom/cli';
import { type Kernel, prepare, readConfig } from '@storeloom/core';
import { runtimeRole } from '@storeloom/data';
import type { TestShop } from '@storeloom/testing';
import pg from 'pg';
import { serverUser } from '../../packages/embedded-postgres/src/user.ts';

const binary = '/usr/sbin/pgbouncer';
/** Why nothing runs through PgBouncer here; undefined where it is installed. */
export const withoutPgbouncer = existsSync(binary) ? undefined : `no ${binary} on this machine`;

export interface Pooler {
  /** What `DATABASE_URL` is to be. */
  url: string;
  /** Connections of the requests' login to the server, and transactions that went over all. */
  figures(): Promise<{ servers: number; transactions: number }>;
  /** What it said so far. */
  log(): string;
  stop(): Promise<void>;
}

/** PgBouncer in transaction mode before the database of a test shop, with so many connections to the server. */
export async function startPooler(shop: TestShop, connections: number): Promise<Pooler> {
  const server = new URL(shop.prepared.ownerUrl);
  const database = decodeURIComponent(server.pathname.slice(1));
  const runtime = runtimeRole(shop.prepared.ownerUrl);
  const user = serverUser([]);
  const place = mkdtempSync(join(tmpdir(), 'storeloom-pooler-'));
  const logins = [
    [decodeURIComponent(server.username), decodeURIComponent(server.password)],
    [runtime, shop.prepared.dataDir.secrets.databasePassword],
  ];
  writeFileSync(join(place, 'users.txt'), logins.map(([name, password]) => `"${name}" "${password}"\n`).join(''));
  writeFileSync(
    join(place, 'pgbouncer.ini'),
    `[databases]
${database} = host=${server.searchParams.get('host') ?? server.hostname} port=${server.port || 5432} dbname=${database}
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = ${place}
auth_type = scram-sha-256
auth_file = ${join(place, 'users.txt')}
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 500
stats_users = ${decodeURIComponent(server.username)}
`,
  );
  chmodSync(place, 0o700);
  if (user)
    for (const path of [place, join(place, 'users.txt'), join(place, 'pgbouncer.ini')]) chownSync(path, user.uid, user.gid);
  const child = spawn(binary, [join(place, 'pgbouncer.ini')], { ...user, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const endWithProcess = (): void => void child.kill('SIGKILL');
  process.once('exit', endWithProcess);
  for (let waited = 0; !existsSync(join(place, '.s.PGSQL.6432')); waited += 20) {
    if (child.exitCode !== null || waited > 10_000) throw new Error(`PgBouncer does not listen:\n${said}`);
    await sleep(20);
  }
  const url = new URL(server);
  url.host = 'localhost:6432';
  url.searchParams.set('host', place);
  return {
    url: url.href,
    async figures() {
      const console = new URL(url);
      console.pathname = '/pgbouncer';
      const client = new pg.Client({ connectionString: console.href });
      await client.connect();
      try {
        const servers = await client.query<{ database: string; user: string }>('show servers');
        const stats = await client.query<{ database: string; total_xact_count: string }>('show stats');
        return {
          servers: servers.rows.filter((row) => row.database === database && row.user === runtime).length,
          transactions: Number(stats.rows.find((row) => row.database === database)?.total_xact_count ?? 0),
        };
      } finally {
        await client.end();
      }
    },
    log: () => said,
    async stop() {
      process.off('exit', endWithProcess);
      child.kill('SIGQUIT');
      await gone;
      rmSync(place, { recursive: true, force: true });
    },
  };
}

/** One more process of a test shop, in this one: its requests go through the pooler, and may wait long for their turn. */
export async function kernelBehind(shop: TestShop, pooler: Pooler, pool: number): Promise<Kernel> {
  const config = readConfig({
    STORELOOM_ENV: 'development',
    STORELOOM_DATA: shop.prepared.dataDir.path,
    RATE_LIMIT_FACTOR: '0',
    PORT: '0',
    DATABASE_URL: pooler.url,
    DATABASE_URL_DIRECT: shop.prepared.ownerUrl,
  });
  const prepared = await prepare(config, shop.prepared.installation, {
    log: shop.prepared.log,
    drivers,
    importModule: (url) => import(/* @vite-ignore */ url),
  });
  return prepared.start({ port: 0, host: '127.0.0.1', workers: false, pool, poolWait: 60_000 });
}
