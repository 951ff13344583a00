import { cartPath, type Json, product } from './goods.ts';
import type { Till } from './till.ts';

export const hour = 3_600_000;
export const configPath = '/api/admin/cart-recovery-config/';
export const listPath = '/api/admin/abandoned-carts/';

/** Actions and queries that the recovery tests share. */
export function recoveryTools(till: () => Till) {
  const shop = () => till().shop;
  return {
    configure: (more: Record<string, unknown> = {}) =>
      shop().a.admin.post<Json>(configPath, {
        enabled: true,
        steps: [
          { delayHours: 1, templateId: 'reminder' },
          { delayHours: 24, templateId: 'last_call' },
        ],
        ...more,
      }),
    /** Creates a customer with a cart, by default with consent to marketing e-mails. */
    async shopper(agrees = true) {
      const { variantId, productId } = await product(shop().a, 1000);
      const customer = await shop().a.customer();
      if (agrees) await customer.post('/api/storefront/consent-log/', { purpose: 'marketing', granted: true, textVersion: '1' });
      const { id } = (await customer.post<Json>(`${cartPath}/items`, { variantId, quantity: 2 })).body;
      return { customer, cartId: id as string, variantId, productId, email: customer.email };
    },
    /** Advances the clock, by default two hours, and abandons idle carts. */
    async rest(milliseconds = 2 * hour) {
      shop().clock.advance(milliseconds);
      await till().job('abandon');
    },
    /** Runs the reminder jobs that are due on the shop's clock. */
    async reminders() {
      await shop().rows(
        `update jobs.job set start_after = now() where name = 'jobs' and state = 'created' and data ->> 'name' = 'remind' and start_after <= $1`,
        [shop().clock.now()],
      );
      await shop().settled();
    },
    mailsTo: async (email: string) =>
      (await shop().mails()).filter((mail) => mail.to === email && mail.template.startsWith('checkout.')),
    rowOf: async (cartId: string): Promise<Json> => (await shop().a.admin.get<Json>(`${listPath}?cartId=${cartId}`)).body.data[0],
    recoveryStatus: async (cartId: string): Promise<string> =>
      (await shop().rows<Json>('select status from checkout_abandoned_cart where cart_id = $1', [cartId]))[0]?.status,
    cartStatus: async (id: string): Promise<string> =>
      (await shop().rows<Json>('select status from checkout_cart where id = $1', [id]))[0]?.status,
  };
}
