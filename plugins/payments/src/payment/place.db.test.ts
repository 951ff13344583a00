import { paymentStart, placeCommit, type Surcharge, surchargesCollect, tendersCollect } from '@storeloom/commerce';
import { type AnyHook, type HookInput, type HookResult, uuidv7 } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newOrder, type PayShop, payShop, ron } from '../../test/pay-shop.ts';
import { context, placing } from '../../test/placing.ts';

let p: PayShop;
beforeAll(async () => {
  p = await payShop();
});
afterAll(() => p?.stop());
beforeEach(() => void (p.fake.calls.length = 0));

function call<H extends AnyHook>(hook: H, input: unknown, transaction?: 'none'): Promise<HookResult<H>> {
  return p.shop.a.run('orders', (ctx) => ctx.call(hook, input as HookInput<H>), transaction ? { transaction } : {});
}
describe('placing', () => {
  it('creates a payment, and starts it after the commit with its id as key', async () => {
    const order = newOrder(7700);
    const { id, input } = placing(order, 'card');
    await call(placeCommit, input);
    expect(await p.of(order)).toMatchObject([
      { id, status: 'created', amount: ron(7700), methodCode: 'card', expiresAt: '2099-01-01T00:00:00.000Z', providerRef: null },
    ]);
    expect(p.fake.calls).toEqual([]);
    const started = await call(paymentStart, { orderId: order.id, paymentId: id }, 'none');
    expect(started).toEqual({
      status: 'requires_action',
      providerRef: expect.any(String),
      redirectUrl: expect.stringContaining('/pay/'),
    });
    expect(p.fake.done(/sessions$/)).toMatchObject([
      { key: id, form: { client_reference_id: id, customer_email: 'buyer@example.org' } },
    ]);
  });

  it('creates none if nothing is due, or by an unavailable method', async () => {
    const order = newOrder(7700);
    await call(placeCommit, { ...placing(order, 'card').input, payment: null });
    expect(await p.of(order)).toEqual([]);
    await expect(call(placeCommit, placing(order, 'gone').input)).rejects.toMatchObject({ code: 'payment_method_unavailable' });
  });

  it('is rolled back if a later tap fails', async () => {
    const order = newOrder(7700);
    const fails = p.shop.a.run('orders', async (ctx) => {
      await ctx.call(placeCommit, placing(order, 'card').input as never);
      throw new Error('a later tap');
    });
    await expect(fails).rejects.toThrow('a later tap');
    expect(await p.of(order)).toEqual([]);
  });

  it('needs no provider for a method that is paid later', async () => {
    const order = newOrder(7700);
    const { id, input } = placing(order, 'cod');
    await call(placeCommit, input);
    expect(await call(paymentStart, { orderId: order.id, paymentId: id }, 'none')).toEqual({ status: 'created' });
    expect(p.fake.calls).toEqual([]);
  });

  it('saves an instrument only for a customer', async () => {
    const order = newOrder(7700);
    const { input } = placing(order, 'card', { saveInstrument: true });
    await call(placeCommit, input);
    expect(await p.shop.rows('select save_instrument from payments_payment where for_id = $1', [order.id])).toEqual([
      { save_instrument: false },
    ]);
    const other = newOrder(7700);
    await expect(call(placeCommit, placing(other, 'card', { instrumentId: uuidv7() }).input)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('pricing', () => {
  const make = (body: Record<string, unknown>) =>
    p.shop.a.admin.post('/api/admin/payment-methods/', {
      name: { ro: 'Taxă', en: 'With fee' },
      provider: 'cod',
      enabled: true,
      position: 50,
      ...body,
    });
  const fee = (paymentMethod: string, running: number, more = {}): Promise<Surcharge[]> =>
    call(surchargesCollect, { context: context({ paymentMethod, ...more }), lines: [], shipping: null, running });

  it('adds the fee of the chosen method', async () => {
    await make({ code: 'fee', fee: { fixed: ron(500), percentBp: 150 } });
    expect(await fee('fee', 10_050)).toEqual([{ code: 'payment:fee', name: 'With fee', amount: 651, of: 'payment' }]);
    expect(await fee('card', 10_050)).toEqual([]);
    expect(await fee('unknown', 10_050)).toEqual([]);
    expect(await fee('fee', 10_000, { currency: 'EUR', fx: { rate: '0.2', rateId: null } })).toMatchObject([{ amount: 250 }]);
  });

  it('refuses an unavailable method only when placing and only for the amount left to pay', async () => {
    await make({ code: 'picky', minTotal: ron(1000), maxTotal: ron(2000), countries: ['RO'], currencies: ['RON'] });
    const check = (due: number, more: Record<string, unknown> = {}) =>
      call(tendersCollect, {
        context: context({ paymentMethod: 'picky', ...more }),
        total: due,
        requested: [],
        due: () => due,
        add: () => undefined,
      });
    for (const due of [1000, 2000]) await check(due);
    for (const due of [999, 2001]) await expect(check(due)).rejects.toMatchObject({ code: 'payment_method_unavailable' });
    await expect(check(1500, { shippingAddress: { country: 'BG' } })).rejects.toMatchObject({
      code: 'payment_method_unavailable',
    });
    await expect(check(1500, { currency: 'EUR' })).rejects.toMatchObject({ code: 'payment_method_unavailable' });
    await expect(check(1500, { paymentMethod: undefined })).rejects.toMatchObject({ code: 'payment_method_unavailable' });
    await check(0, { paymentMethod: undefined });
    await check(999, { purpose: 'cart' });
  });

  it('offers methods by customer group', async () => {
    const group = await p.shop.a.admin.post<{ id: string }>('/api/admin/customer-groups/', { name: 'Trade', code: 'trade' });
    const unknown = await make({ code: 'trade-only', customerGroupIds: [uuidv7()] });
    expect(unknown).toMatchObject({ status: 404, body: { code: 'not_found', errors: [{ pointer: '/customerGroupIds/0' }] } });
    expect((await make({ code: 'trade-only', customerGroupIds: [group.body.id], position: 60 })).status).toBe(201);
    const codes = async (customerGroupIds?: string[]) =>
      (await p.pay((service) => service.methods({ total: ron(1), ...(customerGroupIds ? { customerGroupIds } : {}) }))).map(
        ({ code }) => code,
      );
    expect(await codes()).not.toContain('trade-only');
    expect(await codes([group.body.id])).toContain('trade-only');
    const order = newOrder(100);
    await expect(call(placeCommit, placing(order, 'trade-only').input)).rejects.toMatchObject({
      code: 'payment_method_unavailable',
    });
  });

  it('lists the methods of a context', async () => {
    const methods = await p.pay((service) => service.methods({ total: ron(1500), country: 'RO' }));
    expect(methods.map((method) => method.code)).toEqual(['card', 'card-later', 'embedded', 'cod', 'transfer', 'fee', 'picky']);
    expect(methods.find((method) => method.code === 'card')).toEqual({
      id: expect.any(String),
      code: 'card',
      name: { ro: 'card' },
      provider: 'payment-a',
      online: true,
      paidLater: false,
      capture: 'auto',
      instructions: null,
      fee: null,
      clientKey: null,
    });
    expect(methods.find((method) => method.code === 'cod')).toMatchObject({ online: false, paidLater: true });
    expect(methods.find((method) => method.code === 'transfer')).toMatchObject({ online: false, paidLater: false });
    expect(methods.find((method) => method.code === 'fee')?.fee).toEqual({ fixed: ron(500), percentBp: 150 });
  });
});
