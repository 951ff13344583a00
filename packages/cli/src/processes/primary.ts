import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { processStart, startEmbedded } from '@storeloom/embedded-postgres';
import type { Lifetime } from '../lifetime.ts';
import { print, say } from '../output.ts';
import { binOf, servingFolder } from '../release/current.ts';
import { sourceOf } from '../release/source.ts';
import { UsageError } from '../usage-error.ts';
import { Crew } from './crew.ts';
import { groupOf, removeProcessState, writeProcessState } from './state.ts';

export interface PrimaryOptions {
  readonly workers: string;
  readonly service?: string;
  readonly dir: string;
  readonly port?: string;
  readonly data?: string;
  readonly databaseUrl?: string;
  readonly json?: boolean;
}

function countOf(text: string): number {
  if (text === 'auto') return availableParallelism();
  if (!/^\d{1,3}$/.test(text) || Number(text) === 0)
    throw new UsageError(`--workers is "${text}", must be a whole number from 1, or auto for one per processor`);
  return Number(text);
}

/**
 * Serves with several processes on one port. This process serves nothing: it runs the embedded database, replaces processes that ended,
 * and reloads them on SIGUSR2. Each process runs the code of the release that serves at its start.
 */
export async function startPrimary(options: PrimaryOptions, life: Lifetime): Promise<number> {
  const count = countOf(options.workers);
  const { url, dataDir } = sourceOf(options);
  const dir = resolve(options.dir);
  let databaseUrl = url;
  if (databaseUrl === undefined) {
    const log = { info: () => undefined, warn: say, error: say };
    const server = await startEmbedded({ dataDir, log, signal: life.signal });
    life.onEnd(() => server.stop());
    databaseUrl = server.ownerUrl;
  }
  const start = processStart(process.pid) ?? '';
  const group = groupOf(options.service);
  life.onEnd(async () => removeProcessState(dataDir, group));
  const command = (): { exec: string; args: string[] } => {
    const folder = servingFolder(dir);
    return {
      exec: folder === dir ? (process.argv[1] ?? '') : binOf(folder),
      args: [
        'start',
        '--dir',
        folder,
        '--data',
        dataDir,
        ...(options.port === undefined ? [] : ['--port', options.port]),
        ...(options.service === undefined ? [] : ['--service', options.service]),
      ],
    };
  };
  const crew = new Crew({
    count,
    dir,
    command,
    // Not as arguments, which other users of the machine can read.
    env: options.databaseUrl === undefined && url !== undefined ? {} : { DATABASE_URL: databaseUrl, DATABASE_URL_DIRECT: '' },
    say,
    onChange: (state) => writeProcessState(dataDir, group, { pid: process.pid, start, ...state }),
  });
  life.onEnd(() => crew.stop());
  life.signal.throwIfAborted();
  // Before the state file names this process: without a handler the signal would end it.
  const started = Promise.withResolvers<void>();
  const reload = (): void => void started.promise.then(() => crew.reload());
  process.on('SIGUSR2', reload);
  const port = await crew.start();
  started.resolve();
  if (options.json) print({ port, pid: process.pid, workers: count });
  else say(port === 0 ? `${count} processes run jobs` : `${count} processes are listening on port ${port}`);
  await life.asked;
  process.off('SIGUSR2', reload);
  return 0;
}
