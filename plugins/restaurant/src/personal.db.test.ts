import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addArea, addItem, change, check, must, reserved, restaurantShop, round } from '../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await restaurantShop();
});
afterAll(() => shop?.stop());

it('the audit log records that personal data changed, without the data', async () => {
  const { area } = await addArea(shop.a, [4]);
  const words = {
    occasion: 'Silver wedding of the Ionescus',
    notes: 'Sits by the window',
    cancelReason: 'Broke a leg at home',
  };
  const { id } = await reserved(shop.a, { area, ...words });
  const changed = Object.fromEntries(Object.entries(words).map(([member, text]) => [member, `${text}, they said`]));
  expect(await must(change(shop.a, id, changed), 200)).toMatchObject(changed);
  await must(change(shop.a, id, { status: 'cancelled' }), 200);
  const log = await shop.rows<{ text: string }>('select a::text as text from core_audit a where tenant_id = $1', [shop.a.id]);
  const told = log.filter(({ text }) => text.includes(id));
  expect(told.length).toBeGreaterThanOrEqual(2);
  expect(told.filter(({ text }) => /wedding|window|leg/.test(text))).toEqual([]);
});

it('nor of what guests of a check ask for, or can not eat', async () => {
  const item = await addItem(shop.a);
  const line = { menuItemId: item.id, qty: 1, note: 'No nuts for the lady, she is allergic' };
  const { id } = await check(shop.a, item, { rounds: [{ items: [line] }] });
  const shown = await must(round(shop.a.admin, id, [line]), 201);
  expect(shown.rounds).toMatchObject([{ items: [{ note: line.note }] }, { items: [{ note: line.note }] }]);
  const log = await shop.rows<{ text: string }>('select a::text as text from core_audit a where tenant_id = $1', [shop.a.id]);
  const told = log.filter(({ text }) => text.includes(id));
  expect(told).toHaveLength(2);
  expect(told.filter(({ text }) => text.includes('allergic'))).toEqual([]);
});
