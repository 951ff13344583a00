import { contractTest } from '@storeloom/testing';
import { type Json, must, reserved } from '../test/shop.ts';
import plugin from './index.ts';

contractTest(plugin, {
  async fill(shop) {
    const from = new Date(shop.clock.ms() + 30 * 86_400_000).toISOString().slice(0, 10);
    const to = new Date(shop.clock.ms() + 32 * 86_400_000).toISOString().slice(0, 10);
    for (const tenant of [shop.a, shop.b]) {
      const row = await reserved(tenant, {
        roomType: 'double',
        checkIn: from,
        checkOut: to,
        folioAdd: [{ kind: 'payment', label: 'Card', amount: { amount: 100, currency: 'RON' } }],
      });
      await must(tenant.admin.post('/api/admin/housekeeping/', { roomId: (await rooms(tenant))[0], type: 'deep' }), 201);
      if (!row.reference) throw new Error('no reference');
    }
    await shop.settled();
  },
});

async function rooms(tenant: Parameters<typeof reserved>[0]): Promise<string[]> {
  const list = await must(tenant.admin.get<Json>('/api/admin/rooms/'), 200);
  return list.data.map(({ id }: { id: string }) => id);
}
