import { payments } from '@storeloom/commerce';
import { contractTest, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import plugin from './index.ts';

contractTest(plugin, {
  async fill(shop) {
    for (const tenant of [shop.a, shop.b]) {
      const { paymentId } = await tenant.run(
        'payments',
        (ctx) =>
          ctx.require(payments).start({
            for: { type: 'test.thing', id: '0190a000-0000-7000-8000-000000000009' },
            amount: { amount: 100, currency: 'RON' },
            email: 'buyer@example.org',
            description: 'x',
            methodCode: 'bank-transfer',
          }),
        { transaction: 'none' },
      );
      await tenant.admin.post(`/api/admin/payments/${paymentId}/mark-paid`, {});
      await tenant.run('payments', (ctx) =>
        ctx.require(payments).refund({ paymentId, amount: { amount: 1, currency: 'RON' }, reason: 'x', key: 'k' }),
      );
    }
  },
});

describe('the demo', () => {
  let shop: TestShop;
  beforeAll(async () => {
    shop = await testShop({ plugins: ['payments'] });
  });
  afterAll(() => shop?.stop());

  it('creates two usable methods and one without API keys, and is idempotent', async () => {
    for (let i = 0; i < 2; i++) await shop.a.run('payments', (ctx) => plugin.seeds?.demo?.(ctx) as Promise<void>);
    const { body } = await shop.a.admin.get<{ data: Record<string, unknown>[] }>('/api/admin/payment-methods/');
    expect(body.data.map(({ code, provider, enabled, version }) => [code, provider, enabled, version])).toEqual([
      ['card', 'payment-a', false, 1],
      ['bank-transfer', 'bank_transfer', true, 1],
      ['cod', 'cod', true, 1],
    ]);
  });

  it('pays a subject without orders, checkout or currencies', async () => {
    const methods = await shop.a.run('payments', (ctx) =>
      ctx.require(payments).methods({ total: { amount: 1, currency: 'EUR' } }),
    );
    expect(methods.map((method) => method.code)).toEqual(['bank-transfer', 'cod']);
  });
});
