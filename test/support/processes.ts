import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestShop } from '@storeloom/testing';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Ends a process whose parent is gone, however that went: nothing is left running after a test run. */
export const leash = `data:text/javascript,${encodeURIComponent(
  "process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).on('error', () => process.kill(process.pid, 'SIGKILL')).resume(); process.stdin.unref();",
)}`;
const bin = fileURLToPath(new URL('../../packages/cli/src/bin.ts', import.meta.url));

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}
export interface RunOptions {
  /** Folder of the installation; the repository by default. */
  dir?: string;
  databaseUrl: string;
  dataDir: string;
  env?: Record<string, string>;
  /** Starts it as npm does, below a shell: the process is the shell. */
  shell?: boolean;
}

/** An operating-system process that runs a command of the command line, from the sources. */
export function storeloom(
  args: readonly string[],
  { dir = root, databaseUrl, dataDir, env = {}, shell }: RunOptions,
): ChildProcess {
  const command = ['--conditions=storeloom-source', '--no-warnings', `--import=${leash}`, bin, ...args, '--dir', dir];
  return spawn(
    shell ? 'sh' : process.execPath,
    // The shell waits for it, as npm does.
    shell ? ['-c', '"$0" "$@"; exit $?', process.execPath, ...command] : command,
    {
      cwd: root,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        STORELOOM_ENV: 'development',
        RATE_LIMIT_FACTOR: '0',
        PORT: '0',
        ...env,
        DATABASE_URL: databaseUrl,
        STORELOOM_DATA: dataDir,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
}

export const ended = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.once('exit', (code) => resolve(code)));

/** Runs a command to its end. */
export async function run(args: readonly string[], options: RunOptions): Promise<Finished> {
  const child = storeloom(args, options);
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk) => (stdout += chunk));
  child.stderr?.on('data', (chunk) => (stderr += chunk));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

/** `storeloom start` in a process of its own. */
export interface Api {
  readonly pid: number;
  readonly port: number;
  readonly base: string;
  /** What it said so far. */
  log(): string;
  /** SIGKILL: nothing is finished, nothing is closed. */
  kill(): Promise<void>;
  /** SIGTERM and the drain; gives the exit code. */
  stop(): Promise<number | null>;
}

export async function startApi(options: RunOptions, args: readonly string[] = []): Promise<Api> {
  const child = storeloom(['start', '--port', '0', ...args], options);
  let said = '';
  child.stdout?.on('data', (chunk) => (said += chunk));
  const listening = await new Promise<number>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the process did not listen within 120 s:\n${said}`)), 120_000);
    child.stderr?.on('data', (chunk) => {
      said += chunk;
      // The number may come in two parts.
      const found = /listening on port (\d+)\D/.exec(said);
      if (!found) return;
      clearTimeout(timer);
      resolve(Number(found[1]));
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the process ended with ${code} before it listened:\n${said}`));
    });
  });
  const end = (signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> => {
    const gone = ended(child);
    child.kill(signal);
    return gone;
  };
  return {
    pid: child.pid as number,
    port: listening,
    base: `http://127.0.0.1:${listening}`,
    log: () => said,
    async kill() {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
  };
}

/** Further processes of a test shop: its database, its data directory, its plugins. */
export const processOf = (shop: TestShop): RunOptions => ({
  databaseUrl: shop.prepared.ownerUrl,
  dataDir: shop.prepared.dataDir.path,
});

/** So many processes of a test shop: `crowd(apis.map(({ base }) => base), 50, …)` calls them by turns. */
export const startApis = (shop: TestShop, count: number): Promise<Api[]> =>
  Promise.all(Array.from({ length: count }, () => startApi(processOf(shop))));

/** `storeloom dev --json`: migrated, seeded, serving; with the line it prints once it is ready. */
export interface Dev {
  readonly ready: { api: string; tenants: { slug: string; host: string; owner: { email: string; password: string } }[] };
  readonly log: () => string;
  stop(): Promise<number | null>;
}
export async function startDev(options: RunOptions): Promise<Dev> {
  const child = storeloom(['dev', '--json', '--port', '0'], options);
  let [stdout, stderr] = ['', ''];
  child.stderr?.on('data', (chunk) => (stderr += chunk));
  const ready = await new Promise<Dev['ready']>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      stdout += chunk;
      if (stdout.includes('\n')) resolve(JSON.parse(stdout) as Dev['ready']);
    });
    child.once('exit', (code) => reject(new Error(`the process ended with ${code}:\n${stderr}`)));
  });
  return {
    ready,
    log: () => stderr,
    stop: () => {
      const gone = ended(child);
      child.kill('SIGTERM');
      return gone;
    },
  };
}
