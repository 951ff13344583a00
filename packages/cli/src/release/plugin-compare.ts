import { join, resolve } from 'node:path';
import { readRecord } from '@storeloom/snapshot';
import type { Lifetime } from '../lifetime.ts';
import { print, say } from '../output.ts';
import { runRelease } from './apply/child.ts';
import { openContext } from './apply/context.ts';
import { UpgradeError } from './apply/upgrade-error.ts';
import { servingFolder } from './current.ts';
import { type PluginList, unexpectedChanges } from './plugin-diff.ts';
import { newest } from './snapshot.ts';
import { type ReleaseOptions, snapshotFolder } from './source.ts';

/**
 * Compares the plugins with those of a snapshot: only higher versions are expected. Exit codes: 0 · 3 plugins were added, removed or
 * downgraded, or are no longer ready.
 */
export async function pluginDiff(
  given: string | undefined,
  options: ReleaseOptions & { json?: boolean },
  life: Lifetime,
): Promise<number> {
  const folder = snapshotFolder(options);
  const { id, plugins } = readRecord(folder, given ?? newest(folder));
  const { project, env, logs, signal } = await openContext(options, life);
  const log = join(logs, 'plugins.log');
  const serving = servingFolder(resolve(project));
  const { code, stdout, tail } = await runRelease(serving, ['plugin', 'list', '--json'], { cwd: project, env, log, signal });
  if (code !== 0 && code !== 3) throw new UpgradeError(`The plugins of ${serving} can't be listed:\n${tail}`);
  const changes = unexpectedChanges(plugins, JSON.parse(stdout) as PluginList);
  if (options.json) print({ snapshot: id, changes });
  else if (changes.length === 0) say(`the plugins are those of ${id}, or have higher versions`);
  else for (const { name, change, from, to } of changes) print(`${change.padEnd(11)} ${name}  ${from ?? '–'} → ${to ?? '–'}`);
  return changes.length === 0 ? 0 : 3;
}
