import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifetime } from '../lifetime.ts';
import { print, say } from '../output.ts';
import { type ReleaseOptions, sourceOf } from '../release/source.ts';
import { type ProcessGroup, type ProcessState, processGroups, readProcessState } from './state.ts';

/** A reload of the processes of one group. */
export interface Reloaded {
  readonly group: ProcessGroup;
  /** `ended`: the processes ended during the reload. */
  readonly reload: 'done' | 'failed' | 'ended';
  readonly reason: string | null;
  readonly workers: ProcessState['workers'];
}

/**
 * Replaces the processes of each group: those of `start --workers` one after the other, without losing a request; a single process
 * restarts. Returns a result for each group that runs.
 */
export async function reloadAll(dataDir: string, signal?: AbortSignal): Promise<Reloaded[]> {
  const results: Reloaded[] = [];
  for (const group of processGroups) {
    const before = readProcessState(dataDir, group);
    if (before) results.push(await reloadGroup(dataDir, group, before, signal));
  }
  return results;
}

async function reloadGroup(
  dataDir: string,
  group: ProcessGroup,
  found: ProcessState,
  signal: AbortSignal | undefined,
): Promise<Reloaded> {
  let before = found;
  // A process that restarts can't take a signal.
  while (before.reload === 'running') {
    await sleep(50, undefined, signal ? { signal } : {});
    const now = readProcessState(dataDir, group);
    if (!now || now.pid !== before.pid)
      return { group, reload: 'ended', reason: `the process ${before.pid} ended during a reload`, workers: [] };
    before = now;
  }
  process.kill(before.pid, 'SIGUSR2');
  for (;;) {
    await sleep(50, undefined, signal ? { signal } : {});
    const now = readProcessState(dataDir, group);
    if (!now || now.pid !== before.pid)
      return { group, reload: 'ended', reason: `the process ${before.pid} ended during the reload`, workers: [] };
    const { reload, reloads, reason, workers } = now;
    if (reloads > before.reloads && (reload === 'done' || reload === 'failed')) return { group, reload, reason, workers };
  }
}

/**
 * Reloads all processes. Exit codes: 0 · 1 none runs, or new processes can't start: the present ones of `--workers` keep serving.
 */
export async function reload(options: ReleaseOptions & { json?: boolean }, life: Lifetime): Promise<number> {
  const { dataDir } = sourceOf(options);
  const results = await reloadAll(dataDir, life.signal);
  const failed = results.filter((result) => result.reload !== 'done');
  if (options.json && results.length > 0)
    print({
      reload: failed[0]?.reload ?? 'done',
      reason: failed[0]?.reason ?? null,
      workers: results.flatMap(({ workers }) => workers),
      groups: results,
    });
  else if (results.length === 0) say(`No processes of storeloom start run on ${dataDir}.`);
  else for (const result of results) say(describeReload(result));
  return results.length > 0 && failed.length === 0 ? 0 : 1;
}

export function describeReload({ group, reload, reason, workers }: Reloaded): string {
  if (reload === 'done') return `reloaded ${group}: ${workers.map(({ pid, version }) => `${pid} (${version})`).join(', ')}`;
  return `the reload of ${group} failed: ${reason}${reload === 'failed' ? '; the present processes keep serving' : ''}`;
}
