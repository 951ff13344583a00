import type { Database } from '@storeloom/data';
import { sql } from '@storeloom/plugin-sdk';

/** Row of `core_installation` that pauses the jobs of every process. Written by upgrades, with a notification on `pauseChannel`. */
const pauseKey = 'jobs.paused';
export const pauseChannel = 'storeloom_jobs';

/** Whether an upgrade has paused the jobs: none may run while code and schema belong to different releases. */
export async function areJobsPaused(database: Database): Promise<boolean> {
  const row = await database.withPlatform((tx) => tx.db.first(sql`select 1 from core_installation where key = ${pauseKey}`), {
    readOnly: true,
  });
  return row !== undefined;
}

/**
 * Starts or stops the workers of this process when the pause has changed. Checks run one after the other; `start` and `stop` are called
 * alternately.
 */
export function followPause({
  isPaused,
  start,
  stop,
  failed,
}: {
  isPaused(): Promise<boolean>;
  start(): Promise<void>;
  stop(): Promise<void>;
  failed(error: Error): void;
}): { check(): Promise<void>; end(): Promise<void> } {
  let isRunning = false;
  let hasEnded = false;
  let turn: Promise<void> = Promise.resolve();
  const follow = async (): Promise<void> => {
    if (hasEnded || (await isPaused()) !== isRunning) return;
    await (isRunning ? stop() : start());
    isRunning = !isRunning;
  };
  return {
    /** @throws the error of the query, or of a failed start or stop; `failed` receives it too */
    check() {
      const mine = turn.then(follow);
      turn = mine.catch(failed);
      return mine;
    },
    /** No later check starts workers. */
    async end() {
      hasEnded = true;
      await turn;
    },
  };
}
