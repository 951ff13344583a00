import { sql } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Background, createBackground } from '../../test/background.ts';
import { createSender } from './sender.ts';

let background: Background;
let tenantId: string;
const sender = createSender();
beforeAll(async () => {
  background = await createBackground();
});
afterAll(() => background.close());
beforeEach(async () => {
  tenantId = (await background.addTenant()).id;
});

const jobsOf = (tenant: string) =>
  background.asPlatform((db) =>
    db.rows<{
      queue: string;
      state: string;
      key: string | null;
      data: Record<string, unknown>;
      wait: number;
      heartbeat: number;
      retries: number;
    }>(sql`
      select name as queue, state, singleton_key as key, data, extract(epoch from start_after - created_on)::float8 as wait,
        heartbeat_seconds as heartbeat, retry_limit as retries
      from jobs.job_common where group_id = ${tenant} order by created_on, name`),
  );
const job = (name: string, more: object = {}) => ({ queue: 'jobs', plugin: 'demo', name, tenantId, ...more }) as const;

describe('sending', () => {
  test('a job comes with the commit of its sender, with the limits of its queue', async () => {
    await background.inTenant(tenantId, (db) =>
      sender.send(db, job('settle', { data: { a: 1 }, requestId: 'req-12345', retryLimit: 9, startAfter: 90 }), {
        queue: 'mail',
        plugin: 'demo',
        name: 'hello',
        tenantId,
      }),
    );
    expect(await jobsOf(tenantId)).toMatchObject([
      {
        queue: 'jobs',
        state: 'created',
        wait: 90,
        heartbeat: 30,
        retries: 9,
        data: { plugin: 'demo', name: 'settle', tenantId, requestId: 'req-12345', data: { a: 1 } },
      },
      { queue: 'mail', state: 'created', wait: 0, heartbeat: 30, retries: 120, key: null },
    ]);
  });

  test('and vanishes with its rollback', async () => {
    const failing = background.inTenant(tenantId, async (db) => {
      await sender.send(db, job('settle'));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await jobsOf(tenantId)).toEqual([]);
  });

  test('an instant to start after is taken as it is, nonsense is refused', async () => {
    const at = new Date(Date.now() + 3600_000).toISOString();
    await background.inTenant(tenantId, (db) => sender.send(db, job('later', { startAfter: at })));
    expect((await jobsOf(tenantId))[0]?.wait).toBeCloseTo(3600, -1);
    for (const startAfter of ['soon', -1, Number.NaN])
      await expect(background.inTenant(tenantId, (db) => sender.send(db, job('later', { startAfter })))).rejects.toThrow(
        'startAfter must be',
      );
  });

  test('the app role can send, and neither read nor settle', async () => {
    await background.inTenant(tenantId, (db) => sender.send(db, job('settle')));
    await expect(background.inTenant(tenantId, (db) => db.rows(sql`select data from jobs.job_common`))).rejects.toMatchObject({
      code: '42501',
    });
    await expect(
      background.inTenant(tenantId, (db) => db.run(sql`update jobs.job_common set state = 'completed'`)),
    ).rejects.toMatchObject({ code: '42501' });
    await expect(background.inTenant(tenantId, (db) => db.run(sql`delete from jobs.job_common`))).rejects.toMatchObject({
      code: '42501',
    });
  });
});

describe('one waiting job a key', () => {
  test('a second one is not sent; other kinds, tenants and keys are others', async () => {
    const other = (await background.addTenant()).id;
    await background.inTenant(tenantId, (db) =>
      sender.send(
        db,
        job('index', { key: 'p1' }),
        job('index', { key: 'p1' }),
        job('index', { key: 'p2' }),
        job('export', { key: 'p1' }),
      ),
    );
    await background.inTenant(tenantId, (db) => sender.send(db, job('index', { key: 'p1' })));
    await background.inTenant(other, (db) => sender.send(db, { ...job('index', { key: 'p1' }), tenantId: other }));
    expect(await jobsOf(tenantId)).toHaveLength(3);
    expect(await jobsOf(other)).toHaveLength(1);
  });

  test('in parallel too', async () => {
    await Promise.all(
      Array.from({ length: 20 }, () => background.inTenant(tenantId, (db) => sender.send(db, job('index', { key: 'p1' })))),
    );
    expect(await jobsOf(tenantId)).toHaveLength(1);
  });

  test('a job without a key stands beside them', async () => {
    await background.inTenant(tenantId, (db) => sender.send(db, job('index'), job('index'), job('index', { key: 'p1' })));
    expect(await jobsOf(tenantId)).toHaveLength(3);
  });

  test('the waiting job cannot be taken before the later sender has committed', async () => {
    await background.inTenant(tenantId, (db) => sender.send(db, job('index', { key: 'p1' })));
    const take = () =>
      background.asPlatform((db) =>
        db.run(sql`update jobs.job_common set state = 'active', started_on = now()
          where id in (select id from jobs.job_common where group_id = ${tenantId} and state = 'created' for update skip locked)`),
      );
    await background.inTenant(tenantId, async (db) => {
      await sender.send(db, job('index', { key: 'p1' }));
      expect(await take()).toBe(0);
    });
    expect(await take()).toBe(1);
    // Once it has started, a new one is sent.
    await background.inTenant(tenantId, (db) => sender.send(db, job('index', { key: 'p1' })));
    expect((await jobsOf(tenantId)).map(({ state }) => state)).toEqual(['active', 'created']);
  });

  test('only queue jobs takes keys', async () => {
    const wrong = background.inTenant(tenantId, (db) => sender.send(db, { ...job('x', { key: 'k' }), queue: 'mail' }));
    await expect(wrong).rejects.toThrow('does not support keys');
  });
});
