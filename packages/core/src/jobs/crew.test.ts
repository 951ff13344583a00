import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Crew, type CrewOptions } from './crew.ts';

type Job = Parameters<CrewOptions['work']>[0];

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await undefined;
}

it.each([1, 2, 4])('loses no wake-up at the end of a claim, with %i slots', async (concurrency) => {
  // A job can end, and another be sent, at any step of a claim.
  for (let steps = 0; steps < 24; steps++) {
    const queue = Array.from({ length: concurrency * 2 }, (_, i) => i);
    let done = 0;
    const crew = new Crew({
      queue: 'jobs',
      concurrency,
      // Longer than the test: a job that waits for it was forgotten.
      pollSeconds: 60,
      heartbeatSeconds: 60,
      failed: (error) => {
        throw error;
      },
      boss: {
        fetch: async (_: string, { batchSize }: { batchSize: number }) => {
          await turns(2);
          return queue
            .splice(0, batchSize)
            .map((id) => ({ id: String(id), groupId: String(id), retryCount: 0, expireInSeconds: 60 }));
        },
        complete: async () => undefined,
      } as unknown as CrewOptions['boss'],
      async work(_: Job) {
        await turns(steps);
        if (++done === concurrency) {
          queue.push(99);
          crew.wake('99');
        }
      },
    });
    for (let waited = 0; waited < 20 && done < concurrency * 2 + 1; waited++) await sleep(1);
    expect([steps, done]).toEqual([steps, concurrency * 2 + 1]);
    await crew.stop(0);
  }
});
