import { setTimeout as sleep } from 'node:timers/promises';
import { type Ctx, collect, definePlugin, event, f, job, provide, series, service, sql } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestShop, testShop } from '../index.ts';

const owner = 'example-hello';
const decorate = collect<string, string>('example-hello:decorate', { policy: 'skip', deadline: 150 });
const settle = series<string>('example-hello:settle', { deadline: 150 });
const inner = collect<string, string>('example-hello:inner', { policy: 'skip', deadline: 1000 });
const writer = service<{ write(name: string): Promise<number> }>('taxes:writer');

const probed = (plugin: string) => event(`${plugin}.probe.done`, { public: true, data: { name: f.text().optional() } });

type TapBody = (ctx: Ctx, input: string) => Promise<string[]>;
let shop: TestShop;
let bodies: Record<string, TapBody>;

const write = (ctx: Ctx, name: string): Promise<number> =>
  ctx.db.run(
    sql`insert into core_setting (tenant_id, plugin, "values", updated_at) values (${ctx.tenant.id}, ${name}, '{}', now())`,
  );
const later = (ctx: Ctx, name: string): void =>
  ctx.db.later(
    sql`insert into core_setting (tenant_id, plugin, "values", updated_at) values (${ctx.tenant.id}, ${name}, '{}', now())`,
  );
/** Every trace that a unit of work can leave. */
async function leaveTraces(ctx: Ctx, name: string, committed: string[]): Promise<void> {
  await write(ctx, name);
  later(ctx, `${name} later`);
  await ctx.emit(probed(ctx.plugin), { id: ctx.tenant.id, data: { name } });
  await ctx.audit({ entity: `${ctx.plugin}.probe`, entityId: ctx.tenant.id, action: name });
  await ctx.history({ entity: `${ctx.plugin}.probe`, entityId: ctx.tenant.id, from: null, to: name });
  await ctx.enqueue(job<{ name?: string; n?: number }>('probe'), { name });
  ctx.onCommit(() => void committed.push(name));
}
const traces = async (): Promise<Record<string, string[]>> => ({
  written: await names(`select plugin as name from core_setting where plugin like '~%'`),
  emitted: await names(`select data ->> 'name' as name from core_event where type like '%.probe.done'`),
  audited: await names(`select action as name from core_audit where action like '~%'`),
  changed: await names(`select to_status as name from core_status_history where to_status like '~%'`),
  sent: await names(`select data -> 'data' ->> 'name' as name from jobs.job where data ->> 'name' = 'probe'`),
});
const names = async (query: string): Promise<string[]> =>
  (await shop.rows<{ name: string }>(`${query} order by 1`)).map(({ name }) => name);
const run = <T>(fn: (ctx: Ctx) => Promise<T>): Promise<T> => shop.a.run(owner, fn);
/** Contexts refuse some things where they are named, others with a promise. */
const attempt = async (use: () => unknown): Promise<unknown> => use();
const messageOf = (error: unknown): string => (error as Error).message;

beforeAll(async () => {
  const probe = { jobs: { probe: { run: async () => undefined } } };
  const events = (name: string) => ({ events: { emits: [probed(name)] } });
  const tap =
    (name: string): TapBody =>
    async (ctx, input) =>
      (await bodies[name]?.(ctx, input)) ?? [];
  const modules = {
    [owner]: definePlugin({ name: owner, ...probe, ...events(owner) }),
    currencies: definePlugin({
      name: 'currencies',
      ...probe,
      ...events('currencies'),
      hooks(h) {
        h.on(decorate, tap('decorate'));
        h.on(settle, async (ctx, input) => void (await tap('settle')(ctx, input)));
      },
    }),
    taxes: definePlugin({
      name: 'taxes',
      ...probe,
      ...events('taxes'),
      provides: [provide(writer, (ctx) => ({ write: (name) => write(ctx, name) }))],
      hooks(h) {
        h.on(decorate, tap('second'));
        h.on(inner, tap('inner'));
      },
    }),
  };
  shop = await testShop({ plugins: Object.keys(modules), modules, workers: false });
});
afterAll(() => shop?.stop());
beforeEach(async () => {
  bodies = {};
  await shop.rows(`delete from core_setting where plugin like '~%'`);
  for (const table of ['core_event_delivery', 'core_event', 'core_status_history']) await shop.rows(`delete from ${table}`);
  await shop.rows(`delete from jobs.job where data ->> 'name' = 'probe'`);
});

describe('a tap of a hook with the policy `skip`', () => {
  it('leaves nothing where it fails after writing; the rest of the unit of work stands', async () => {
    const committed: string[] = [];
    bodies.decorate = async (ctx) => {
      await leaveTraces(ctx, '~failed', committed);
      throw new Error('no');
    };
    bodies.second = async (ctx) => {
      await leaveTraces(ctx, '~second', committed);
      return ['second'];
    };
    const before = (await traces()).audited?.length ?? 0;
    await run(async (ctx) => {
      await leaveTraces(ctx, '~before', committed);
      expect(await ctx.call(decorate, '')).toEqual(['second']);
      await leaveTraces(ctx, '~after', committed);
    });
    const three = ['~after', '~before', '~second'];
    const { audited, ...rest } = await traces();
    expect(rest).toEqual({
      written: three.flatMap((name) => [name, `${name} later`]),
      emitted: three,
      changed: three,
      sent: three,
    });
    expect([audited?.slice(before), committed]).toEqual([three, ['~before', '~second', '~after']]);
  });

  it.each(['awaited', 'sent later'])('is left out where a statement of it fails (%s)', async (how) => {
    bodies.decorate = async (ctx) => {
      if (how === 'awaited') await write(ctx, '~twice');
      else later(ctx, '~twice');
      return ['failed'];
    };
    bodies.second = async () => ['second'];
    await run(async (ctx) => {
      await write(ctx, '~twice');
      expect(await ctx.call(decorate, '')).toEqual(['second']);
      await write(ctx, '~after');
    });
    expect((await traces()).written).toEqual(['~after', '~twice']);
  });

  it('is left out where it swallowed the failure of a statement', async () => {
    bodies.decorate = async (ctx) => {
      await ctx.db.rows(sql`select 1 / 0`).catch(() => undefined);
      return ['swallowed'];
    };
    await run(async (ctx) => {
      expect(await ctx.call(decorate, '')).toEqual([]);
      await write(ctx, '~after');
    });
    expect((await traces()).written).toEqual(['~after']);
  });

  it('takes nothing of the work beside it with it', async () => {
    bodies.decorate = async (ctx) => {
      await write(ctx, '~tap');
      await sleep(40);
      await write(ctx, '~tap 2');
      throw new Error('no');
    };
    await run(async (ctx) => {
      const call = ctx.call(decorate, '');
      await sleep(10);
      later(ctx, '~beside later');
      await Promise.all([call, write(ctx, '~beside'), ctx.savepoint(() => write(ctx, '~beside in a savepoint'))]);
    });
    expect((await traces()).written).toEqual(['~beside', '~beside in a savepoint', '~beside later']);
  });

  it('is undone with the taps of hooks that it called; one of those is undone alone', async () => {
    bodies.decorate = async (ctx, input) => {
      await leaveTraces(ctx, `~outer ${input}`, []);
      await ctx.call(inner, input);
      if (input === 'fails') throw new Error('no');
      return [input];
    };
    bodies.inner = async (ctx, input) => {
      await leaveTraces(ctx, `~inner ${input}`, []);
      if (input === 'stands') throw new Error('no');
      return [];
    };
    await run(async (ctx) => {
      for (const input of ['fails', 'stands']) await ctx.call(decorate, input);
    });
    const { written, emitted, changed, sent } = await traces();
    const one = ['~outer stands'];
    expect({ written, emitted, changed, sent }).toEqual({
      written: ['~outer stands', '~outer stands later'],
      emitted: one,
      changed: one,
      sent: one,
    });
  });

  it('refuses what it left running when it failed', async () => {
    const refused: string[] = [];
    bodies.decorate = async (ctx) => {
      const slow = async (): Promise<void> => {
        await sleep(20);
        await attempt(() => write(ctx, '~left running')).catch((error) => refused.push(messageOf(error)));
      };
      await Promise.all([slow(), Promise.reject(new Error('no'))]);
      return [];
    };
    await run(async (ctx) => {
      await ctx.call(decorate, '');
      await sleep(60);
      await write(ctx, '~after');
    });
    expect(refused).toEqual(['currencies failed in hook example-hello:decorate; its context is closed']);
    expect((await traces()).written).toEqual(['~after']);
  });
});

it('a tap of a hook with the policy `fail` that fails aborts the whole unit of work', async () => {
  const committed: string[] = [];
  bodies.settle = async (ctx) => {
    await leaveTraces(ctx, '~failed', committed);
    throw new Error('no');
  };
  await expect(
    run(async (ctx) => {
      await leaveTraces(ctx, '~before', committed);
      await ctx.call(settle, '');
    }),
  ).rejects.toThrow('currencies failed in hook example-hello:settle: no');
  const { written, emitted, changed, sent } = await traces();
  expect([written, emitted, changed, sent, committed]).toEqual([[], [], [], [], []]);
});

describe('a tap that missed its deadline', () => {
  it.each([decorate, settle])('can’t change the unit of work, which goes on: $id', async (hook) => {
    const closed = `currencies missed the deadline of hook ${hook.id} (150 ms); its context is closed`;
    const outcomes: unknown[] = [];
    let finished = (): void => undefined;
    const done = new Promise<void>((resolve) => {
      finished = resolve;
    });
    bodies[hook === decorate ? 'decorate' : 'settle'] = async (ctx) => {
      const made = ctx.require(writer);
      const { db, signal } = ctx;
      await write(ctx, '~in time');
      await sleep(200);
      const uses: (() => unknown)[] = [
        () => db.run(sql`select 1`),
        () => db.later(sql`select 1`),
        () => db.query.selectFrom('core_setting').selectAll().execute(),
        () => ctx.db,
        () => made.write('~by a service'),
        () => ctx.use(writer),
        () => ctx.emit(probed('currencies'), { id: 'x', data: {} }),
        () => ctx.enqueue(job<{ name?: string; n?: number }>('probe'), { name: '~late' }),
        () => ctx.audit({ entity: 'currencies.probe', entityId: null }),
        () => ctx.history({ entity: 'currencies.probe', entityId: 'x', from: null, to: '~late' }),
        () => ctx.onCommit(() => undefined),
        () => ctx.transaction(() => Promise.resolve()),
        () => ctx.savepoint(() => Promise.resolve()),
        () => ctx.call(inner, ''),
        () => ctx.saveSettings({}),
        () => ctx.withoutTransaction('x', () => Promise.resolve()),
        () => ctx.dropCache('x'),
      ];
      for (const use of uses) outcomes.push(await attempt(use).then(() => `allowed: ${use}`, messageOf));
      outcomes.push(signal.aborted && messageOf(signal.reason), ctx.signal.aborted);
      finished();
      return ['late'];
    };
    bodies.second = async (ctx) => [String(ctx.signal.aborted)];
    await run(async (ctx) => {
      if (hook === decorate) expect(await ctx.call(decorate, '')).toEqual(['false']);
      else await expect(ctx.call(settle, '')).rejects.toThrow(closed);
      await write(ctx, '~after');
      await done;
      expect(ctx.signal.aborted).toBe(false);
      await write(ctx, '~at the end');
    });
    expect(outcomes).toEqual([...Array(17).fill(closed), closed, true]);
    const kept = ['~after', '~at the end'];
    // The policy `fail` undoes with the whole unit of work, which the owner kept here in spite of it.
    expect((await traces()).written).toEqual(hook === decorate ? kept : [...kept, '~in time']);
  });

  it.each([decorate, settle])('delays nothing by a statement that waits for a lock: $id', async (hook) => {
    await run((ctx) => write(ctx, '~locked'));
    const lock = (ctx: Ctx): Promise<unknown> =>
      ctx.db.rows(sql`select from core_setting where tenant_id = ${ctx.tenant.id} and plugin = '~locked' for update`);
    const [held, tried] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holder = run(async (ctx) => {
      await lock(ctx);
      held.resolve();
      await tried.promise;
    });
    await held.promise;
    let late: Promise<unknown> | undefined;
    bodies[hook === decorate ? 'decorate' : 'settle'] = async (ctx) => {
      late = lock(ctx).then(
        () => 'locked',
        (error: { code?: string }) => error.code,
      );
      await late;
      return [];
    };
    const started = performance.now();
    const outcome = run(async (ctx) => {
      await write(ctx, '~before');
      await ctx.call(hook, '');
      await write(ctx, '~after');
    });
    if (hook === decorate) await outcome;
    else await expect(outcome).rejects.toThrow('missed the deadline');
    // The lock timeout of this shop is a minute.
    expect(performance.now() - started).toBeLessThan(10_000);
    tried.resolve();
    await holder;
    expect(await late).toBe('57014');
    expect((await traces()).written).toEqual(hook === decorate ? ['~after', '~before', '~locked'] : ['~locked']);
  });

  it('can’t commit a transaction of its own', async () => {
    let outcome: Promise<unknown> | undefined;
    bodies.settle = async (ctx) => {
      outcome = ctx
        .transaction(async (inside) => {
          await write(inside, '~own transaction');
          await sleep(200);
        })
        .catch(messageOf);
      await outcome;
      return [];
    };
    await shop.a.run(owner, (ctx) => expect(ctx.call(settle, '')).rejects.toThrow('missed the deadline'), {
      transaction: 'none',
    });
    expect(await outcome).toMatch('currencies missed the deadline of hook example-hello:settle');
    expect((await traces()).written).toEqual([]);
  });

  it('leaves calls in other units of work alone', async () => {
    bodies.settle = async (ctx, input) => {
      await sleep(input === 'late' ? 200 : 50);
      await write(ctx, `~${input}`);
      return [];
    };
    const outcomes = await Promise.allSettled(['late', 'one', 'two'].map((input) => run((ctx) => ctx.call(settle, input))));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    await sleep(120);
    expect((await traces()).written).toEqual(['~one', '~two']);
  });
});
