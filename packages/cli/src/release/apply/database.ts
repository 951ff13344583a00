import { runningEmbedded, startEmbedded } from '@storeloom/embedded-postgres';
import { type SnapshotSource, withConnection } from '@storeloom/snapshot';
import type pg from 'pg';
import { say } from '../../output.ts';
import { UpgradeError } from './upgrade-error.ts';

/** URL of the owner: of the server, or of the embedded database, which is started if no process runs it. */
export async function openOwner(
  { url, dataDir }: SnapshotSource,
  signal: AbortSignal,
): Promise<{ ownerUrl: string; stop(): Promise<void> }> {
  const running = url ?? runningEmbedded(dataDir);
  if (running !== undefined) return { ownerUrl: running, stop: async () => undefined };
  const server = await startEmbedded({ dataDir, log: { info: () => undefined, warn: say, error: say }, signal });
  return { ownerUrl: server.ownerUrl, stop: () => server.stop() };
}

const asOwner = <T>(ownerUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  withConnection(ownerUrl, { application_name: 'storeloom-upgrade', connectionTimeoutMillis: 30_000 }, work);

/** Longest drain of a process's jobs, and some time for the notification. Milliseconds. */
const jobsEndWithin = 45_000;

/**
 * Pauses the jobs of every process of the installation, on any host, and waits until none can run.
 * @throws UpgradeError if processes don't stop their jobs, such as those of a release that doesn't know the pause
 */
export function pauseJobs(ownerUrl: string, by: string, signal: AbortSignal): Promise<void> {
  return asOwner(ownerUrl, async (client) => {
    await client.query(
      `insert into core_installation (key, value) values ('jobs.paused', $1) on conflict (key) do update set value = excluded.value, updated_at = now()`,
      [JSON.stringify({ by, since: new Date().toISOString() })],
    );
    await client.query('notify storeloom_jobs');
    const deadline = Date.now() + jobsEndWithin;
    for (;;) {
      signal.throwIfAborted();
      const { rows } = await client.query<{ pid: number }>(
        `select pid from pg_stat_activity where application_name = 'storeloom-jobs' and datname = current_database()`,
      );
      if (rows.length === 0) return;
      if (Date.now() > deadline)
        throw new UpgradeError(
          `Processes still run jobs (connections of the server: ${rows.map(({ pid }) => pid).join(', ')}). Restart them with STORELOOM_WORKERS=false, then try again.`,
        );
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  });
}

export function resumeJobs(ownerUrl: string): Promise<void> {
  return asOwner(ownerUrl, async (client) => {
    await client.query(`delete from core_installation where key = 'jobs.paused'`);
    await client.query('notify storeloom_jobs');
  });
}

/** Shows operators a maintenance window of an hour from now. */
export function announceWindow(ownerUrl: string, message: string): Promise<void> {
  return asOwner(ownerUrl, async (client) => {
    const now = Date.now();
    const window = {
      startsAt: new Date(now).toISOString(),
      endsAt: new Date(now + 3_600_000).toISOString(),
      message,
      acknowledgedAt: null,
    };
    await writeWindow(client, window);
  });
}

/** Ends the maintenance window that an upgrade announced. One of the operators is left alone. */
export function acknowledgeWindow(ownerUrl: string, message: string): Promise<void> {
  return asOwner(ownerUrl, async (client) => {
    const { rows } = await client.query<{ value: { message?: unknown; acknowledgedAt?: unknown } }>(
      `select value from core_installation where key = 'maintenance'`,
    );
    const window = rows[0]?.value;
    if (window?.message === message && window.acknowledgedAt === null)
      await writeWindow(client, { ...window, acknowledgedAt: new Date().toISOString() });
  });
}

/** The version of the row rises, as with a change by an operator. */
async function writeWindow(client: pg.Client, window: object): Promise<void> {
  await client.query(
    `insert into core_installation (key, value) values ('maintenance', $1::jsonb || '{"version": 1}')
      on conflict (key) do update set updated_at = now(),
        value = $1::jsonb || jsonb_build_object('version', coalesce((core_installation.value ->> 'version')::int, 1) + 1)`,
    [JSON.stringify(window)],
  );
}

/** Applied migrations, `owner name`. */
export function appliedMigrations(ownerUrl: string): Promise<string[]> {
  return asOwner(ownerUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select plugin || ' ' || name as name from core_migration where status = 'done' order by 1`,
    );
    return rows.map(({ name }) => name);
  });
}

export interface DatabaseFacts {
  readonly bytes: number;
  /** `18.4` */
  readonly version: string;
  readonly major: number;
  /** Milliseconds that the clock of the server is ahead of this machine's. */
  readonly ahead: number;
  /** Transactions that have been open for longer than five minutes. */
  readonly old: readonly { readonly pid: number; readonly application: string; readonly seconds: number }[];
}

export function databaseFacts(ownerUrl: string): Promise<DatabaseFacts> {
  return asOwner(ownerUrl, async (client) => {
    const sent = Date.now();
    const { rows } = await client.query<{ bytes: string; version: string; num: number; now: Date }>(
      `select pg_database_size(current_database()) as bytes, current_setting('server_version') as version,
        current_setting('server_version_num')::int as num, clock_timestamp() as now`,
    );
    const received = Date.now();
    const old = await client.query<{ pid: number; application: string; seconds: number }>(
      `select pid, application_name as application, extract(epoch from now() - xact_start)::int as seconds from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid() and xact_start < now() - interval '5 minutes' order by xact_start`,
    );
    const { bytes = '0', version = '', num = 0, now = new Date() } = rows[0] ?? {};
    return {
      bytes: Number(bytes),
      version: version.split(' ', 1)[0] ?? '',
      major: Math.floor(num / 10_000),
      ahead: Math.round(now.getTime() - (sent + received) / 2),
      old: old.rows,
    };
  });
}
