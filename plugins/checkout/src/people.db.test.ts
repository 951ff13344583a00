import type { HookInput, peopleErase } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cartPath, type Json, product, ron } from '../test/goods.ts';
import { openTill, type Till } from '../test/till.ts';
import { erasePerson, exportPerson } from './people.ts';

let till: Till;
let shop: Till['shop'];
beforeAll(async () => {
  till = await openTill();
  shop = till.shop;
});
afterAll(() => till?.stop());

const tables = ['cart', 'draft_order', 'abandoned_cart', 'link', 'recovery_optout', 'draft_placing'];
/** All rows of checkout as text. */
const dump = async () =>
  (await Promise.all(tables.map((table) => shop.rows(`select * from checkout_${table}`))))
    .map((rows) => JSON.stringify(rows))
    .join();

describe('personal data', () => {
  it('is exported completely, without data of other people', async () => {
    const { variantId } = await product(shop.a, 1000);
    const [ana, dan] = [await shop.a.customer('ana@example.org'), await shop.a.customer('dan@example.org')];
    for (const one of [ana, dan])
      await one.post(`${cartPath}/items`, { variantId, quantity: 1, custom: { engraving: `for ${one.email}` } });
    await shop.a.admin.post('/api/admin/draft-orders/', {
      currency: 'RON',
      email: 'ana@example.org',
      note: 'Ana calls back',
      lines: [{ variantId, quantity: 1 }],
    });
    const person = { customerId: ana.customerId, emails: ['Ana@Example.org'], phones: [] };
    const found = await shop.a.run('checkout', (ctx) => exportPerson(ctx, person));
    expect(found.map(({ resource, rows }) => [resource, rows.length])).toEqual([
      ['checkout.cart', 1],
      ['checkout.draft-order', 1],
    ]);
    expect(JSON.stringify(found)).toContain('for ana@example.org');
    expect(JSON.stringify(found)).not.toContain('dan@example.org');
    expect(await shop.b.run('checkout', (ctx) => exportPerson(ctx, person))).toEqual([]);
  });

  it('is erased in every cart and draft state, and erasing again succeeds', async () => {
    const { variantId } = await product(shop.a, 1000);
    const email = 'eva.erased@example.org';
    const eva = await shop.a.customer(email);
    await eva.post('/api/storefront/consent-log/', { purpose: 'marketing', granted: true, textVersion: '1' });
    const cart = (await eva.post<Json>(`${cartPath}/items`, { variantId, quantity: 1, custom: { text: 'Evaline' } })).body;
    await shop.a.admin.post('/api/admin/abandoned-carts/', { cartId: cart.id });
    await shop.a.admin.post('/api/admin/draft-orders/', {
      currency: 'RON',
      email,
      note: 'Evaline again',
      lines: [{ variantId, quantity: 1, note: 'Evaline' }],
    });
    const guest = await shop.a.guest.post<Json>(`${cartPath}/items`, { variantId, quantity: 2, custom: { text: 'Evaline' } });
    const client = shop.a.guest.with({ 'x-cart-token': guest.body.cartToken });
    const waiting = await till.place(client, 2000, { email, paymentMethod: 'card' });
    expect(waiting.status).toBe(201);
    expect(await dump()).toMatch(/eva\.erased|Evaline/);

    const erase = async () => {
      const reports: Parameters<HookInput<typeof peopleErase>['report']>[0][] = [];
      await shop.a.run('checkout', (ctx) =>
        erasePerson(ctx, {
          customerId: eva.customerId,
          emails: [email],
          phones: [],
          report: (entry) => void reports.push(entry),
        }),
      );
      return Object.fromEntries(reports.map(({ resource, erased }) => [resource, erased]));
    };
    expect(await erase()).toEqual({ 'checkout.cart': 2, 'checkout.draft-order': 1, 'checkout.abandoned-cart': 1 });
    expect(await erase()).toEqual({ 'checkout.cart': 0, 'checkout.draft-order': 0, 'checkout.abandoned-cart': 0 });
    const left = await dump();
    expect(left).not.toMatch(/eva\.erased|Evaline/);
    expect(left).not.toContain(eva.customerId);
    // The unpaid order keeps its cart and can still be paid.
    const ref = await till.refOf(waiting.body.payment.id);
    till.provider.pay(ref);
    await till.tell(ref);
    const [row] = await shop.rows<Json>('select status from checkout_cart where id = $1', [guest.body.id]);
    expect(row.status).toBe('converted');
    const stats = await shop.a.admin.get<Json>('/api/admin/dashboard/abandoned-cart-stats');
    expect(stats.body.metrics).toMatchObject({ abandoned: 1, abandonedValue: ron(1000) });
  });
});
