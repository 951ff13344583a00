import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Crew, type CrewOptions } from './crew.ts';

type Job = Parameters<CrewOptions['work']>[0];

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await undefined;
}

it.each([1, 2, 4])('fills a slot that becomes free at the end of a claim, of %i slots', async (concurrency) => {
  // A job can end at any step of a claim.
  for (let steps = 0; steps < 40; steps++) {
    const hanging = Promise.withResolvers<void>();
    const queue = ['quick', ...Array.from({ length: concurrency - 1 }, (_, i) => `hanging ${i}`), 'last'];
    const started: string[] = [];
    const crew = new Crew({
      queue: 'jobs',
      concurrency,
      // Longer than the test: a slot that waits for it was forgotten.
      pollSeconds: 60,
      heartbeatSeconds: 60,
      failed(error) {
        throw error;
      },
      boss: {
        fetch: async (_: string, { batchSize }: { batchSize: number }) => {
          await turns(10);
          return queue.splice(0, batchSize).map((id) => ({ id, groupId: id, retryCount: 0, expireInSeconds: 60 }));
        },
        complete: async () => undefined,
      } as unknown as CrewOptions['boss'],
      async work({ id }: Job) {
        started.push(id);
        if (id === 'quick') await turns(steps);
        else if (id !== 'last') await hanging.promise;
      },
    });
    for (let waited = 0; waited < 20 && !started.includes('last'); waited++) await sleep(1);
    expect([steps, ...started]).toContain('last');
    hanging.resolve();
    await crew.stop(1);
  }
});
