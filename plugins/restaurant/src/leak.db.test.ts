import { leakTest, type TestShop } from '@storeloom/testing';
import { addArea, addItem, check, must, party, reserved, round } from '../test/shop.ts';
import plugin from './index.ts';

const noon = (shop: TestShop, days: number): string => {
  const at = new Date(shop.clock.ms() + days * 86_400_000);
  at.setUTCHours(16, 0, 0, 0);
  return at.toISOString();
};

leakTest(plugin, {
  async fill(shop) {
    await shop.a.run('restaurant', (ctx) => ctx.saveSettings({ openingHours: null }));
    const { area } = await addArea(shop.a, [2, 2]);
    const body = {
      area,
      name: 'Another Guest',
      phone: '+40700000009',
      notes: 'A note for the staff',
      occasion: 'An anniversary',
      cancelReason: 'A reason of the staff',
    };
    for (let i = 0; i < 2; i++) await reserved(shop.a, { ...body, startsAt: noon(shop, 3) });
    const item = await addItem(shop.a);
    const row = await check(shop.a, item);
    await must(round(shop.a.admin, row.id, [{ menuItemId: item.id, qty: 1 }]), 201);
  },
  async requests(shop) {
    const [found] = await shop.rows<{ area: string }>(
      'select area from restaurant_reservation where tenant_id = $1 and area is not null limit 1',
      [shop.a.id],
    );
    const ask = (days: number, more = {}) => ({
      method: 'POST',
      path: '/api/storefront/reservations',
      body: party({ consent: true, startsAt: noon(shop, days), ...more }),
    });
    // One that goes through, one where others have every table.
    return [ask(5), ask(3, { area: found?.area })];
  },
});
