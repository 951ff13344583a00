import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SnapshotSource } from '@storeloom/snapshot';
import { UsageError } from '../usage-error.ts';

/** Options of the commands that work without the installed release. */
export interface ReleaseOptions {
  readonly dir: string;
  readonly data?: string;
  readonly databaseUrl?: string;
  /** Folder of snapshots. */
  readonly folder?: string;
}

/** Reads a value as the serving processes do: an empty variable counts as unset. */
function variable(name: string): string | undefined {
  const text = process.env[name]?.trim() ?? '';
  return text === '' ? undefined : text;
}

/**
 * Database and data directory of the installation, from flags and environment. The server itself, not a pooler.
 * @throws UsageError
 */
export function sourceOf({ databaseUrl, data }: ReleaseOptions): SnapshotSource {
  const named = databaseUrl ?? variable('DATABASE_URL');
  const direct = databaseUrl === undefined ? variable('DATABASE_URL_DIRECT') : undefined;
  const url = direct ?? named;
  if (url !== undefined && !(/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)))
    throw new UsageError(
      `${databaseUrl === undefined ? 'DATABASE_URL' : '--database-url'} must be a URL that starts with postgres://`,
    );
  return { url, dataDir: resolve(data ?? variable('STORELOOM_DATA') ?? '.storeloom') };
}

export const snapshotFolder = ({ dir, folder }: ReleaseOptions): string => resolve(folder ?? join(dir, 'var', 'snapshots'));

/** Version of the core in the installation's folder, read without loading it; undefined if it isn't installed there. */
export function installedVersion(dir: string): string | undefined {
  const file = join(dir, 'node_modules', '@storeloom', 'core', 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }).version : undefined;
}
