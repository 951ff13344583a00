import {
  type Ctx,
  type DomainEvent,
  definePlugin,
  type EventHandler,
  entityEvents,
  event,
  everyPublicEvent,
  f,
  job,
  on,
  onMany,
  sql,
  uuidv7,
  work,
} from '@storeloom/plugin-sdk';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Background, createBackground, keptLog, registryOf, until } from '../../test/background.ts';
import { outboxLag } from '../jobs/figures.ts';
import { kernelJobs } from '../jobs/retention.ts';
import { createSender } from '../jobs/sender.ts';
import { type QueuedJob, startWorkers, type Workers } from '../jobs/workers.ts';
import { createDelivery } from './delivery.ts';
import { type Emission, emit } from './outbox.ts';
import { createSubscriptions } from './subscriptions.ts';

const changed = event('demo.thing.changed', { data: { a: f.int() } });

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

const emission = (aggregate: string, values: Partial<Emission> = {}): Emission => ({
  type: 'demo.thing.changed',
  aggregate,
  data: { a: 1 },
  requestId: 'req-12345',
  now: new Date().toISOString(),
  public: false,
  subscribers: ['listener'],
  ...values,
});
const announce = (...events: Emission[]) => background.inTenant(tenantId, (db) => emit(sender, db, tenantId, events));
const sequences = (aggregate: string) =>
  background.inTenant(tenantId, async (db) =>
    (
      await db.rows<{ sequence: number }>(sql`select sequence from core_event where aggregate = ${aggregate} order by sequence`)
    ).map(({ sequence }) => sequence),
  );
const deliveries = (plugin = 'listener') =>
  background.inTenant(tenantId, (db) =>
    db.rows<{
      sequence: number;
      attempts: number;
      handled: boolean;
      failed: boolean;
      error: string | null;
      wait: number | null;
    }>(sql`
      select sequence, attempts, handled_at is not null as handled, failed_at is not null as failed, error, extract(epoch from retry_at - now())::float8 as wait
      from core_event_delivery where plugin = ${plugin} order by aggregate, sequence`),
  );
const jobs = () =>
  background.asPlatform((db) =>
    db.rows<{
      id: string;
      plugins: string[];
      aggregate: string;
      wait: number;
    }>(sql`select id, data -> 'data' -> 'plugins' as plugins, data -> 'data' ->> 'aggregate' as aggregate,
      extract(epoch from start_after - now())::float8 as wait from jobs.job_common where name = 'events' and state = 'created'`),
  );

describe('emitting', () => {
  test('writes the event, a delivery for each subscriber, and one job', async () => {
    const aggregate = uuidv7();
    await announce(emission(aggregate, { subscribers: ['a', 'b'] }));
    expect(
      await background.inTenant(tenantId, (db) =>
        db.rows(sql`select type, aggregate, sequence, data, request_id as "requestId" from core_event`),
      ),
    ).toEqual([{ type: 'demo.thing.changed', aggregate, sequence: 1, data: { a: 1 }, requestId: 'req-12345' }]);
    expect(await jobs()).toMatchObject([{ aggregate, plugins: ['a', 'b'] }]);
    expect(await deliveries('a')).toMatchObject([{ sequence: 1, handled: false }]);
  });

  test('events of one unit are numbered in order, with one job for each aggregate', async () => {
    const [thing, other, unheard] = [uuidv7(), uuidv7(), uuidv7()];
    await announce(emission(thing, { subscribers: ['a'] }));
    await background.dropJobs();
    await announce(
      emission(thing, { subscribers: ['a', 'b'], data: { a: 2 } }),
      emission(other, { subscribers: ['c'] }),
      emission(unheard, { subscribers: [], public: true }),
      emission(thing, { subscribers: ['b'], data: { a: 3 }, requestId: null }),
    );
    const events = await background.inTenant(tenantId, (db) =>
      db.rows(sql`select sequence, data, request_id as "requestId" from core_event where aggregate = ${thing} order by sequence`),
    );
    expect(events).toEqual([
      { sequence: 1, data: { a: 1 }, requestId: 'req-12345' },
      { sequence: 2, data: { a: 2 }, requestId: 'req-12345' },
      { sequence: 3, data: { a: 3 }, requestId: null },
    ]);
    expect(await sequences(other)).toEqual([1]);
    expect(await sequences(unheard)).toEqual([1]);
    expect(await deliveries('b')).toMatchObject([{ sequence: 2 }, { sequence: 3 }]);
    const sent = (await jobs()).map(({ aggregate, plugins }) => [aggregate, plugins]);
    expect(new Map(sent as [string, string[]][])).toEqual(
      new Map([
        [thing, ['a', 'b']],
        [other, ['c']],
      ]),
    );
    expect(sent).toHaveLength(2);
  });

  test('an event without subscribers is not written, a public one is', async () => {
    const aggregate = uuidv7();
    await announce(emission(aggregate, { subscribers: [] }), emission(aggregate, { subscribers: [], public: true }));
    expect(await sequences(aggregate)).toEqual([1]);
    expect(await jobs()).toEqual([]);
  });

  test('everything vanishes with a rollback, and the number is given again', async () => {
    const aggregate = uuidv7();
    const failing = background.inTenant(tenantId, async (db) => {
      await emit(sender, db, tenantId, [emission(aggregate)]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await sequences(aggregate)).toEqual([]);
    expect(await jobs()).toEqual([]);
    await announce(emission(aggregate));
    expect(await sequences(aggregate)).toEqual([1]);
  });

  test('numbers have neither gap nor double under parallel writers, a third of which roll back', async () => {
    const aggregate = uuidv7();
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, i) =>
        background.inTenant(tenantId, async (db) => {
          await emit(sender, db, tenantId, [emission(aggregate)]);
          if (i % 3 === 0) throw new Error('no');
        }),
      ),
    );
    const kept = results.filter(({ status }) => status === 'fulfilled').length;
    expect(kept).toBe(40);
    expect(await sequences(aggregate)).toEqual(Array.from({ length: kept }, (_, i) => i + 1));
  });

  test('units that change the same rows in opposite order do not deadlock', async () => {
    const things = Array.from({ length: 6 }, () => uuidv7());
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => {
        const order = i % 2 === 0 ? things : things.toReversed();
        return background.inTenant(tenantId, (db) =>
          emit(
            sender,
            db,
            tenantId,
            order.map((thing) => emission(thing)),
          ),
        );
      }),
    );
    for (const thing of things) expect(await sequences(thing)).toHaveLength(40);
  });

  test('aggregates of two tenants count apart', async () => {
    const aggregate = uuidv7();
    const other = (await background.addTenant()).id;
    await announce(emission(aggregate));
    await background.inTenant(other, (db) => emit(sender, db, other, [emission(aggregate)]));
    expect(await sequences(aggregate)).toEqual([1]);
  });

  test('a sequence goes on after its events were deleted', async () => {
    const aggregate = uuidv7();
    await announce(emission(aggregate, { subscribers: [], public: true }));
    await background.inTenant(tenantId, (db) => db.run(sql`delete from core_event`));
    await announce(emission(aggregate));
    expect(await sequences(aggregate)).toEqual([2]);
  });
});

describe('delivering', () => {
  let workers: Workers | undefined;
  let state: 'ready' | 'waiting' | 'absent' = 'ready';
  const woken: string[] = [];
  afterEach(async () => {
    woken.length = 0;
    await workers?.stop();
    workers = undefined;
    state = 'ready';
  });
  const deliveryOf = (handler: EventHandler, other: EventHandler = async () => {}) =>
    createDelivery({
      units: background.units,
      sender,
      log,
      wake: (tenant) => void woken.push(tenant),
      pluginState: (plugin) => {
        if (plugin === 'lost') throw new Error('the connection is gone');
        return state;
      },
      subscriptions: subscriptionsOf(
        registryOf(
          definePlugin({ name: 'demo', events: { emits: [changed] } }),
          definePlugin({ name: 'listener', events: { on: [on(changed, handler)] } }),
          definePlugin({ name: 'other', events: { on: [on(changed, other)] } }),
        ),
      ),
    });
  const jobOf = (aggregate: string, ...plugins: string[]): QueuedJob => ({
    id: uuidv7(),
    queue: 'events',
    plugin: 'core',
    name: 'deliver',
    tenantId,
    requestId: 'job-12345',
    data: { aggregate, plugins: plugins.length === 0 ? ['listener'] : plugins },
    attempt: 0,
    lastAttempt: false,
    signal: new AbortController().signal,
  });
  /** A handler whose effect stands in the database, so that a rollback takes it back. */
  const remembering =
    (then: (event: DomainEvent, ctx: Ctx) => Promise<void> | void = () => {}): EventHandler =>
    async (ctx, event) => {
      await ctx.db.run(
        sql`insert into core_setting (tenant_id, plugin, updated_at) values (${ctx.tenant.id}, ${`${event.aggregate} ${String(event.sequence).padStart(4, '0')}`}, now())`,
      );
      await then(event, ctx);
    };
  const remembered = () =>
    background.inTenant(tenantId, async (db) =>
      (await db.rows<{ plugin: string }>(sql`select plugin from core_setting order by plugin`)).map(({ plugin }) => plugin),
    );

  test('the handler gets the event with the context of its tenant and request', async () => {
    const aggregate = uuidv7();
    await announce(emission(aggregate));
    const seen: unknown[] = [];
    await deliveryOf(async (ctx, event) => void seen.push([ctx.plugin, ctx.tenant.id, ctx.requestId, event]))(jobOf(aggregate));
    expect(seen).toMatchObject([
      [
        'listener',
        tenantId,
        'req-12345',
        { type: 'demo.thing.changed', aggregate, sequence: 1, data: { a: 1 }, at: expect.stringMatching(/^\d{4}-.*Z$/) },
      ],
    ]);
    expect(await deliveries()).toMatchObject([{ handled: true, attempts: 0 }]);
    expect(await background.asPlatform(outboxLag)).toBeGreaterThanOrEqual(0);
  });

  test('one job works off the whole line in order; the others find nothing', async () => {
    const aggregate = uuidv7();
    for (let i = 0; i < 7; i++) await announce(emission(aggregate));
    const order: number[] = [];
    const deliver = deliveryOf(remembering(({ sequence }) => void order.push(sequence)));
    for (const _ of await jobs()) await deliver(jobOf(aggregate));
    expect(order).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(await remembered()).toHaveLength(7);
  });

  test('twenty simultaneous workers: each event once, in order', async () => {
    const aggregate = uuidv7();
    for (let i = 0; i < 20; i++) await announce(emission(aggregate));
    const order: number[] = [];
    const deliver = deliveryOf(
      remembering(async ({ sequence }) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
        order.push(sequence);
      }),
    );
    await Promise.all(Array.from({ length: 20 }, () => deliver(jobOf(aggregate))));
    expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    expect(await remembered()).toHaveLength(20);
  });

  test('a failing handler leaves no effect, is tried again later, and holds up its aggregate only', async () => {
    const [stuck, free] = [uuidv7(), uuidv7()];
    await announce(emission(stuck), emission(stuck), emission(free));
    let broken = true;
    const tryAgainIn = (interval: string) =>
      background.inTenant(tenantId, (db) =>
        db.run(sql`update core_event_delivery set retry_at = now() + ${interval}::interval where attempts > 0`),
      );
    const deliver = deliveryOf(
      remembering(({ aggregate, sequence }) => {
        if (broken && aggregate === stuck && sequence === 1)
          throw Object.assign(new Error('holds secret@example.com'), { code: 'E_DOWN' });
      }),
    );
    await background.dropJobs();
    await deliver(jobOf(stuck));
    // The next try is a job of its own, a second from now.
    const [retry] = await jobs();
    expect(retry).toMatchObject({ plugins: ['listener'], aggregate: stuck });
    expect(retry?.wait).toBeLessThanOrEqual(1);
    // Who looks before that must not find it due: on a busy machine the second is soon over.
    await tryAgainIn('1 hour');
    await deliver(jobOf(stuck));
    await deliver(jobOf(free));
    expect(await remembered()).toEqual([`${free} 0001`]);
    expect((await deliveries()).filter(({ attempts }) => attempts > 0)).toMatchObject([
      { sequence: 1, attempts: 1, handled: false, error: 'E_DOWN' },
    ]);

    broken = false;
    await tryAgainIn('0');
    await deliver(jobOf(stuck));
    expect(await remembered()).toEqual([`${free} 0001`, `${stuck} 0001`, `${stuck} 0002`].toSorted());
  });

  test('after the last attempt the event is given up, and the line goes on', async () => {
    const aggregate = uuidv7();
    await announce(emission(aggregate), emission(aggregate));
    await background.inTenant(tenantId, (db) => db.run(sql`update core_event_delivery set attempts = 44 where sequence = 1`));
    await deliveryOf(
      remembering(({ sequence }) => {
        if (sequence === 1) throw new Error('never');
      }),
    )(jobOf(aggregate));
    expect(await deliveries()).toMatchObject([
      { sequence: 1, attempts: 45, failed: true, handled: false },
      { sequence: 2, handled: true, failed: false },
    ]);
    expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', message: 'an event was given up' }));
  });

  test('a plugin that is off for the tenant is not told, and not told later either', async () => {
    const aggregate = uuidv7();
    await announce(emission(aggregate));
    background.off.set(tenantId, new Set(['listener']));
    const deliver = deliveryOf(remembering());
    await deliver(jobOf(aggregate));
    background.off.delete(tenantId);
    await deliver(jobOf(aggregate));
    expect(await remembered()).toEqual([]);
    expect(await deliveries()).toMatchObject([{ handled: true }]);
  });

  test('a plugin that is not loaded gets the event later, without counting an attempt', async () => {
    const aggregate = uuidv7();
    await announce(emission(aggregate), emission(aggregate));
    await background.dropJobs();
    state = 'waiting';
    const deliver = deliveryOf(remembering());
    await deliver(jobOf(aggregate));
    await deliver(jobOf(aggregate));
    expect(await jobs()).toHaveLength(1);
    expect((await jobs())[0]?.wait).toBeGreaterThan(200);
    expect(await deliveries()).toMatchObject([{ attempts: 0, handled: false }, { handled: false }]);
    state = 'ready';
    await background.inTenant(tenantId, (db) => db.run(sql`update core_event_delivery set retry_at = now()`));
    await deliver(jobOf(aggregate));
    expect(await remembered()).toHaveLength(2);
  });

  test('a long line is cut, and goes on in a further job', async () => {
    const aggregate = uuidv7();
    await announce(...Array.from({ length: 60 }, () => emission(aggregate)));
    await background.dropJobs();
    const deliver = deliveryOf(remembering());
    await deliver(jobOf(aggregate));
    expect(await remembered()).toHaveLength(50);
    expect(await jobs()).toMatchObject([{ aggregate }]);
    await deliver(jobOf(aggregate));
    expect(await remembered()).toHaveLength(60);
  });

  test('one job delivers to two plugins separately: the failing one gets its own retry', async () => {
    const aggregate = uuidv7();
    await announce(emission(aggregate, { subscribers: ['listener', 'other'] }));
    await background.dropJobs();
    const failing = async (): Promise<void> => {
      throw new Error('down');
    };
    await deliveryOf(failing, remembering())(jobOf(aggregate, 'listener', 'other'));
    expect(await remembered()).toHaveLength(1);
    expect(await deliveries('other')).toMatchObject([{ handled: true, attempts: 0 }]);
    expect(await deliveries('listener')).toMatchObject([{ handled: false, attempts: 1 }]);
    expect(await jobs()).toMatchObject([{ aggregate, plugins: ['listener'] }]);
  });

  const both = { subscribers: ['listener', 'other'] };

  test('a handler that takes longer than a second is rolled back and gets its own job; the others are delivered', async () => {
    const aggregate = uuidv7();
    await announce(emission(aggregate, both));
    await background.dropJobs();
    const held = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    let calls = 0;
    const slow: EventHandler = async (ctx, event) => {
      await remembering()(ctx, event);
      if (calls++ > 0) return;
      await held.promise;
      late.resolve(ctx.db.run(sql`update core_setting set updated_at = now()`).then(String, (error: Error) => error.message));
    };
    const seen: string[] = [];
    const deliver = deliveryOf(slow, async (ctx, event) => void seen.push(`${ctx.plugin} ${event.sequence}`));
    await deliver(jobOf(aggregate, 'listener', 'other'));
    // The transaction that it shared with the slow one was rolled back.
    expect(seen).toEqual(['other 1', 'other 1']);
    expect(await remembered()).toEqual([]);
    expect(await deliveries('other')).toMatchObject([{ handled: true }]);
    expect(await deliveries('listener')).toMatchObject([{ handled: false, attempts: 0 }]);
    expect(await jobs()).toMatchObject([{ aggregate, plugins: ['listener'] }]);
    expect(woken).toEqual([tenantId]);
    await deliver(jobOf(aggregate, 'listener'));
    held.resolve();
    expect(await late.promise).toContain('unit of work has ended');
    expect(await remembered()).toEqual([`${aggregate} 0001`]);
    expect(await deliveries('listener')).toMatchObject([{ handled: true }]);
  });

  test('a slow statement is cancelled after a second, so that the others do not wait for it', async () => {
    const aggregate = uuidv7();
    await announce(emission(aggregate, both));
    await background.dropJobs();
    const asleep: EventHandler = async (ctx) => void (await ctx.db.run(sql`select pg_sleep(30)`));
    const started = performance.now();
    await deliveryOf(asleep, remembering())(jobOf(aggregate, 'listener', 'other'));
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(await remembered()).toHaveLength(1);
    expect(await jobs()).toMatchObject([{ aggregate, plugins: ['listener'] }]);
  });

  test('the plugins of an event share one transaction', async () => {
    const aggregate = uuidv7();
    await announce(emission(aggregate, both));
    const transactions: unknown[] = [];
    const noting: EventHandler = async (ctx) => void transactions.push(await ctx.db.first(sql`select txid_current() as id`));
    await deliveryOf(noting, noting)(jobOf(aggregate, 'listener', 'other'));
    expect(transactions).toHaveLength(2);
    expect(transactions[0]).toEqual(transactions[1]);
  });

  test('the handlers of an event run at the same time', async () => {
    const aggregate = uuidv7();
    await announce(emission(aggregate, both));
    const started = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const meeting =
      (own: 0 | 1): EventHandler =>
      async (ctx) => {
        started[own].resolve();
        await started[1 - own]?.promise;
        await ctx.db.run(
          sql`insert into core_setting (tenant_id, plugin, updated_at) values (${ctx.tenant.id}, ${ctx.plugin}, now())`,
        );
      };
    await deliveryOf(meeting(0), meeting(1))(jobOf(aggregate, 'listener', 'other'));
    expect(await remembered()).toEqual(['listener', 'other']);
    expect(await deliveries('listener')).toMatchObject([{ handled: true, attempts: 0 }]);
  });

  test('once handlers have failed together, those of the next events run one after the other', async () => {
    const aggregate = uuidv7();
    await announce(emission(aggregate, both), emission(aggregate, both), emission(aggregate, both));
    let fails = true;
    const calls: string[] = [];
    const unsteady: EventHandler = async (ctx, event) => {
      await remembering()(ctx, event);
      if (fails) {
        fails = false;
        throw new Error('down');
      }
    };
    await deliveryOf(
      unsteady,
      async (_, { sequence }) => void calls.push(`other ${sequence}`),
    )(jobOf(aggregate, 'listener', 'other'));
    expect(calls).toEqual(['other 1', 'other 1', 'other 2', 'other 3']);
    expect(await remembered()).toHaveLength(3);
    expect((await deliveries('other')).map(({ handled, attempts }) => [handled, attempts])).toEqual(Array(3).fill([true, 0]));
  });

  test('if the common commit fails, each plugin gets its own transaction', async () => {
    const aggregate = uuidv7();
    await announce(emission(aggregate, both));
    const client = new pg.Client({ connectionString: background.ownerUrl });
    await client.connect();
    await client.query(
      `create function refuse_late() returns trigger language plpgsql as 'begin raise exception ''refused''; end'`,
    );
    await client.query(`create constraint trigger late after insert on core_setting deferrable initially deferred
      for each row when (new.plugin = 'refused') execute function refuse_late()`);
    try {
      const refused: EventHandler = async (ctx) =>
        void (await ctx.db.run(
          sql`insert into core_setting (tenant_id, plugin, updated_at) values (${ctx.tenant.id}, 'refused', now())`,
        ));
      await deliveryOf(remembering(), refused)(jobOf(aggregate, 'listener', 'other'));
    } finally {
      await client.query('drop function refuse_late cascade');
      await client.end();
    }
    expect(await remembered()).toEqual([`${aggregate} 0001`]);
    expect(await deliveries('listener')).toMatchObject([{ handled: true, attempts: 0 }]);
    expect(await deliveries('other')).toMatchObject([{ handled: false, attempts: 1 }]);
  });

  test('a handler that makes an external call gets its own transaction, and the others one without it', async () => {
    const aggregate = uuidv7();
    await announce(emission(aggregate, both));
    let asked = 0;
    const asking: EventHandler = async (ctx, event) => {
      await ctx.withoutTransaction('rate', async () => ++asked);
      await remembering()(ctx, event);
    };
    // A second effect would violate the table's key.
    const counted: EventHandler = async (ctx) => {
      await ctx.db.run(sql`insert into core_setting (tenant_id, plugin, updated_at) values (${ctx.tenant.id}, 'other', now())`);
    };
    await deliveryOf(asking, counted)(jobOf(aggregate, 'listener', 'other'));
    expect(asked).toBe(1);
    expect(await remembered()).toEqual([`${aggregate} 0001`, 'other']);
    expect(await deliveries('listener')).toMatchObject([{ handled: true, attempts: 0 }]);
  });

  test('twelve simultaneous workers for two plugins: each event once for each, in order', async () => {
    const aggregate = uuidv7();
    for (let i = 0; i < 12; i++) await announce(emission(aggregate, both));
    const order: string[] = [];
    const noting =
      (effect: EventHandler): EventHandler =>
      async (ctx, event) => {
        await effect(ctx, event);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
        order.push(`${ctx.plugin} ${String(event.sequence).padStart(2, '0')}`);
      };
    const deliver = deliveryOf(
      noting(remembering()),
      noting(async () => {}),
    );
    await Promise.all(Array.from({ length: 12 }, () => deliver(jobOf(aggregate, 'listener', 'other'))));
    for (const plugin of ['listener', 'other'])
      expect(order.filter((entry) => entry.startsWith(plugin))).toEqual(
        Array.from({ length: 12 }, (_, i) => `${plugin} ${String(i + 1).padStart(2, '0')}`),
      );
    expect(await remembered()).toHaveLength(12);
  });

  test('an aggregate is one, however its id is written', async () => {
    const aggregate = uuidv7();
    await announce(emission(aggregate), emission(aggregate.toUpperCase()));
    expect(await sequences(aggregate)).toEqual([1, 2]);
    expect(await jobs()).toMatchObject([{ aggregate }]);
  });

  test('a failing line makes the job be retried; the lines after it are delivered immediately, and once', async () => {
    const aggregate = uuidv7();
    await announce(emission(aggregate, { subscribers: ['lost', 'other'] }));
    const deliver = deliveryOf(remembering(), remembering());
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(deliver(jobOf(aggregate, 'lost', 'other'))).rejects.toThrow('the connection is gone');
    expect(await remembered()).toHaveLength(1);
    expect(await deliveries('lost')).toMatchObject([{ handled: false, attempts: 0 }]);
  });

  test('what is left of a job that is cut goes on in a further job with all its plugins', async () => {
    const aggregate = uuidv7();
    await announce(...Array.from({ length: 40 }, () => emission(aggregate, both)));
    await background.dropJobs();
    const deliver = deliveryOf(async () => {}, remembering());
    await deliver(jobOf(aggregate, 'listener', 'other'));
    expect(await remembered()).toHaveLength(25);
    expect(await jobs()).toMatchObject([{ aggregate, plugins: ['listener', 'other'] }]);
    expect(woken).toEqual([tenantId]);
    await deliver(jobOf(aggregate, 'listener', 'other'));
    expect(await remembered()).toHaveLength(40);
  });

  test('through real workers, with handlers that fail now and then: each event once, in order', async () => {
    const things = Array.from({ length: 8 }, () => uuidv7());
    const order = new Map<string, number[]>();
    const deliver = deliveryOf(
      remembering(({ aggregate, sequence }) => {
        if (Math.random() < 0.1) throw new Error('now and then');
        order.set(aggregate, [...(order.get(aggregate) ?? []), sequence]);
      }),
    );
    workers = await startWorkers({ url: background.runtimeUrl, log, pollSeconds: 0.5 }, deliver);
    await Promise.all(
      Array.from({ length: 15 }, async () => {
        for (const thing of things) await announce(emission(thing));
        workers?.wake('events');
      }),
    );
    await until(async () => (await remembered()).length === 120, 80);
    for (const thing of things) expect(order.get(thing)).toEqual(Array.from({ length: 15 }, (_, i) => i + 1));
  });
});

describe('keeping', () => {
  const run = (name: string) => {
    const job = kernelJobs({ units: background.units, sender, sweepFiles: async () => {}, purgeRates: async () => 0 })[name];
    return job?.run({ signal: new AbortController().signal } as never, {});
  };

  test('events older than 90 days go, with their deliveries; what still waits stays', async () => {
    const [handled, waiting, young] = [uuidv7(), uuidv7(), uuidv7()];
    const old = new Date(Date.now() - 91 * 86_400_000).toISOString();
    await announce(emission(handled, { now: old }), emission(waiting, { now: old }), emission(young));
    await background.inTenant(tenantId, (db) =>
      db.run(sql`update core_event_delivery set handled_at = now() where aggregate <> ${waiting}`),
    );
    await run('retention');
    const left = await background.inTenant(tenantId, (db) =>
      db.rows<{ aggregate: string }>(sql`select aggregate from core_event order by created_at`),
    );
    expect(left.map(({ aggregate }) => aggregate)).toEqual([waiting, young]);
    expect(await deliveries()).toHaveLength(2);
  });

  test('a delivery that lost its job gets one again, one a line', async () => {
    const aggregate = uuidv7();
    const old = new Date(Date.now() - 3600_000).toISOString();
    await announce(emission(aggregate, { now: old }), emission(aggregate, { now: old }), emission(uuidv7()));
    await background.dropJobs();
    await run('deliveries');
    expect((await jobs()).filter((job) => job.aggregate === aggregate)).toHaveLength(1);
  });
});

describe('subscriptions', () => {
  const demo = definePlugin({
    name: 'demo',
    events: {
      emits: Object.values(
        entityEvents('demo.thing', { changed: { data: {} }, sold: { public: true, title: 'Sold', data: {} } }),
      ),
    },
  });
  const listener = definePlugin({ name: 'listener', events: { on: [on(changed, async () => {})] } });
  const hooks = definePlugin({ name: 'hooks', events: { on: [on(everyPublicEvent, async () => {})] } });

  test('a plugin receives the events it subscribes to, and with * every public event', () => {
    const subscriptions = subscriptionsOf(registryOf(demo, listener, hooks));
    expect(subscriptions.of('demo', 'demo.thing.changed')).toEqual({
      public: false,
      plugins: ['listener'],
      asked: [],
      batches: [],
    });
    expect(subscriptions.of('demo', 'demo.thing.sold')).toEqual({ public: true, plugins: ['hooks'], asked: [], batches: [] });
    expect(subscriptions.handler('hooks', { type: 'demo.thing.sold' })).toBe(hooks.events?.on?.[0]?.[1]);
    expect(subscriptions.handler('listener', { type: 'demo.thing.sold' })).toBeUndefined();
    expect(subscriptions.catalogue()).toEqual([
      { type: 'demo.thing.changed', plugin: 'demo', public: false, title: null, sample: {} },
      { type: 'demo.thing.sold', plugin: 'demo', public: true, title: 'Sold', sample: {} },
    ]);
  });

  test('a job that handles an event by its name replaces *, and receives each event once', async () => {
    const sold = event('demo.thing.sold', { data: {} });
    const count = job<{ ids: string[] }>('count');
    const both = definePlugin({
      name: 'both',
      jobs: { ...work(count, { run: async () => {} }) },
      events: { on: [on(everyPublicEvent, async () => {})], onMany: [onMany(sold, count, () => 'x')] },
    });
    const subscriptions = subscriptionsOf(registryOf(demo, both));
    expect(subscriptions.of('demo', 'demo.thing.sold')).toMatchObject({ plugins: [], batches: [{ plugin: 'both' }] });
  });

  test('a plugin can not emit an event of another', () => {
    const subscriptions = subscriptionsOf(registryOf(demo, listener));
    expect(() => subscriptions.of('listener', 'demo.thing.sold')).toThrow('without declaring it');
    expect(() => subscriptions.of('demo', 'demo.thing.lost')).toThrow('without declaring it');
  });
});

/** Subscriptions over what the plugins declare, as the kernel collects it. */
function subscriptionsOf(registry: ReturnType<typeof registryOf>) {
  const types = registry.loaded.flatMap(({ manifest, plugin }) =>
    (plugin.events?.emits ?? []).map((type) => [type.id, { ...type, type: type.id, plugin: manifest.name }] as const),
  );
  return createSubscriptions(registry, new Map(types));
}
