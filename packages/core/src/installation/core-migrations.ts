import { readdirSync } from 'node:fs';
import type { MigrationSet } from '@storeloom/data';
import { ownPackage } from './package-file.ts';

/** Returns the core's migrations: every numbered SQL file of the package, in order. */
export function coreMigrations(version: string): MigrationSet {
  const folder = new URL('migrations/', ownPackage());
  const files = readdirSync(folder)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort();
  return { owner: 'core', version, requires: [], migrations: files.map((name) => ({ name, url: new URL(name, folder) })) };
}
