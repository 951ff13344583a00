import { uuidv7 } from '@storeloom/plugin-sdk';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Receiver } from '../test/receiver.ts';
import { customerUpdated, subscribe } from '../test/shop.ts';

const path = '/api/admin/webhooks/';
let shop: TestShop;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await new Receiver().start();
  shop = await testShop({ plugins: ['webhooks'], processes: 2 });
});
afterAll(async () => {
  await shop?.stop();
  await receiver?.stop();
});

/** One event at each process: for how many of them a delivery to webhooks was kept. */
async function kept(): Promise<number> {
  const ids = shop.kernels.map(() => uuidv7());
  for (const [i, kernel] of shop.kernels.entries())
    await kernel.inTenant(shop.a.id, 'customers', (ctx) => ctx.emit(customerUpdated, { id: ids[i]!, data: { id: ids[i]! } }));
  const events = await shop.rows('select 1 from core_event where aggregate = any($1)', [ids]);
  expect(events).toHaveLength(2);
  const rows = await shop.rows(`select 1 from core_event_delivery where plugin = 'webhooks' and aggregate = any($1)`, [ids]);
  return rows.length;
}

describe('events that webhooks keep', () => {
  it('are those that an endpoint asks for, from the next one on, at every process', async () => {
    expect(await kept()).toBe(0);
    await subscribe(shop.b, receiver.url('/other'), { events: ['*'] });
    expect(await kept()).toBe(0);
    const { id } = await subscribe(shop.a, receiver.url('/hook'), { events: ['customers.*'] });
    const change = async (body: object): Promise<void> => {
      expect((await shop.a.admin.patch(`${path}${id}`, body)).status).toBe(200);
    };
    expect(await kept()).toBe(2);
    await change({ events: ['customers.consent.changed'] });
    expect(await kept()).toBe(0);
    await change({ events: ['customers.consent.changed', 'customers.customer.updated'] });
    expect(await kept()).toBe(2);
    await change({ events: ['*'] });
    expect(await kept()).toBe(2);
    // Whether it is on is looked at when the event is handed out.
    await change({ active: false });
    expect(await kept()).toBe(2);
    expect((await shop.a.admin.delete(`${path}${id}`)).status).toBe(204);
    expect(await kept()).toBe(0);
  });

  it('follow an endpoint that is made and removed at whichever process', async () => {
    for (const base of shop.bases) {
      const tenant = { ...shop.a, admin: shop.a.admin.at(base) };
      const { id } = await subscribe(tenant, receiver.url('/new'));
      expect(await kept()).toBe(2);
      expect((await tenant.admin.delete(`${path}${id}`)).status).toBe(204);
      expect(await kept()).toBe(0);
    }
  });
});
