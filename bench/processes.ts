import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbedded } from '@storeloom/embedded-postgres';
import pg from 'pg';

export const say = (line: string): void => void process.stderr.write(`${line}\n`);

const ticks = 100;

/** User and system time of a process so far, in milliseconds. */
function cpuOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticks;
}

/** The same for PostgreSQL: the postmaster, its reaped and its live children. */
function databaseCpu(postmaster: number): number {
  const text = readFileSync(`/proc/${postmaster}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  let sum = ((Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14])) * 1000) / ticks;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const own = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(own[1]) === postmaster) sum += ((Number(own[11]) + Number(own[12])) * 1000) / ticks;
    } catch (error) {
      // A backend that ended between the listing and the read.
      if ((error as { code?: string }).code !== 'ENOENT' && (error as { code?: string }).code !== 'ESRCH') throw error;
    }
  }
  return sum;
}

export interface Cpu {
  server: number;
  database: number;
}
export const cpu = (server: number, postmaster: number): Cpu => ({ server: cpuOf(server), database: databaseCpu(postmaster) });

/** Resident memory in megabytes. */
export function memoryOf(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(match?.[1] ?? 0) / 1024);
}

export interface Server {
  readonly pid: number;
  readonly base: string;
  /** Milliseconds from the start of the process until it reports that it listens. */
  readonly bootMs: number;
  stop(): Promise<void>;
}

/** Starts a program and waits until it reports its address. */
export async function startServer(args: string[], env: Record<string, string> = {}): Promise<Server> {
  const started = performance.now();
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let listening = false;
  const port = await new Promise<number>((resolve, reject) => {
    const listen = (chunk: Buffer): void => {
      // From then on, discard the log, so that reading it doesn't distort the measurement.
      if (listening) return;
      said += chunk.toString();
      const match = /listening on port (\d+)/.exec(said);
      listening = match !== null;
      if (match) resolve(Number(match[1]));
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}:\n${said}`)));
  });
  const bootMs = performance.now() - started;
  return {
    pid: child.pid as number,
    base: `http://127.0.0.1:${port}`,
    bootMs,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

export interface Bench {
  /** CPU of PostgreSQL, for `load`. */
  readonly postmaster: number;
  /** Runs statements as the superuser, without row-level security. */
  asSuperuser(work: (client: pg.Client) => Promise<unknown>): Promise<void>;
  /** Updates the planner's statistics. */
  analyze(): Promise<void>;
  /** The API, started like on the command line. */
  ours(env?: Record<string, string>): Promise<Server>;
  /** The raw program, which connects as the superuser and knows its tenant. */
  raw(program: string, tenantId: string, env?: Record<string, string>): Promise<Server>;
  /** Stops the database and removes its folder, unless it is kept. */
  stop(): Promise<void>;
}

/**
 * Creates a folder with an embedded PostgreSQL, and the environment for this process and its children. A `kept` folder is reused by the
 * next run.
 */
export async function startBench(kept?: string): Promise<Bench> {
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'storeloom-bench-'));
  const data = join(folder, 'data');
  // The PostgreSQL user can enter the folder, so the database is inside it and removed with it.
  mkdirSync(data, { recursive: true });
  for (const each of [folder, data]) chmodSync(each, 0o711);
  const embedded = await startEmbedded({ dataDir: data, log: { info: () => undefined, warn: say, error: say } });
  Object.assign(process.env, {
    STORELOOM_DATA: data,
    STORELOOM_ENV: 'development',
    DATABASE_URL: embedded.ownerUrl,
    RATE_LIMIT_FACTOR: '0',
    PORT: '0',
    STORELOOM_WORKERS: 'false',
  });
  const url = new URL(embedded.superuserUrl);
  url.pathname = '/storeloom';
  const program = fileURLToPath(new URL('../packages/cli/dist/bin.js', import.meta.url));
  const asSuperuser: Bench['asSuperuser'] = async (work) => {
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  };
  return {
    postmaster: embedded.pid,
    asSuperuser,
    analyze: () => asSuperuser((client) => client.query('vacuum analyze')),
    ours: (env) => startServer([program, 'start', '--port', '0', '--data', data, '--database-url', embedded.ownerUrl], env),
    raw: (program, tenantId, env = {}) => startServer([program], { ...env, RAW_DATABASE_URL: url.href, RAW_TENANT: tenantId }),
    async stop() {
      await embedded.stop();
      if (kept === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
