import { setTimeout as sleep } from 'node:timers/promises';
import { type Ctx, collect, definePlugin, event, f, route, series, sql, waterfall } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestShop, testShop } from '../index.ts';

const owner = 'example-hello';
const decorate = collect<string, string>('example-hello:decorate', { policy: 'skip', deadline: 2000 });
const settle = series<string>('example-hello:settle', { deadline: 2000 });
const price = waterfall<number>('example-hello:price', { deadline: 2000 });
const done = event(`${owner}.probe.done`, { public: true, data: { name: f.text() } });
const beside = /^Another transaction of this context is in progress, and this call is not inside its function\./;

let shop: TestShop;
const write = (ctx: Ctx, name: string): Promise<number> =>
  ctx.db.run(
    sql`insert into core_setting (tenant_id, plugin, "values", updated_at) values (${ctx.tenant.id}, ${name}, '{}', now())`,
  );
const traces = (ctx: Ctx, name: string): Promise<unknown> => {
  return Promise.all([write(ctx, name), ctx.emit(done, { id: ctx.tenant.id, data: { name } })]);
};
const written = async (): Promise<string[]> =>
  (await shop.rows<{ plugin: string }>(`select plugin from core_setting where plugin like '~%' order by 1`)).map(
    (row) => row.plugin,
  );
const emitted = async (): Promise<string[]> =>
  (await shop.rows<{ name: string }>(`select data ->> 'name' as name from core_event where type = '${done.id}' order by 1`)).map(
    (row) => row.name,
  );
/** A context without a transaction, as jobs and routes with `transaction: 'none'` have it. */
const free = <T>(fn: (ctx: Ctx) => Promise<T>): Promise<T> => shop.a.run(owner, fn, { transaction: 'none' });
const run = <T>(fn: (ctx: Ctx) => Promise<T>): Promise<T> => shop.a.run(owner, fn);
const reasonsOf = (settled: PromiseSettledResult<unknown>[]): unknown[] =>
  settled.map((each) => (each.status === 'rejected' ? (each.reason as Error).message : 'fulfilled'));

beforeAll(async () => {
  const modules = {
    [owner]: definePlugin({
      name: owner,
      events: { emits: [done] },
      storefront: [
        route(
          'POST',
          '/example-hello/both',
          { summary: 'Writes twice in parallel', transaction: 'none', response: { reasons: f.list(f.text()) } },
          async (ctx) => {
            const both = ['~one', '~two'].map((name) => ctx.transaction((inner) => write(inner, name)));
            return { reasons: reasonsOf(await Promise.allSettled(both)) as string[] };
          },
        ),
      ],
    }),
    currencies: definePlugin({
      name: 'currencies',
      hooks(h) {
        h.on(decorate, async (ctx, name) => {
          await write(ctx, name);
          await sleep(10);
          if (name.endsWith('fails')) throw new Error('no');
          return [name];
        });
        h.on(settle, async (ctx, name) => {
          await write(ctx, name);
          await sleep(10);
        });
        h.on(price, async (ctx, value) => {
          await ctx.db.rows(sql`select 1`);
          await sleep(10);
          return value + 1;
        });
      },
    }),
  };
  shop = await testShop({ plugins: Object.keys(modules), modules, workers: false });
});
afterAll(() => shop?.stop());
beforeEach(async () => {
  await shop.rows(`delete from core_setting where plugin like '~%'`);
  for (const table of ['core_event_delivery', 'core_event']) await shop.rows(`delete from ${table}`);
});

describe('a context without a transaction', () => {
  it('refuses a transaction beside another one, which keeps all of its own work', async () => {
    await free(async (ctx) => {
      const both = ['~one', '~two'].map((name) => ctx.transaction((inner) => traces(inner, name)));
      expect(reasonsOf(await Promise.allSettled(both))).toEqual(['fulfilled', expect.stringMatching(beside)]);
    });
    expect([await written(), await emitted()]).toEqual([['~one'], ['~one']]);
  });

  it('refuses 40 of 41 parallel transactions that begin at different moments', async () => {
    const outcomes = await free(async (ctx) => {
      const checked = Promise.withResolvers<void>();
      const one = ctx.transaction(async (inner) => {
        await traces(inner, '~one');
        await checked.promise;
      });
      const others = Array.from({ length: 40 }, async (_, i) => {
        await sleep(i);
        await ctx.transaction((inner) => traces(inner, `~other ${i}`));
      });
      const refused = await Promise.allSettled(others);
      checked.resolve();
      return reasonsOf([...(await Promise.allSettled([one])), ...refused]);
    });
    expect(outcomes[0]).toBe('fulfilled');
    expect(outcomes.slice(1).filter((outcome) => outcome === 'fulfilled')).toEqual([]);
    expect(await written()).toEqual(['~one']);
  });

  it('refuses statements, records and hooks beside a transaction, and does not add them to it', async () => {
    await free(async (ctx) => {
      const [begun, checked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const transaction = ctx.transaction(async (inner) => {
        await traces(inner, '~inside');
        begun.resolve();
        await checked.promise;
      });
      await begun.promise;
      const uses: (() => unknown)[] = [
        () => ctx.db,
        () => ctx.em,
        () => ctx.db.query,
        () => ctx.emit(done, { id: ctx.tenant.id, data: { name: '~beside' } }),
        () => ctx.audit({ entity: `${owner}.probe`, entityId: null, action: 'beside' }),
        () => ctx.history({ entity: `${owner}.probe`, entityId: ctx.tenant.id, from: null, to: 'beside' }),
        () => ctx.onCommit(() => undefined),
        () => ctx.dropCache('beside'),
        () => ctx.savepoint(async () => undefined),
        () => ctx.call(settle, '~beside'),
        () => ctx.transaction(async () => undefined),
      ];
      for (const use of uses) {
        const outcome = await (async () => use())().then(
          () => `allowed: ${use}`,
          (error: Error) => error.message,
        );
        expect(outcome).toMatch(beside);
      }
      // External calls need no transaction and run beside one.
      expect(await ctx.withoutTransaction('x', async () => 'called')).toBe('called');
      checked.resolve();
      await transaction;
      await ctx.transaction((inner) => traces(inner, '~after'));
    });
    expect([await written(), await emitted()]).toEqual([
      ['~after', '~inside'],
      ['~after', '~inside'],
    ]);
  });

  it('refuses records that no transaction would write', async () => {
    await free(async (ctx) => {
      for (const use of [
        () => ctx.emit(done, { id: ctx.tenant.id, data: { name: '~lost' } }),
        () => ctx.audit({ entity: `${owner}.probe`, entityId: null, action: 'lost' }),
        async () => ctx.db,
      ])
        await expect(use()).rejects.toThrow('No transaction is open here. Use ctx.transaction.');
    });
  });

  it('runs transactions one after the other, also from callbacks after a commit and in external calls', async () => {
    await free(async (ctx) => {
      await ctx.transaction(async (inner) => {
        await write(inner, '~first');
        inner.onCommit(() => ctx.transaction((next) => traces(next, '~callback')).then(() => undefined));
      });
      await ctx.transaction(async (inner) => {
        const name = await inner.withoutTransaction('ask', () =>
          ctx.transaction(async (own) => `~${await write(own, '~asked')}`),
        );
        await write(inner, name);
      });
    });
    expect([await written(), await emitted()]).toEqual([['~1', '~asked', '~callback', '~first'], ['~callback']]);
  });

  it('answers over HTTP with the reason, and writes one of both', async () => {
    const answer = await shop.a.guest.post<{ reasons: string[] }>('/api/storefront/example-hello/both', {});
    expect([answer.status, answer.body.reasons]).toEqual([200, ['fulfilled', expect.stringMatching(beside)]]);
    expect(await written()).toEqual(['~one']);
  });

  it('has parallel transactions in tenants, each its own', async () => {
    await shop.kernel.asPlatform(owner, async (platform) => {
      const names = Array.from({ length: 4 }, (_, i) => `~${i}`);
      await Promise.all(names.map((name) => platform.withTenant(shop.a.id, (ctx) => traces(ctx, name))));
    });
    expect([await written(), await emitted()]).toEqual([
      ['~0', '~1', '~2', '~3'],
      ['~0', '~1', '~2', '~3'],
    ]);
  });
});

describe('a context in a transaction', () => {
  it('joins nested transactions, also parallel ones, and rolls all back together', async () => {
    await run(async (ctx) => {
      await Promise.all(['~a', '~b'].map((name) => ctx.transaction((inner) => inner.transaction((own) => traces(own, name)))));
    });
    expect([await written(), await emitted()]).toEqual([
      ['~a', '~b'],
      ['~a', '~b'],
    ]);
    const failed = run(async (ctx) => {
      await Promise.all(['~c', '~d'].map((name) => ctx.transaction((inner) => traces(inner, name))));
      throw new Error('undone');
    });
    await expect(failed).rejects.toThrow('undone');
    expect(await written()).toEqual(['~a', '~b']);
  });

  it('runs parallel savepoints one after the other: a failed one takes nothing of the others with it', async () => {
    const outcomes = await run((ctx) =>
      Promise.allSettled(
        ['~a', '~fails', '~b'].map((name) =>
          ctx.savepoint(async () => {
            await traces(ctx, name);
            await sleep(10);
            if (name === '~fails') throw new Error('no');
          }),
        ),
      ),
    );
    expect(reasonsOf(outcomes)).toEqual(['fulfilled', 'no', 'fulfilled']);
    expect([await written(), await emitted()]).toEqual([
      ['~a', '~b'],
      ['~a', '~b'],
    ]);
  });

  it('runs parallel hooks of every policy: a failed tap takes nothing of the others with it', async () => {
    const results = await run((ctx) =>
      Promise.all([
        ctx.call(decorate, '~a'),
        ctx.call(decorate, '~fails'),
        ctx.call(settle, '~settled'),
        ctx.call(decorate, '~b'),
        ctx.call(price, 1),
        write(ctx, '~statement'),
      ]),
    );
    expect(results).toEqual([['~a'], [], undefined, ['~b'], 2, 1]);
    expect(await written()).toEqual(['~a', '~b', '~settled', '~statement']);
  });

  it('sends statements together with savepoints and hooks, and keeps them where those fail', async () => {
    await run(async (ctx) => {
      const failing = ctx.savepoint(async () => {
        await write(ctx, '~undone');
        await sleep(20);
        throw new Error('no');
      });
      const outcomes = await Promise.allSettled([failing, write(ctx, '~kept'), ctx.call(settle, '~settled')]);
      expect(reasonsOf(outcomes)).toEqual(['no', 'fulfilled', 'fulfilled']);
    });
    expect(await written()).toEqual(['~kept', '~settled']);
  });
});
