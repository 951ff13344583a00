import { type Ctx, definePlugin, f, job, problem, type Route, route } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestShop, testShop } from '../index.ts';

const name = 'example-hello';
let shop: TestShop;
let asked: string[];
let open: number[];

/** An external system that checks for open transactions. */
async function outside(key: string): Promise<string> {
  asked.push(key);
  open.push(await shop.openTransactions());
  return `answer ${key}`;
}
const note = (ctx: Ctx): Promise<void> => ctx.enqueue(job<{ name?: string; n?: number }>('note'), {});
const noted = async (): Promise<number> => (await shop.rows(`select 1 from jobs.job where data ->> 'name' = 'note'`)).length;

const post = (path: string, work: (ctx: Ctx) => Promise<unknown>): Route =>
  route('POST', `/example-hello/${path}`, { summary: path, response: { answers: f.anyJson() } }, async (ctx) => {
    await note(ctx);
    return { answers: await work(ctx) };
  });
let n = 0;
const routes = [
  post('both', (ctx) => Promise.all(['a', 'b'].map((key) => ctx.withoutTransaction(key, () => outside(key))))),
  post('twice', async (ctx) => {
    const ask = (key: string) => ctx.withoutTransaction(key, () => outside(key));
    return [await ask('a'), await ask('b'), await ask('a')];
  }),
  post('swallowed', async (ctx) => ctx.withoutTransaction('a', () => outside('a')).catch(() => 'nothing')),
  post('undone', async (ctx) => ctx.savepoint(() => ctx.withoutTransaction('a', () => outside('a')))),
  post('restless', async (ctx) => ctx.withoutTransaction(`${n++}`, () => outside('other'))),
  post('refused', async (ctx) =>
    ctx.withoutTransaction('a', async () => {
      throw problem('unavailable', { detail: 'The system is unreachable.' });
    }),
  ),
];
const call = (path: string, headers: Record<string, string> = {}) =>
  shop.a.guest.with(headers).post<{ answers: unknown; code?: string }>(`/api/storefront/example-hello/${path}`, {});

beforeAll(async () => {
  const plugin = definePlugin({ name, storefront: routes, jobs: { note: { run: async () => undefined } } });
  shop = await testShop({ plugins: [name], modules: { [name]: plugin }, workers: false });
});
afterAll(() => shop?.stop());
beforeEach(() => {
  asked = [];
  open = [];
});

describe('a unit of work that asks outside', () => {
  it('makes simultaneous calls without a transaction, and is written once', async () => {
    const before = await noted();
    const key = { 'idempotency-key': 'outside-0001' };
    const answer = await call('both', key);
    expect([answer.status, answer.body.answers]).toEqual([200, ['answer a', 'answer b']]);
    expect([asked, open]).toEqual([
      ['a', 'b'],
      [0, 0],
    ]);
    expect((await call('both', key)).body).toEqual(answer.body);
    expect([asked.length, (await noted()) - before]).toEqual([2, 1]);
  });

  it('keeps the answers while it asks for more', async () => {
    expect((await call('twice')).body.answers).toEqual(['answer a', 'answer b', 'answer a']);
    expect(asked).toEqual(['a', 'b']);
  });

  it('runs again also if the pending error was caught, and inside a savepoint', async () => {
    const before = await noted();
    for (const path of ['swallowed', 'undone']) expect((await call(path)).body.answers).toBe('answer a');
    expect([asked, (await noted()) - before]).toEqual([['a', 'a'], 2]);
  });

  it('gives up where it never asks for the same, and where the question fails', async () => {
    const before = await noted();
    const restless = await call('restless');
    expect([restless.status, restless.body.code, asked.length]).toEqual([409, 'conflict', 5]);
    const refused = await call('refused');
    expect([refused.status, refused.body.code]).toEqual([503, 'unavailable']);
    expect(await noted()).toBe(before);
  });

  it('calls immediately without an open transaction', async () => {
    const work = (ctx: Ctx) => ctx.withoutTransaction('a', () => outside('a'));
    expect(await shop.a.run(name, work, { transaction: 'none' })).toBe('answer a');
    expect(asked).toEqual(['a']);
  });
});
