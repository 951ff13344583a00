import { afterAll, beforeAll, expect, it } from 'vitest';
import { deskShop, makeDesk } from '../../test/desk-shop.ts';
import { booking } from '../../test/desks/src/index.ts';
import type { TestShop } from '../index.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await deskShop();
});
afterAll(() => shop?.stop());

const times = { startsAt: '2030-05-01T08:00:00.000Z', endsAt: '2030-05-01T09:00:00.000Z' };

it('a row that code creates has its first status, its history, and an audit entry where one is named', async () => {
  const deskId = await makeDesk(shop);
  const id = '0190a7c4-6b5e-7c3a-9f21-5d8e4b7a1c77';
  const row = await shop.a.run('desks', (ctx) =>
    booking.create(ctx, { id, deskId, ...times }, { reason: 'by phone', audit: 'desks.booking.take' }),
  );
  expect(row).toMatchObject({ id, deskId, status: 'pending', version: 1, ...times });
  const history = 'select from_status as "from", to_status as "to", reason from core_status_history where entity_id = $1';
  expect(await shop.rows(history, [id])).toEqual([{ from: null, to: 'pending', reason: 'by phone' }]);
  expect(await shop.rows('select action from core_audit where entity_id = $1', [id])).toEqual([{ action: 'desks.booking.take' }]);
  const other = { startsAt: '2030-05-01T10:00:00.000Z', endsAt: '2030-05-01T11:00:00.000Z' };
  const confirmed = await shop.a.run('desks', (ctx) => booking.create(ctx, { deskId, ...other, status: 'confirmed' }));
  expect(await shop.rows(history, [confirmed.id])).toEqual([{ from: null, to: 'confirmed', reason: null }]);
  expect(await shop.rows('select action from core_audit where entity_id = $1', [confirmed.id])).toEqual([]);
});

it('what the database refuses leaves neither row nor history', async () => {
  const deskId = await makeDesk(shop);
  const take = () => shop.a.run('desks', (ctx) => booking.create(ctx, { deskId, ...times }));
  await take();
  await expect(take()).rejects.toThrow();
  expect(await shop.rows('select 1 from desks_booking where desk_id = $1', [deskId])).toHaveLength(1);
});
