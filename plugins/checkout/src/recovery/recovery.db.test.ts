import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cartPath, type Json, product, ron, visitor } from '../../test/goods.ts';
import { configPath, hour, listPath, recoveryTools } from '../../test/recovery-tools.ts';
import { checkoutPath, openTill, type Till } from '../../test/till.ts';

let till: Till;
let shop: Till['shop'];
beforeAll(async () => {
  till = await openTill();
  shop = till.shop;
});
afterAll(() => till?.stop());

const { configure, shopper, rest, reminders, mailsTo, rowOf, recoveryStatus, cartStatus } = recoveryTools(() => till);

describe('the recovery configuration', () => {
  it('is off by default and validated', async () => {
    expect((await shop.a.admin.get<Json>(configPath)).body).toEqual({
      enabled: false,
      idleMinutes: 60,
      steps: [],
      maxPer30Days: 3,
      version: 0,
    });
    const refused = async (body: Record<string, unknown>) => {
      const answer = await shop.a.admin.post<Json>(configPath, { enabled: true, ...body });
      return [answer.status, answer.body.errors?.[0]?.pointer];
    };
    expect(await refused({ steps: [{ delayHours: 1, templateId: 'nothing' }] })).toEqual([422, '/steps/0/templateId']);
    expect(
      await refused({
        steps: [
          { delayHours: 5, templateId: 'reminder' },
          { delayHours: 5, templateId: 'last_call' },
        ],
      }),
    ).toEqual([422, '/steps/1/delayHours']);
    expect(await refused({ steps: [], maxPer30Days: 0 })).toEqual([422, '/maxPer30Days']);
    expect(
      await refused({ steps: [{ delayHours: 1, templateId: 'reminder', promotionId: '01900000-0000-7000-8000-000000000009' }] }),
    ).toEqual([404, '/steps/0/promotionId']);
    const [first, second] = [await configure(), await configure({ maxPer30Days: 5 })];
    expect([first.status, second.status, second.body.maxPer30Days]).toEqual([200, 200, 5]);
    expect((await shop.a.admin.get<Json>(configPath)).body).toEqual(second.body);
    expect((await shop.b.admin.get<Json>(configPath)).body.enabled).toBe(false);
  });
});

describe('an abandoned cart', () => {
  it('gets a reminder for each step and is resumed by its link', async () => {
    await configure({ maxPer30Days: 5 });
    const { customer, cartId, email } = await shopper();
    await rest(30 * 60_000);
    expect(await rowOf(cartId)).toBeUndefined();
    await rest();
    expect(await rowOf(cartId)).toMatchObject({
      status: 'abandoned',
      email,
      stage: 0,
      value: ron(2000),
      reminders: [],
      lines: [{ quantity: 2 }],
    });
    expect(await cartStatus(cartId)).toBe('abandoned');
    expect(await mailsTo(email)).toEqual([]);
    shop.clock.advance(hour);
    await reminders();
    const [mail] = await mailsTo(email);
    expect(mail).toMatchObject({ template: 'checkout.reminder' });
    expect(await rowOf(cartId)).toMatchObject({
      status: 'reminded',
      stage: 1,
      reminders: [{ step: 0, templateId: 'reminder', openedAt: null }],
    });
    shop.clock.advance(24 * hour);
    await reminders();
    expect((await mailsTo(email)).map((each) => each.template)).toEqual(['checkout.reminder', 'checkout.last_call']);
    await reminders();
    const row = await rowOf(cartId);
    expect([row.stage, (await mailsTo(email)).length]).toEqual([2, 2]);

    const seen = await shop.a.guest.get<Json>(`${checkoutPath}/draft/${row.recoveryToken}`);
    expect(seen.body).toMatchObject({
      kind: 'recovery',
      draftToken: null,
      totals: { total: ron(2000) },
      lines: [{ quantity: 2 }],
    });
    expect(seen.text).not.toContain(email);
    expect(await cartStatus(cartId)).toBe('abandoned');
    const line = seen.body.lines[0].id;
    expect((await customer.patch(`${cartPath}/items/${line}`, { quantity: 3 })).status).toBe(200);
    expect(await rowOf(cartId)).toMatchObject({
      status: 'active',
      reminders: [{ openedAt: null }, { openedAt: expect.any(String) }],
    });
    // Abandoned a second time, then bought.
    await rest();
    expect(await rowOf(cartId)).toMatchObject({ status: 'abandoned', value: ron(3000) });
    const placed = await till.place(customer, 3000, { email });
    expect(placed.status).toBe(201);
    await shop.settled();
    expect(await rowOf(cartId)).toMatchObject({
      status: 'recovered',
      recoveredOrderId: placed.body.order.id,
      recoveryToken: null,
    });
    expect((await shop.a.guest.get(`${checkoutPath}/draft/${row.recoveryToken}`)).status).toBe(410);
    shop.clock.advance(48 * hour);
    await reminders();
    expect(await mailsTo(email)).toHaveLength(2);
    const types = await shop.rows<Json>(`select type from core_event where aggregate = $1 order by sequence`, [cartId]);
    expect(types.map((event) => event.type)).toEqual([
      'checkout.cart.abandoned',
      'checkout.cart.abandoned',
      'checkout.cart.converted',
      'checkout.cart.recovered',
    ]);
  });

  it('gets no e-mail after an order of the same address from any cart (B33)', async () => {
    const { cartId, email } = await shopper();
    await rest();
    const { variantId } = await product(shop.a, 500);
    const other = await visitor(shop.a, [variantId, 1]);
    expect((await till.place(other.client, 500, { email: email.toUpperCase() })).status).toBe(201);
    await shop.settled();
    expect((await rowOf(cartId)).status).toBe('recovered');
    shop.clock.advance(2 * hour);
    await reminders();
    expect(await mailsTo(email)).toEqual([]);
  });

  it('gets no e-mail without a consent at the time of sending', async () => {
    const [never, changed] = [await shopper(false), await shopper()];
    await rest();
    await changed.customer.post('/api/storefront/consent-log/', { purpose: 'marketing', granted: false, textVersion: '1' });
    shop.clock.advance(2 * hour);
    await reminders();
    for (const one of [never, changed]) {
      expect(await mailsTo(one.email)).toEqual([]);
      expect((await rowOf(one.cartId)).status).toBe('opted_out');
    }
  });

  it('gets no e-mail while an item is unavailable or the cap is reached', async () => {
    await configure({ maxPer30Days: 1 });
    const [gone, capped] = [await shopper(), await shopper()];
    await rest();
    await shop.a.admin.patch(`/api/admin/products/${gone.productId}`, { status: 'archived' });
    shop.clock.advance(hour);
    await reminders();
    expect([(await mailsTo(gone.email)).length, (await mailsTo(capped.email)).length]).toEqual([0, 1]);
    shop.clock.advance(24 * hour);
    await reminders();
    expect((await mailsTo(capped.email)).length).toBe(1);
    expect((await rowOf(capped.cartId)).status).toBe('reminded');
    await configure({ maxPer30Days: 5 });
  });

  it('stops by one-click unsubscribe with only the URL', async () => {
    const { cartId, email } = await shopper();
    await rest();
    shop.clock.advance(hour);
    await reminders();
    expect(await mailsTo(email)).toHaveLength(1);
    const pathname = `${checkoutPath}/recovery/stop/${(await rowOf(cartId)).recoveryToken}`;
    const click = (content: string, client = shop.a.guest) =>
      client.call('POST', pathname, { raw: { content, type: 'application/x-www-form-urlencoded' } });
    expect((await click('nothing=1')).status).toBe(400);
    expect((await click('List-Unsubscribe=One-Click', shop.b.guest)).status).toBe(404);
    expect((await rowOf(cartId)).status).toBe('reminded');
    const many = await Promise.all(Array.from({ length: 4 }, () => click('List-Unsubscribe=One-Click')));
    expect(many.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
    expect((await rowOf(cartId)).status).toBe('opted_out');
  });

  it('stops permanently when the buyer opts out', async () => {
    const { customer, cartId, email, variantId } = await shopper();
    await rest();
    shop.clock.advance(hour);
    await reminders();
    expect(await mailsTo(email)).toHaveLength(1);
    const { recoveryToken } = await rowOf(cartId);
    const stop = () => shop.a.guest.post(`${checkoutPath}/recovery/stop`, { token: recoveryToken });
    expect((await shop.b.guest.post(`${checkoutPath}/recovery/stop`, { token: recoveryToken })).status).toBe(404);
    expect([(await stop()).status, (await stop()).status]).toEqual([204, 204]);
    expect((await rowOf(cartId)).status).toBe('opted_out');
    await customer.post(`${cartPath}/items`, { variantId, quantity: 1 });
    await rest();
    shop.clock.advance(30 * hour);
    await reminders();
    expect(await mailsTo(email)).toHaveLength(1);
    expect((await shop.a.admin.post<Json>(listPath, { cartId })).body).toMatchObject({
      status: 409,
      code: 'not_recoverable',
      why: 'unsubscribed',
    });
    expect(JSON.stringify(await shop.rows('select * from checkout_recovery_optout'))).not.toContain(email);
  });
});

// Must run last: advancing the clock by this many days ends all sessions.
describe('an inactive cart', () => {
  it('expires with its recovery', async () => {
    const { cartId } = await shopper();
    const fresh = await shopper();
    await rest();
    shop.clock.advance(29 * 24 * hour);
    await shop.rows('update checkout_cart set last_activity_at = $1 where id = $2', [shop.clock.now(), fresh.cartId]);
    shop.clock.advance(24 * hour);
    await till.job('expire');
    expect([await cartStatus(cartId), await recoveryStatus(cartId), await cartStatus(fresh.cartId)]).toEqual([
      'expired',
      'lost',
      'abandoned',
    ]);
    shop.clock.advance(31 * 24 * hour);
    await till.job('expire');
    expect(await cartStatus(cartId)).toBeUndefined();
  });
});
