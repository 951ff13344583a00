import { type Json, product, ron } from '../../plugins/checkout/test/goods.ts';
import { openTill, type Till } from '../../plugins/checkout/test/till.ts';

/** A till with stock, promotions, taxes, and a courier for 15.00. Two processes. */
export interface CourierShop extends Till {
  /** The courier's method, by id. */
  courier: string;
  /** POST as staff of shop A that must succeed. */
  post(path: string, body: Record<string, unknown>): Promise<Json>;
  /** A product of shop A with so many in stock. */
  stocked(price: number, onHand: number, more?: Record<string, unknown>): ReturnType<typeof product>;
}

export async function openCourierShop(countries: readonly string[] = ['RO']): Promise<CourierShop> {
  const till = await openTill(['inventory', 'promotions', 'taxes', 'shipping', 'currencies'], { processes: 2 });
  const { a } = till.shop;
  const post: CourierShop['post'] = async (path, body) => {
    const answer = await a.admin.post<Json>(path, body);
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  };
  const zone = await post('/api/admin/shipping/zones', { name: 'Served', countries });
  const courier = { code: 'courier', name: 'Courier', type: 'flat', zoneIds: [zone.id], price: ron(1500) };
  return {
    ...till,
    courier: (await post('/api/admin/shipping/methods', courier)).id,
    post,
    async stocked(price, onHand, more = {}) {
      const made = await product(a, price, more, { trackInventory: true });
      if (onHand > 0) await post(`/api/admin/inventory/${made.variantId}/adjust`, { delta: onHand, reason: 'received' });
      return made;
    },
  };
}
