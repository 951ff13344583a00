import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifetime } from '../lifetime.ts';
import { print, say } from '../output.ts';
import { type ReleaseOptions, sourceOf } from '../release/source.ts';
import { readProcessState } from './state.ts';

/**
 * Replaces the processes of `storeloom start --workers` one after the other, without losing a request. Exit codes: 0 · 1 none runs, or
 * the new processes can't start: the present ones keep serving.
 */
export async function reload(options: ReleaseOptions & { json?: boolean }, life: Lifetime): Promise<number> {
  const { dataDir } = sourceOf(options);
  const before = readProcessState(dataDir);
  if (!before) {
    say(`No processes of storeloom start --workers run on ${dataDir}. A single process is restarted.`);
    return 1;
  }
  process.kill(before.pid, 'SIGUSR2');
  for (;;) {
    await sleep(100, undefined, { signal: life.signal });
    const now = readProcessState(dataDir);
    if (!now || now.pid !== before.pid) {
      say(`the process ${before.pid} ended during the reload`);
      return 1;
    }
    if (now.reloads === before.reloads || now.reload === 'running') continue;
    if (options.json) print({ reload: now.reload, reason: now.reason, workers: now.workers });
    else if (now.reload === 'done') say(`reloaded: ${now.workers.map(({ pid, version }) => `${pid} (${version})`).join(', ')}`);
    else say(`the reload failed: ${now.reason}; the present processes keep serving`);
    return now.reload === 'done' ? 0 : 1;
  }
}
