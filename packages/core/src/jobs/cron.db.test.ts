import { sql } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Background, createBackground, keptLog } from '../../test/background.ts';
import { type CronJob, createCron } from './cron.ts';
import { createSender } from './sender.ts';

let background: Background;
const sender = createSender();
const log = keptLog();
const off = new Set<string>();
beforeAll(async () => {
  background = await createBackground();
});
afterAll(() => background.close());
beforeEach(async () => {
  off.clear();
  log.lines.length = 0;
  await background.asPlatform(async (db) => {
    await db.run(sql`delete from jobs.job_common`);
    await db.run(sql`delete from core_installation`);
    await db.run(sql`update core_tenant set status = 'suspended'`);
  });
});

const cronOf = (...schedules: CronJob[]) =>
  createCron({
    units: background.units,
    sender,
    log,
    schedules,
    isOn: async (tenantId, plugin) => !off.has(`${tenantId} ${plugin}`),
    wake: () => {},
  });
/** As if schedules had last been served so long ago. */
const servedBefore = (interval: string) =>
  background.asPlatform((db) =>
    db.run(sql`insert into core_installation (key, value) values ('jobs.cron', to_jsonb((extract(epoch from now() - ${interval}::interval) * 1000)::bigint))
      on conflict (key) do update set value = excluded.value`),
  );
const sent = () =>
  background.asPlatform((db) =>
    db.rows<{
      job: string;
      tenantId: string | null;
      dueAt: string;
    }>(sql`select concat(data ->> 'plugin', '.', data ->> 'name') as job, data ->> 'tenantId' as "tenantId",
      data -> 'data' ->> 'dueAt' as "dueAt" from jobs.job_common order by job, "dueAt"`),
  );
/** Due once, a minute or two ago. */
const justNow = (): CronJob => {
  const at = new Date(Date.now() - 60_000);
  return { plugin: 'demo', name: 'daily', cron: `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`, perTenant: false };
};
const everyMinute: CronJob = { plugin: 'demo', name: 'minutely', cron: '* * * * *', perTenant: false };

test('the first look only remembers the time', async () => {
  expect(await cronOf(everyMinute).tick()).toBe(0);
  expect(await sent()).toEqual([]);
});

test('what came due since is sent once, however many times it would have run', async () => {
  await servedBefore('5 minutes');
  const away = ((new Date().getUTCMonth() + 6) % 12) + 1;
  const cron = cronOf(everyMinute, { ...everyMinute, name: 'yearly', cron: `0 0 1 ${away} *` });
  expect(await cron.tick()).toBe(1);
  const jobs = await sent();
  expect(jobs).toMatchObject([{ job: 'demo.minutely', tenantId: null }]);
  expect(Date.now() - Date.parse(jobs[0]?.dueAt ?? '')).toBeGreaterThan(3 * 60_000);
});

test('and not again at the next look', async () => {
  await servedBefore('5 minutes');
  const cron = cronOf(justNow());
  expect(await cron.tick()).toBe(1);
  expect(await cron.tick()).toBe(0);
  expect(await sent()).toHaveLength(1);
});

test('ten simultaneous processes send each due time once', async () => {
  const tenant = await background.addTenant({ timezone: 'Etc/UTC' });
  for (let round = 0; round < 5; round++) {
    await servedBefore('5 minutes');
    const crons = Array.from({ length: 10 }, () => cronOf(justNow(), { ...justNow(), name: 'each', perTenant: true }));
    const counts = await Promise.all(crons.map((cron) => cron.tick()));
    expect(counts.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
  }
  expect((await sent()).filter(({ tenantId }) => tenantId === tenant.id)).toHaveLength(5);
});

test('a job a tenant that is served and has the plugin on, at its own midnight', async () => {
  // Somewhere it has just been midnight, and twelve hours from there it has not.
  const now = new Date();
  const west = now.getUTCHours() <= 12 ? now.getUTCHours() : now.getUTCHours() - 24;
  const zone = (hours: number) => (hours === 0 ? 'Etc/GMT' : `Etc/GMT${hours > 0 ? '+' : ''}${hours}`);
  const midnight = { timezone: zone(west) };
  const here = await background.addTenant(midnight);
  await background.addTenant({ timezone: zone(west > 0 ? west - 6 : west + 6) });
  await background.addTenant({ ...midnight, status: 'suspended' });
  const without = await background.addTenant(midnight);
  off.add(`${without.id} demo`);
  await servedBefore(`${now.getUTCMinutes() + 2} minutes`);
  await cronOf({ plugin: 'demo', name: 'nightly', cron: '0 0 * * *', perTenant: true }).tick();
  const hour = new Date(Math.floor(now.getTime() / 3600_000) * 3600_000).toISOString();
  expect(await sent()).toEqual([{ job: 'demo.nightly', tenantId: here.id, dueAt: hour }]);
});

test('a failure serves nothing, and the next run catches up', async () => {
  await background.addTenant();
  await servedBefore('2 minutes');
  const failing = createCron({
    units: background.units,
    sender,
    log,
    schedules: [everyMinute, { ...everyMinute, name: 'each', perTenant: true }],
    isOn: () => Promise.reject(new Error('no decision')),
    wake: () => {},
  });
  await expect(failing.tick()).rejects.toThrow('no decision');
  expect(await sent()).toEqual([]);
  expect(await cronOf(everyMinute).tick()).toBe(1);
});

test('a tenant with a zone that is none is named, and the others are served', async () => {
  await background.addTenant({ timezone: 'Mars/Olympus' });
  const right = await background.addTenant();
  await servedBefore('2 minutes');
  await cronOf({ ...everyMinute, perTenant: true }).tick();
  expect((await sent()).map(({ tenantId }) => tenantId)).toEqual([right.id]);
  expect(log.lines).toMatchObject([{ level: 'error', fields: { timezone: 'Mars/Olympus' } }]);
});

test('nothing older than a day is caught up', async () => {
  await servedBefore('30 days');
  const looked = Date.now();
  await cronOf(everyMinute).tick();
  expect(looked - Date.parse((await sent())[0]?.dueAt ?? '')).toBeLessThan(24 * 3600_000);
});

test('across the change of the clocks a night job runs once a night', () => {
  const next = (from: string) => sender.nextTime('30 3 * * *', 'Europe/Bucharest', new Date(from)).toISOString();
  // Autumn: 03:30 comes twice on 2026-10-25.
  expect(next('2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z');
  expect(next('2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00.000Z');
  // Spring: 03:30 does not come on 2026-03-29; the job runs all the same.
  expect(next('2026-03-28T12:00:00Z').slice(0, 10)).toBe('2026-03-29');
});

test('a wrong expression stops the boot and names the job', () => {
  expect(() => cronOf({ ...everyMinute, cron: '61 * * * *' })).toThrow(
    'the schedule "61 * * * *" of the job demo.minutely is invalid',
  );
});
