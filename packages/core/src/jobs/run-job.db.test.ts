import { type Ctx, definePlugin, type Job, type PlatformJob, sql } from '@storeloom/plugin-sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Background, createBackground, keptLog, registryOf, until } from '../../test/background.ts';
import { queueFigures, tenantQueues } from './figures.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { collectJobs, createRunner, schedulesOf } from './run-job.ts';
import { createSender, type NewJob } from './sender.ts';
import type { QueuedJob } from './workers.ts';

let background: Background;
let tenantId: string;
const sender = createSender();
const log = keptLog();
beforeAll(async () => {
  background = await createBackground();
});
afterAll(() => background.close());
beforeEach(async () => {
  await background.dropJobs();
  tenantId = (await background.addTenant()).id;
  log.lines.length = 0;
});

const pluginOf = (jobs: Record<string, Job | PlatformJob>) => definePlugin({ name: 'demo', jobs });
let state: 'failed' | 'ready' | undefined = 'ready';
let jobs: Jobs | undefined;
afterEach(async () => {
  await jobs?.stop();
  jobs = undefined;
  state = 'ready';
});

const handled: QueuedJob[] = [];
const handlers = {
  events: async (job: QueuedJob) => void handled.push(job),
  mail: async (job: QueuedJob) => void handled.push(job),
  inbound: async (job: QueuedJob) => void handled.push(job),
};
async function start(named: Record<string, Job | PlatformJob>): Promise<Jobs> {
  const registry = {
    ...registryOf(pluginOf(named)),
    states: () => (state ? [{ name: 'demo', state }] : []) as never,
  };
  const definitions = collectJobs(registry.loaded, {});
  jobs = createJobs({
    url: background.runtimeUrl,
    log,
    pollSeconds: 0.5,
    units: background.units,
    sender,
    schedules: schedulesOf(definitions),
    isOn: async () => true,
  });
  await jobs.start(createRunner({ units: background.units, sender, log, jobs: definitions, registry, handlers }));
  return jobs;
}
async function send(name: string, more: Partial<NewJob> = {}): Promise<void> {
  await background.inTenant(tenantId, (db) => sender.send(db, { queue: 'jobs', plugin: 'demo', name, tenantId, ...more }));
  jobs?.wake('jobs');
}
const state0 = () =>
  background.asPlatform((db) =>
    db.rows<{ name: string; state: string; attempts: number }>(sql`select data ->> 'name' as name, state, retry_count as attempts
    from jobs.job_common where group_id = ${tenantId}`),
  );
const finished = (name: string) =>
  until(async () => (await state0()).some((job) => job.name === name && job.state === 'completed'));
const note = (ctx: Ctx, key: string) =>
  ctx.db.run(sql`insert into core_setting (tenant_id, plugin, updated_at) values (${ctx.tenant.id}, ${key}, now())`);
const notes = () =>
  background.inTenant(tenantId, async (db) =>
    (await db.rows<{ plugin: string }>(sql`select plugin from core_setting`)).map(({ plugin }) => plugin),
  );

describe('a job of a plugin', () => {
  test('runs in one transaction of its tenant, settled inside it', async () => {
    const seen: unknown[] = [];
    await start({
      settle: {
        async run(ctx, data) {
          seen.push([
            ctx.plugin,
            ctx.tenant.id,
            ctx.actor,
            data,
            await ctx.db.first<{ role: string; timeout: string }>(
              sql`select current_user::text as role, current_setting('statement_timeout') as timeout`,
            ),
          ]);
          await note(ctx, 'settled');
        },
      },
    });
    await send('settle', { data: { a: 1 } });
    await finished('settle');
    expect(seen).toEqual([
      ['demo', tenantId, { type: 'system', reason: 'demo.settle' }, { a: 1 }, { role: 'storeloom_app', timeout: '1min' }],
    ]);
    expect(await notes()).toEqual(['settled']);
  });

  test('that fails leaves nothing behind and runs again', async () => {
    let times = 0;
    await start({
      shaky: {
        async run(ctx) {
          await note(ctx, `try ${++times}`);
          if (times === 1) throw new Error('the first time');
        },
      },
    });
    await send('shaky');
    await finished('shaky');
    expect(await notes()).toEqual(['try 2']);
    expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', message: 'job failed' }));
  });

  test("with transaction 'none' finds none open and opens its own", async () => {
    const errors: string[] = [];
    await start({
      free: {
        transaction: 'none',
        async run(ctx) {
          try {
            await ctx.db.run(sql`select 1`);
          } catch (error) {
            errors.push((error as Error).message);
          }
          await ctx.transaction((inside) => note(inside, 'first'));
          await ctx.transaction((inside) => note(inside, 'second'));
        },
      },
    });
    await send('free');
    await finished('free');
    expect(errors).toEqual(['no transaction is open here']);
    expect((await notes()).toSorted()).toEqual(['first', 'second']);
  });

  test('of the platform has no tenant', async () => {
    const tenants: unknown[] = [];
    await start({ sweep: { platform: true, run: async (ctx) => void tenants.push(ctx.tenant) } });
    await background.asPlatform((db) => sender.send(db, { queue: 'jobs', plugin: 'demo', name: 'sweep', tenantId: null }));
    await until(() => tenants.length > 0);
    expect(tenants).toEqual([null]);
  });

  test('is left out where the plugin is off for the tenant', async () => {
    let ran = false;
    background.off.set(tenantId, new Set(['demo']));
    await start({ settle: { run: async () => void (ran = true) } });
    await send('settle');
    await finished('settle');
    expect(ran).toBe(false);
  });

  test('of a plugin that failed to load waits for it; one that is no more is dropped', async () => {
    await start({});
    state = 'failed';
    await send('settle', { data: { a: 1 } });
    await until(async () => (await state0()).length === 2);
    expect((await state0()).map((job) => job.state).toSorted()).toEqual(['completed', 'created']);
    expect(await background.asPlatform((db) => tenantQueues(db, tenantId))).toContainEqual({
      name: 'demo.settle',
      waiting: 0,
      active: 0,
      delayed: 1,
      failed: 0,
      paused: false,
    });
    state = 'ready';
    await send('gone');
    await finished('gone');
    expect(log.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'a job was dropped: its plugin no longer defines it' }),
    );
  });

  test('other queues go to their handlers', async () => {
    await start({});
    await background.inTenant(tenantId, (db) => sender.send(db, { queue: 'mail', plugin: 'demo', name: 'hello', tenantId }));
    await until(() => handled.length > 0);
    expect(handled).toMatchObject([{ queue: 'mail', name: 'hello' }]);
  });
});

test('queues of a tenant: the kernel’s always, and each kind of job it has', async () => {
  const other = (await background.addTenant()).id;
  await send('index');
  await send('index', { startAfter: 600 });
  await background.inTenant(other, (db) => sender.send(db, { queue: 'mail', plugin: 'demo', name: 'x', tenantId: other }));
  const empty = { waiting: 0, active: 0, delayed: 0, failed: 0, paused: false };
  expect(await background.asPlatform((db) => tenantQueues(db, tenantId))).toEqual([
    { name: 'events', ...empty },
    { name: 'mail', ...empty },
    { name: 'inbound', ...empty },
    { name: 'demo.index', ...empty, waiting: 1, delayed: 1 },
  ]);
  expect((await background.asPlatform(queueFigures)).map(({ queue }) => queue)).toEqual(['events', 'inbound', 'jobs', 'mail']);
});

test('schedules: per tenant or of the platform, and nothing between', () => {
  const run = async () => {};
  const collect = (named: Record<string, Job | PlatformJob>) => schedulesOf(collectJobs(registryOf(pluginOf(named)).loaded, {}));
  expect(
    collect({
      a: { run },
      b: { cron: '0 3 * * *', perTenant: true, retryLimit: 2, run },
      c: { cron: '0 4 * * *', platform: true, run },
    }),
  ).toEqual([
    { plugin: 'demo', name: 'b', cron: '0 3 * * *', perTenant: true, retryLimit: 2 },
    { plugin: 'demo', name: 'c', cron: '0 4 * * *', perTenant: false },
  ]);
  expect(() => collect({ a: { cron: '0 3 * * *', run } })).toThrow('neither perTenant nor platform');
});
