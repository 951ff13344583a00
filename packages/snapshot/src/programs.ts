import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { SnapshotError } from './errors.ts';

/** Folder with `pg_dump`, `pg_restore` and `psql` of one version. */
export interface Programs {
  readonly bin: string;
  readonly major: number;
}

const needed = ['pg_dump', 'pg_restore', 'psql'];

/** Folders of packages come before PATH, which can contain a wrapper that chooses a version. */
function folders(): string[] {
  const versions = (parent: string, tail: string): string[] =>
    existsSync(parent) ? readdirSync(parent).map((name) => join(parent, name, tail)) : [];
  return [
    ...versions('/usr/lib/postgresql', 'bin'),
    ...versions('/opt/homebrew/opt', 'bin').filter((path) => path.includes('/postgresql@')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
}

/**
 * Returns the oldest programs that can read a server of this major version.
 * @throws SnapshotError `program_missing`: older programs refuse a newer server
 */
export function findPrograms(serverMajor: number): Programs {
  const found = folders()
    .filter((bin) => bin !== '' && needed.every((name) => existsSync(join(bin, name))))
    .map((bin) => {
      const { stdout } = spawnSync(join(bin, 'pg_dump'), ['--version'], { encoding: 'utf8' });
      return { bin, major: Number(/\(PostgreSQL\) (\d+)/.exec(stdout ?? '')?.[1] ?? 0) };
    })
    .sort((a, b) => a.major - b.major);
  const fits = found.find(({ major }) => major >= serverMajor);
  if (fits) return fits;
  const newest = found.at(-1);
  throw new SnapshotError(
    'program_missing',
    `A snapshot of PostgreSQL ${serverMajor} needs pg_dump, pg_restore and psql of version ${serverMajor} or newer; ${newest ? `the newest here is ${newest.major} in ${newest.bin}` : 'there are none here'}. Install the client package of PostgreSQL ${serverMajor}.`,
  );
}

/** Parameters of a URL that only node-postgres knows: libpq refuses them. */
const driverParameters = [
  'uselibpqcompat',
  'pool_max',
  'max',
  'ssl',
  'statement_timeout',
  'query_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'connectionTimeoutMillis',
  'idleTimeoutMillis',
  'keepAlive',
];

/** Connection arguments for programs of PostgreSQL: the password is in the environment, where other users can't read it. */
export function connectionOf(url: string): { dbname: string; env: Record<string, string> } {
  const parsed = new URL(url);
  for (const name of driverParameters) parsed.searchParams.delete(name);
  // A name of node-postgres for what libpq does by default with "require".
  if (parsed.searchParams.get('sslmode') === 'no-verify') parsed.searchParams.set('sslmode', 'require');
  const password = decodeURIComponent(parsed.password);
  parsed.password = '';
  return { dbname: parsed.href, env: password === '' ? {} : { PGPASSWORD: password } };
}

/**
 * Runs a program and resolves if it exits with 0. `output` receives its standard output.
 * @throws SnapshotError with the end of its standard error
 */
export async function run(
  program: string,
  args: readonly string[],
  {
    env = {},
    signal,
    output,
  }: { env?: Record<string, string>; signal?: AbortSignal | undefined; output?: (stream: Readable) => Promise<void> } = {},
): Promise<void> {
  signal?.throwIfAborted();
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', ...env },
    stdio: ['ignore', output ? 'pipe' : 'ignore', 'pipe'],
  });
  const end = (): unknown => child.kill('SIGTERM');
  signal?.addEventListener('abort', end, { once: true });
  let errors = '';
  child.stderr?.on('data', (data: Buffer) => {
    errors = (errors + data.toString()).slice(-4000);
  });
  try {
    const ended = new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve(code ?? -1));
    });
    const [code] = await Promise.all([ended, child.stdout && output ? output(child.stdout) : undefined]);
    signal?.throwIfAborted();
    if (code !== 0) {
      const name = program.slice(program.lastIndexOf('/') + 1);
      throw new SnapshotError(
        'snapshot_failed',
        `${name} ended with exit code ${code}:\n${errors.trim() || '(it printed nothing)'}`,
      );
    }
  } finally {
    signal?.removeEventListener('abort', end);
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  }
}
