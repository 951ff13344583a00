import { type Ctx, entityOf, uuidv7 } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deskShop } from '../../test/desk-shop.ts';
import { booking, desk } from '../../test/desks/src/index.ts';
import type { TestShop } from '../index.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await deskShop({ workers: false });
});
afterAll(() => shop?.stop());

const run = <T>(fn: (ctx: Ctx) => Promise<T>): Promise<T> => shop.a.run('desks', fn);
const names = async (like: string): Promise<string[]> =>
  (await shop.rows<{ name: string }>('select name from desks_desk where name like $1 order by name', [like])).map(
    ({ name }) => name,
  );

describe('a row that is not read back', () => {
  it('is there for the next statement, with the values that insert would have written', async () => {
    const [id, other] = [uuidv7(), uuidv7()];
    const rows = await run(async (ctx) => {
      const values = { name: 'later 1', cost: { amount: 5, currency: 'RON' } };
      ctx.rows(desk).insertLater({ id, ...values });
      const inserted = await ctx.rows(desk).insert({ id: other, ...values });
      return [await ctx.rows(desk).require(id), inserted];
    });
    expect(rows[0]).toEqual({ ...rows[1], id, createdAt: expect.any(String), updatedAt: expect.any(String) });
  });

  it('comes with the commit, and vanishes with a rollback', async () => {
    await run(async (ctx) => ctx.rows(desk).insertLater({ name: 'kept' }));
    const undone = run(async (ctx) => {
      ctx.rows(desk).insertLater({ name: 'kept not' });
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    expect(await names('kept%')).toEqual(['kept']);
  });

  it('fails the unit of work where its key is taken, and nothing of it stays', async () => {
    const id = uuidv7();
    await run(async (ctx) => ctx.rows(desk).insertLater({ id, name: 'taken' }));
    const again = run(async (ctx) => {
      await ctx.rows(desk).insert({ name: 'taken beside' });
      ctx.rows(desk).insertLater({ id, name: 'taken again' });
    });
    await expect(again).rejects.toMatchObject({ code: '23505' });
    expect(await names('taken%')).toEqual(['taken']);
  });
});

describe('the verbs of a resource', () => {
  const Booking = entityOf(booking);
  it('share their entities with ctx.em', async () => {
    await run(async (ctx) => {
      const { id: deskId } = await ctx.rows(desk).insert({ name: 'shared' });
      const [startsAt, endsAt] = ['2030-01-01T10:00:00.000Z', '2030-01-01T11:00:00.000Z'];
      const { id } = await ctx.rows(booking).insert({ deskId, startsAt, endsAt, status: 'pending', holdExpiresAt: endsAt });
      const entity = await ctx.em.findOneOrFail(Booking, { id });
      entity.endsAt = '2030-01-01T12:00:00.000Z';
      const moved = await booking.move(ctx, id, 'confirm');
      expect(moved).toMatchObject({ status: 'confirmed', holdExpiresAt: null, endsAt: entity.endsAt, version: 3 });
      expect(entity).toMatchObject({ status: 'confirmed', holdExpiresAt: null, version: 3 });
      expect(await ctx.rows(booking).require(id)).toEqual(moved);
    });
  });
});
