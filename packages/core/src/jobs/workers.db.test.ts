import { sql } from '@storeloom/plugin-sdk';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Background, createBackground, keptLog, until } from '../../test/background.ts';
import { tenantQueues } from './figures.ts';
import { createSender } from './sender.ts';
import { type QueuedJob, startWorkers, type Workers } from './workers.ts';

let background: Background;
let tenantId: string;
let workers: Workers | undefined;
const sender = createSender();
const log = keptLog();
beforeAll(async () => {
  background = await createBackground();
  await owner(
    `create table effects (job text not null, attempt integer not null); grant select, insert on effects to storeloom_app, storeloom_platform`,
  );
});
afterAll(() => background.close());
beforeEach(async () => {
  await background.dropJobs();
  tenantId = (await background.addTenant()).id;
});
afterEach(async () => {
  await workers?.stop();
  workers = undefined;
});

async function owner(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: background.ownerUrl });
  await client.connect();
  await client.query(text);
  await client.end();
}
const start = async (run: (job: QueuedJob) => Promise<void>): Promise<Workers> =>
  (workers = await startWorkers({ url: background.runtimeUrl, log, pollSeconds: 0.5, superviseSeconds: 1 }, run));
const send = (...names: string[]) =>
  background.inTenant(tenantId, (db) =>
    sender.send(db, ...names.map((name) => ({ queue: 'jobs', plugin: 'demo', name, tenantId, data: { name } }) as const)),
  );
const states = () =>
  background.asPlatform((db) =>
    db.rows<{ name: string; queue: string; state: string; retries: number; output: unknown }>(sql`
      select data ->> 'name' as name, name as queue, state, retry_count as retries, output from jobs.job_common where group_id = ${tenantId} order by name, created_on`),
  );
const effects = (job: string) =>
  background.asPlatform((db) => db.rows<{ attempt: number }>(sql`select attempt from effects where job = ${job}`));

describe('a worker', () => {
  test('runs what is sent, and settles it', async () => {
    const ran: QueuedJob[] = [];
    await start(async (job) => void ran.push(job));
    await background.inTenant(tenantId, (db) =>
      sender.send(db, { queue: 'jobs', plugin: 'demo', name: 'settle', tenantId, data: { a: 1 }, requestId: 'req-12345' }),
    );
    workers?.wake('jobs');
    await until(async () => (await states())[0]?.state === 'completed');
    expect(ran).toMatchObject([
      {
        queue: 'jobs',
        plugin: 'demo',
        name: 'settle',
        tenantId,
        requestId: 'req-12345',
        data: { a: 1 },
        attempt: 0,
        lastAttempt: false,
      },
    ]);
  });

  test('is woken by its own process long before it would poll', async () => {
    // It would look again after the end of this test.
    workers = await startWorkers({ url: background.runtimeUrl, log, pollSeconds: 600 }, async () => {});
    await new Promise((resolve) => setTimeout(resolve, 300));
    await send('quick');
    workers.wake('jobs');
    await until(async () => (await states())[0]?.state === 'completed', 30);
    // One wake works off the whole queue.
    await send(...Array.from({ length: 40 }, (_, i) => `many ${i}`));
    workers.wake('jobs');
    await until(async () => (await states()).every(({ state }) => state === 'completed'), 50);
  });

  test('one tenant cannot hold all workers of a process', async () => {
    const other = (await background.addTenant()).id;
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const done: (string | null)[] = [];
    await start(async (job) => {
      if (job.tenantId === tenantId) await held;
      done.push(job.tenantId);
    });
    await send(...Array.from({ length: 10 }, (_, i) => `slow ${i}`));
    await background.inTenant(other, (db) => sender.send(db, { queue: 'jobs', plugin: 'demo', name: 'x', tenantId: other }));
    await until(() => done.includes(other));
    release();
    await until(() => done.length === 11);
  });

  test('a job that throws is tried again, then lies in the dead queue without the text of a driver', async () => {
    await background.inTenant(tenantId, (db) =>
      sender.send(db, { queue: 'jobs', plugin: 'demo', name: 'bad', tenantId, data: { name: 'bad' }, retryLimit: 1 }),
    );
    const attempts: [number, boolean][] = [];
    await start(async (job) => {
      attempts.push([job.attempt, job.lastAttempt]);
      throw Object.assign(new Error('duplicate key value (secret@example.com)'), { code: '23505' });
    });
    const dead = await until(async () => (await states()).find(({ queue }) => queue === 'dead'));
    expect(dead.state).toBe('created');
    expect(attempts).toEqual([
      [0, false],
      [1, true],
    ]);
    expect(JSON.stringify(await states())).not.toContain('secret@example.com');
    expect(JSON.stringify(await states())).toContain('database error 23505');
    expect(await background.asPlatform((db) => tenantQueues(db, tenantId))).toContainEqual({
      name: 'demo.bad',
      waiting: 0,
      active: 0,
      delayed: 0,
      failed: 1,
      paused: false,
    });
  });

  test('stopping waits for what runs and takes nothing new', async () => {
    const started: string[] = [];
    const ended: string[] = [];
    await start(async (job) => {
      started.push(job.name);
      await new Promise((resolve) => setTimeout(resolve, 700));
      ended.push(job.name);
    });
    await send(...Array.from({ length: 12 }, (_, i) => `job ${i}`));
    await until(() => started.length > 0);
    await workers?.stop();
    expect(ended).toEqual(started);
    expect(started.length).toBeLessThan(12);
    const after = await states();
    expect(after.filter(({ state }) => state === 'completed')).toHaveLength(ended.length);
    expect(after.filter(({ state }) => state === 'active')).toHaveLength(0);
  });
});

describe('exactly one effect', () => {
  const effectOf = (job: QueuedJob, pause: () => Promise<unknown> = async () => {}) =>
    background.database.withTenant(tenantId, async ({ db }) => {
      await db.run(sql`insert into effects (job, attempt) values (${job.name}, ${job.attempt})`);
      await pause();
      await sender.completeInside(db, job);
    });
  /** As if the worker had shown no sign of life for a minute. */
  const loseClaim = (name: string) =>
    background.asPlatform((db) =>
      db.run(
        sql`update jobs.job_common set heartbeat_on = now() - interval '1 minute' where data ->> 'name' = ${name} and state = 'active'`,
      ),
    );

  test('the job is settled by the transaction that did its work', async () => {
    await start((job) => effectOf(job));
    await send('inside');
    await until(async () => (await states())[0]?.state === 'completed');
    expect(await effects('inside')).toEqual([{ attempt: 0 }]);
  });

  test('a failure after the work leaves neither effect nor settlement', async () => {
    let fail = true;
    await start((job) =>
      background.database.withTenant(tenantId, async ({ db }) => {
        await db.run(sql`insert into effects (job, attempt) values (${job.name}, ${job.attempt})`);
        await sender.completeInside(db, job);
        if (fail) {
          fail = false;
          throw new Error('after settling');
        }
      }),
    );
    await send('undone');
    await until(async () => (await states())[0]?.state === 'completed');
    expect(await effects('undone')).toEqual([{ attempt: 1 }]);
  });

  test('a worker that lost its claim while it ran rolls back; the other attempt stands', async () => {
    const ends: string[] = [];
    await start(async (job) => {
      try {
        await effectOf(job, async () => job.attempt === 0 && until(() => ends.length === 1));
        ends.push(`${job.attempt} committed`);
      } catch (error) {
        ends.push(`${job.attempt} ${(error as Error).name}`);
        throw error;
      }
    });
    await send('zombie');
    await until(async () => (await states())[0]?.state === 'active');
    await loseClaim('zombie');
    await until(() => ends.length === 2);
    expect(ends).toEqual(['1 committed', '0 ClaimLostError']);
    expect(await effects('zombie')).toEqual([{ attempt: 1 }]);
    expect((await states())[0]).toMatchObject({ state: 'completed', retries: 1 });
  });

  test('a job whose worker was killed is back as soon as its heartbeat is missed', async () => {
    await send('killed');
    await background.asPlatform((db) =>
      db.run(
        sql`update jobs.job_common set state = 'active', started_on = now(), heartbeat_on = now() - interval '31 seconds' where data ->> 'name' = 'killed'`,
      ),
    );
    await start((job) => effectOf(job));
    // Its claim alone would hold for hours.
    await until(async () => (await states())[0]?.state === 'completed');
    expect(await effects('killed')).toEqual([{ attempt: 1 }]);
  });

  test('connections that are cut in the middle cost time, no effect', async () => {
    await start((job) => effectOf(job, () => new Promise((resolve) => setTimeout(resolve, 20))));
    await send(...Array.from({ length: 60 }, (_, i) => `cut ${i}`));
    workers?.wake('jobs');
    const server = new pg.Client({ connectionString: process.env.TEST_SUPERUSER_URL });
    await server.connect();
    for (let times = 0; times < 3; times++) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      await server.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
        new URL(background.ownerUrl).pathname.slice(1),
      ]);
    }
    await server.end();
    const open = () =>
      background.asPlatform((db) =>
        db.first<{ n: number }>(sql`select count(*)::int as n from jobs.job_common where state <> 'completed' or name = 'dead'`),
      );
    // A job whose failure could not be written either comes back by its heartbeat.
    const hurry = () =>
      background.asPlatform((db) =>
        db.run(
          sql`update jobs.job_common set heartbeat_on = now() - interval '1 minute' where state = 'active' and heartbeat_on < now() - interval '2 seconds'`,
        ),
      );
    // The test's own connections were cut too: the first look may fail.
    await until(
      () =>
        hurry()
          .then(open)
          .then(
            (row) => row?.n === 0,
            () => false,
          ),
      80,
    );
    const counts = await background.asPlatform((db) =>
      db.first(sql`select count(*)::int as effects, count(distinct job)::int as jobs from effects where job like 'cut %'`),
    );
    expect(counts).toEqual({ effects: 60, jobs: 60 });
  });

  test.each([true, false])('a poll that is cut off is logged (%s), except by a process that is stopping', async (told) => {
    const own = await start(async () => undefined);
    const server = new pg.Client({ connectionString: process.env.TEST_SUPERUSER_URL });
    const holder = new pg.Client({ connectionString: background.ownerUrl });
    await Promise.all([server.connect(), holder.connect()]);
    const looking = `from pg_stat_activity where datname = $1 and application_name = 'storeloom-jobs' and wait_event_type = 'Lock'`;
    const database = new URL(background.ownerUrl).pathname.slice(1);
    const count = async (what: string) => (await server.query(`select ${what} ${looking}`, [database])).rowCount ?? 0;
    const errors = () => log.lines.filter(({ level }) => level === 'error');
    try {
      await holder.query('begin; lock table jobs.job_common in access exclusive mode');
      log.lines.length = 0;
      await until(async () => (await count('pid')) > 0);
      const ending = told ? undefined : own.stop();
      expect(await count('pg_terminate_backend(pid)')).toBeGreaterThan(0);
      if (told) await until(() => errors().length > 0);
      await holder.query('rollback');
      await (ending ?? own.stop());
      expect([...new Set(errors().map(({ message }) => message))]).toEqual(told ? ['job queue failed'] : []);
    } finally {
      await Promise.all([server.end(), holder.end()]);
    }
  });
});
