import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SnapshotSource } from '@storeloom/snapshot';
import type { Lifetime } from '../../lifetime.ts';
import { type ReleaseOptions, snapshotFolder, sourceOf } from '../source.ts';
import { openOwner } from './database.ts';
import { upgradesOf } from './journal.ts';

/** The installation that is upgraded or verified. */
export interface ApplyContext {
  /** Project folder. */
  readonly project: string;
  readonly dataDir: string;
  readonly source: SnapshotSource;
  readonly snapshots: string;
  readonly ownerUrl: string;
  /** Environment of the commands of a release. */
  readonly env: NodeJS.ProcessEnv;
  /** Folder of log files. */
  readonly logs: string;
  readonly signal: AbortSignal;
  /** Runs work that replaces the database, while this command doesn't run the embedded one. */
  withoutDatabase<T>(work: () => Promise<T>): Promise<T>;
}

/** Opens the database of an installation until the end of the command. */
export async function openContext(options: ReleaseOptions, life: Lifetime, logs?: string): Promise<ApplyContext> {
  const project = resolve(options.dir);
  const source = sourceOf(options);
  let database = await openOwner(source, life.signal);
  const { ownerUrl } = database;
  life.onEnd(() => database.stop());
  const folder = logs ?? upgradesOf(project);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const isOwnUrl = source.url === undefined || options.databaseUrl !== undefined;
  return {
    project,
    dataDir: source.dataDir,
    source,
    snapshots: snapshotFolder(options),
    ownerUrl,
    logs: folder,
    signal: life.signal,
    async withoutDatabase(work) {
      await database.stop();
      try {
        return await work();
      } finally {
        database = await openOwner(source, life.signal);
      }
    },
    env: {
      ...process.env,
      STORELOOM_DATA: source.dataDir,
      ...environmentOf(source.dataDir),
      ...(isOwnUrl ? { DATABASE_URL: ownerUrl, DATABASE_URL_DIRECT: '' } : {}),
    },
  };
}

/** The environment of the serving processes, unless STORELOOM_ENV is set, so that the licence is evaluated as they evaluate it. */
function environmentOf(dataDir: string): { STORELOOM_ENV?: string } {
  const file = join(dataDir, 'served.json');
  if ((process.env.STORELOOM_ENV?.trim() ?? '') !== '' || !existsSync(file)) return {};
  const { env } = JSON.parse(readFileSync(file, 'utf8')) as { env?: string };
  return env === undefined ? {} : { STORELOOM_ENV: env };
}
