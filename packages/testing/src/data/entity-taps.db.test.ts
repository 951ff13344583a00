import { setTimeout as sleep } from 'node:timers/promises';
import { type Ctx, collect } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import studio, { Artist, artist } from '../../test/studio/src/index.ts';
import { studioShop } from '../../test/studio-shop.ts';
import type { TestShop } from '../index.ts';

const decorate = collect<string, string>('studio:decorate', { policy: 'skip', deadline: 150 });
const due = { amount: 0, currency: 'RON' };
let shop: TestShop;
let tap: (ctx: Ctx, id: string) => Promise<string[]>;
beforeAll(async () => {
  const plugin = {
    ...studio,
    hooks: (h: Parameters<NonNullable<typeof studio.hooks>>[0]) => h.on(decorate, (ctx, id) => tap(ctx, id)),
  };
  shop = await studioShop({ modules: { studio: plugin, gallery: (await import('../../test/gallery/src/index.ts')).default } });
});
afterAll(() => shop?.stop());

const run = <T>(fn: (ctx: Ctx) => Promise<T>): Promise<T> => shop.a.run('studio', fn);
const made = (name: string): Promise<string> => run(async (ctx) => (await ctx.rows(artist).insert({ name, due })).id);
const noteOf = async (id: string): Promise<unknown> =>
  (await shop.rows<{ note: unknown }>('select note from studio_artist where id = $1', [id]))[0]?.note;

it('a tap that fails leaves no change of its entities; those of the owner from before it stand', async () => {
  const [own, other] = [await made('own'), await made('other')];
  tap = async (ctx, id) => {
    (await ctx.em.findOneOrFail(Artist, { id })).note = 'of the tap';
    throw new Error('no');
  };
  await run(async (ctx) => {
    (await ctx.em.findOneOrFail(Artist, { id: own })).note = 'of the owner';
    expect(await ctx.call(decorate, other)).toEqual([]);
  });
  expect([await noteOf(own), await noteOf(other)]).toEqual(['of the owner', null]);
});

it('a tap that succeeds keeps them', async () => {
  const id = await made('kept');
  tap = async (ctx) => {
    (await ctx.em.findOneOrFail(Artist, { id })).note = 'of the tap';
    return ['done'];
  };
  expect(await run((ctx) => ctx.call(decorate, id))).toEqual(['done']);
  expect(await noteOf(id)).toBe('of the tap');
});

it('a tap that missed its deadline changes no entity any more', async () => {
  const id = await made('late');
  tap = async (ctx) => {
    const entity = await ctx.em.findOneOrFail(Artist, { id });
    await sleep(200);
    entity.note = 'late';
    return [];
  };
  await run(async (ctx) => {
    await ctx.call(decorate, id);
    await sleep(120);
    await ctx.em.flush();
  });
  expect(await noteOf(id)).toBeNull();
});
