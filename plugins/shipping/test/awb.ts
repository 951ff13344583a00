import { createHmac } from 'node:crypto';
import { account, type Json, methodOf, must, openShop, zoneOf } from './shop.ts';

export const parcels = [{ weightG: 1200, lengthMm: 300 }];
export const awbPath = (orderId: string) => `/api/admin/orders/${orderId}/awb`;

export type AwbDesk = Awaited<ReturnType<typeof openDesk>>;
/** Two processes with carrier-a configured in shop A, and helpers to request AWBs and to send notifications. */
export async function openDesk() {
  const { shop, fake, stop } = await openShop({ processes: 2 });
  for (const tenant of [shop.a, shop.b]) await methodOf(tenant, [(await zoneOf(tenant)).id]);
  await must(shop.a.admin.put('/api/admin/shipping-carriers/carrier-a', account(fake)), 200);
  return {
    shop,
    fake,
    stop,
    requestAwb: (orderId: string, more: object = {}, process = 0) =>
      shop.a.admin.at(shop.bases[process] as string).post<Json>(awbPath(orderId), { provider: 'carrier-a', parcels, ...more }),
    orderOf: (id: string): Promise<Json> => must(shop.a.admin.get(`/api/admin/orders/${id}`), 200),
    /** Sends a signed webhook of carrier-a and waits for its effects. */
    async notify(body: object, { secret = 'a-webhook-secret-0001', query = '' } = {}) {
      const content = JSON.stringify(body);
      const signature = createHmac('sha256', secret).update(content).digest('hex');
      const response = await shop.a.guest.call<Json>('POST', `/api/webhooks/carrier-a${query}`, {
        raw: { content, type: 'application/json' },
        headers: { 'x-signature': signature },
      });
      await shop.settled();
      return response;
    },
  };
}
