import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRecord, restoreSnapshot, rowsWrittenSince, type SnapshotRecord } from '@storeloom/snapshot';
import type { Lifetime } from '../lifetime.ts';
import { print, say } from '../output.ts';
import { processGroups, readProcessState } from '../processes/state.ts';
import { endOrphan } from './apply/child.ts';
import { journals, lockUpgrades } from './apply/journal.ts';
import { type ApplyPlan, restoreProjectFiles } from './apply/steps.ts';
import { releasesOf, servingFolder, switchRelease } from './current.ts';
import { newest } from './snapshot.ts';
import { installedVersion, type ReleaseOptions, snapshotFolder, sourceOf } from './source.ts';

interface RollbackOptions extends ReleaseOptions {
  readonly snapshot?: string;
  readonly acceptLoss?: boolean;
  readonly json?: boolean;
}

/**
 * Stops all processes, restores a snapshot in place of the present database, which is kept, and switches to the release of the snapshot.
 * Prints the rows written since first, and refuses without `--accept-loss`. Exit codes: 0 · 1 refused, nothing changed · 5 the restore
 * failed, the database is as before.
 */
export async function rollback(options: RollbackOptions, life: Lifetime): Promise<number> {
  const folder = snapshotFolder(options);
  const source = sourceOf(options);
  const record = readRecord(folder, options.snapshot ?? newest(folder));
  const { signal } = life;
  let lost: Awaited<ReturnType<typeof rowsWrittenSince>>;
  try {
    lost = await rowsWrittenSince(source, record, { say, signal });
  } catch (error) {
    // A database that can't be read is a reason to roll back.
    if (options.acceptLoss !== true || signal.aborted) throw error;
    say(`the rows written since the snapshot can't be counted: ${(error as Error).message}`);
    lost = [];
  }
  const rows = lost.reduce((sum, table) => sum + table.rows, 0);
  const since = `since the snapshot ${record.id}${record.product === null ? '' : ` of release ${record.product}`}`;
  if (!options.json) {
    say(rows === 0 ? `no row is known to have been written ${since}` : `${rows} rows were written ${since} and would be lost:`);
    for (const { table, rows } of lost) say(`  ${String(rows).padStart(9)}  ${table}`);
  }
  if (options.acceptLoss !== true) {
    if (options.json) print({ restored: false, snapshot: record.id, lost });
    say('nothing was restored: repeat the command with --accept-loss');
    return 1;
  }
  const project = resolve(options.dir);
  const unlock = lockUpgrades(project);
  life.onEnd(async () => unlock());
  const open = journals(project).find(({ ended }) => ended === undefined);
  if (open) await endOrphan(open.dir);
  const stopped = await stopProcesses(source.dataDir, signal);
  if (stopped.length > 0) say(`stopped ${stopped.join(', ')}`);
  const { keptAs } = await restoreSnapshot(source, record.id, { folder, say, signal });
  const release = enterRelease(project, record);
  // Its steps no longer fit the database.
  open?.end('aborted');
  if (options.json) print({ restored: true, snapshot: record.id, lost, keptAs, release });
  else {
    say(
      `restored ${record.id}; ${keptAs === null ? 'the replaced content is not kept' : `the replaced database is kept as ${keptAs}`}`,
    );
    if (release === undefined)
      say(`next: install release ${record.product ?? 'of the snapshot'}, run storeloom migrate status, and start it`);
    else say(`${release} is the current release; next: storeloom start, then storeloom upgrade verify`);
  }
  return 0;
}

/** Longest drain of a process, and some time to stop the embedded database. Milliseconds. */
const stopWithin = 120_000;

/** Ends the processes of `storeloom start` on this machine and waits for them. Returns their ids. */
async function stopProcesses(dataDir: string, signal: AbortSignal): Promise<number[]> {
  const stopped: number[] = [];
  // The worker first: the API can run the embedded database.
  for (const group of [...processGroups].reverse()) {
    const state = readProcessState(dataDir, group);
    if (!state) continue;
    process.kill(state.pid, 'SIGTERM');
    const deadline = Date.now() + stopWithin;
    while (readProcessState(dataDir, group)?.pid === state.pid) {
      if (Date.now() > deadline) throw new Error(`The process ${state.pid} didn't end within two minutes; nothing was restored.`);
      await sleep(100, undefined, { signal });
    }
    stopped.push(state.pid);
  }
  return stopped;
}

/**
 * Makes the release current that served when the snapshot was taken: the previous one of the upgrade that took it, else one with its
 * version. Returns the version; undefined if none is installed.
 */
function enterRelease(project: string, { id, product }: SnapshotRecord): string | undefined {
  const upgrade = journals(project).find((journal) => journal.dataOf<{ id: string }>('snapshot')?.id === id);
  if (upgrade) {
    const { previous, from } = JSON.parse(readFileSync(join(upgrade.dir, 'plan.json'), 'utf8')) as ApplyPlan;
    switchRelease(project, previous);
    restoreProjectFiles(project, upgrade.dir);
    return from;
  }
  if (product === null) return undefined;
  if (installedVersion(servingFolder(project)) === product) return product;
  const releases = releasesOf(project);
  const names = [null, ...(existsSync(releases) ? readdirSync(releases).sort().reverse() : [])];
  for (const name of names) {
    if (installedVersion(name === null ? project : join(releases, name)) !== product) continue;
    switchRelease(project, name);
    return product;
  }
  return undefined;
}
