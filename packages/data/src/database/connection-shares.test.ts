import { expect, it } from 'vitest';
import { inBackground } from './background-work.ts';
import { ConnectionShares } from './connection-shares.ts';
import { Contention } from './contention.ts';

/** Starts units of work that last until they are ended; `most` is the largest number at a time. */
function units(shares: ConnectionShares, tenant: string, count: number) {
  const state = { started: 0, most: 0, now: 0 };
  const ends: (() => void)[] = [];
  const done = Array.from({ length: count }, () =>
    shares.run(tenant, async () => {
      state.started++;
      state.most = Math.max(state.most, ++state.now);
      await new Promise<void>((resolve) => ends.push(resolve));
      state.now--;
    }),
  );
  const end = (n = ends.length): void => {
    for (const each of ends.splice(0, n)) each();
  };
  return { state, done: Promise.all(done), end };
}
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
const contention = (isContended: () => boolean): Contention =>
  ({ note: () => undefined, affects: isContended }) as unknown as Contention;

it('a tenant has two thirds of the connections, and two while others compete', async () => {
  let isContended = false;
  const shares = new ConnectionShares(
    12,
    1000,
    contention(() => isContended),
  );
  const { state, done, end } = units(shares, 'a', 30);
  await turn();
  expect(state.now).toBe(8);
  isContended = true;
  end(8);
  await turn();
  expect(state.now).toBe(2);
  // All that wait are started when the competition ends, not one for each that ends.
  isContended = false;
  end(1);
  await turn();
  expect(state.now).toBe(8);
  while (state.started < 30 || state.now > 0) {
    end();
    await turn();
  }
  await done;
  expect([state.most, shares.heldBy('a')]).toEqual([8, 0]);
});

it('jobs hold half of the share, and requests that wait come first but for one job', async () => {
  const shares = new ConnectionShares(
    12,
    1000,
    contention(() => false),
  );
  const jobs = inBackground(() => units(shares, 'a', 10));
  await turn();
  expect(jobs.state.now).toBe(4);
  const requests = units(shares, 'a', 10);
  await turn();
  expect([jobs.state.now, requests.state.now]).toEqual([4, 4]);
  jobs.end(4);
  await turn();
  expect([jobs.state.now, requests.state.now]).toEqual([1, 7]);
  while (shares.heldBy('a') > 0) {
    requests.end();
    jobs.end();
    await turn();
  }
  await Promise.all([jobs.done, requests.done]);
});

it('a request gives up after its time, a job waits', async () => {
  const shares = new ConnectionShares(
    2,
    20,
    contention(() => false),
  );
  const holder = units(shares, 'a', 1);
  const job = inBackground(() => units(shares, 'a', 1));
  await expect(shares.run('a', async () => undefined)).rejects.toMatchObject({ code: 'unavailable' });
  expect(job.state.now).toBe(0);
  holder.end();
  await turn();
  expect(job.state.now).toBe(1);
  job.end();
  await Promise.all([holder.done, job.done]);
});

it('tenants compete if another was active within a second and the event loop is busy', async () => {
  let [active, idle] = [0, 0];
  const measured = new Contention(() => ({ active, idle, utilization: 0 }));
  const pass = async (more: { active: number; idle: number }): Promise<void> => {
    active += more.active;
    idle += more.idle;
    await new Promise((resolve) => setTimeout(resolve, 110));
  };
  measured.note('a');
  await pass({ active: 100, idle: 0 });
  expect(measured.affects('a')).toBe(false);
  measured.note('b');
  measured.note('b');
  expect([measured.affects('a'), measured.affects('b'), measured.affects('c')]).toEqual([true, true, true]);
  await pass({ active: 10, idle: 100 });
  expect(measured.affects('a')).toBe(false);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  active += 1000;
  measured.note('a');
  expect([measured.affects('a'), measured.affects('b')]).toEqual([false, true]);
});

it('units of work that need another connection of their tenant get it, however many hold one', async () => {
  const shares = new ConnectionShares(3, 100);
  const nested = await Promise.all(
    [1, 2].map((n) =>
      shares.run('a', async () => {
        // Both hold one before either asks for another.
        await new Promise((resolve) => setTimeout(resolve, 20));
        return shares.run('a', async () => n);
      }),
    ),
  );
  expect(nested).toEqual([1, 2]);
  expect(shares.heldBy('a')).toBe(0);
});
