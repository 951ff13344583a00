import { uuidv7 } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakePaymentA } from '../../test/fake-payment-a.ts';
import { newThing, type PayShop, payShop } from '../../test/pay-shop.ts';

let p: PayShop;
beforeAll(async () => {
  p = await payShop({ processes: 2 });
});
afterAll(() => p?.stop());
beforeEach(() => void (p.fake.calls.length = 0));

const plain = '/api/webhooks/payment-a';
const stored = async (): Promise<number> =>
  (await p.shop.rows<{ n: number }>('select count(*)::int as n from core_inbound'))[0]?.n ?? 0;

describe('signatures', () => {
  const refused = { status: 401, body: { code: 'signature_invalid' } };
  const now = () => Math.floor(p.shop.clock.ms() / 1000);
  it('that are missing, invalid or expired store nothing', async () => {
    const { providerRef } = await p.started(newThing(), 100);
    p.fake.pay(providerRef);
    const event = p.fake.eventOf('payment_intent.succeeded', providerRef);
    const raw = JSON.stringify(event);
    const before = await stored();
    for (const path of [plain, `${plain}/${p.shop.a.id}`]) {
      for (const headers of [
        {},
        { 'stripe-signature': 'nonsense' },
        { 'stripe-signature': `t=${now()},v1=${'0'.repeat(64)}` },
        p.fake.sign(raw, now(), 'whsec_of_somebody_else'),
        p.fake.sign(raw, now() - 301),
        p.fake.sign(raw, now() + 400),
        p.fake.sign(`${raw} `, now()),
      ])
        expect(await p.send(event, path, headers)).toMatchObject(refused);
    }
    expect(await stored()).toBe(before);
    await p.shop.settled();
    expect(await p.pay((service) => service.of(newThing()))).toEqual([]);
  });

  it('of unknown schemes are ignored, and one valid v1 is enough', async () => {
    const { id, providerRef } = await p.started(newThing(), 100);
    p.fake.pay(providerRef);
    const event = p.fake.eventOf('payment_intent.succeeded', providerRef);
    const [t, v1] = (p.fake.sign(JSON.stringify(event), now())['stripe-signature'] ?? '').split(',');
    const response = await p.send(event, `${plain}/${p.shop.a.id}`, {
      'stripe-signature': `${t},v0=aa,v1=${'1'.repeat(64)},${v1},v2=zz`,
    });
    expect(response.status).toBe(200);
    await p.shop.settled();
    expect(await p.pay((service) => service.status(id))).toMatchObject({ status: 'captured' });
  });

  it('of the old and the new secret are both valid during a rotation', async () => {
    const [method] = (await p.shop.a.admin.get<{ data: { id: string }[] }>('/api/admin/payment-methods/?code=card')).body.data;
    const change = (config: Record<string, unknown>) =>
      p.shop.a.admin.patch(`/api/admin/payment-methods/${method?.id}`, { config });
    await change({ webhookSecretNext: 'whsec_the_next_one_of_the_test' });
    for (const secret of [p.fake.webhookSecret, 'whsec_the_next_one_of_the_test']) {
      const event = p.fake.event('charge.updated', { object: 'charge', payment_intent: null });
      expect((await p.send(event, plain, p.fake.sign(JSON.stringify(event), now(), secret))).status).toBe(200);
    }
    await change({ webhookSecretNext: null });
  });

  it.each([
    ['no JSON', '{"id": '],
    ['a list', '[]'],
    ['no event id', '{"object": "event"}'],
    ['an event id that is none', '{"id": 7}'],
  ])('over %s: responds with an error, without effect', async (_, raw) => {
    const before = await stored();
    const response = await p.shop.a.guest.call('POST', `${plain}/${p.shop.a.id}`, {
      raw: { content: raw, type: 'application/json' },
      headers: p.fake.sign(raw, now()),
    });
    expect(response).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
    expect(await stored()).toBe(before);
  });
});

describe('accounts', () => {
  it('of another tenant have no effect at either path', async () => {
    const subject = newThing();
    const { id, providerRef } = await p.started(subject, 100);
    p.fake.pay(providerRef);
    // Tenant b configures a's account id with its own secret.
    const secret = 'whsec_of_shop_b_0123456789';
    const method = {
      code: 'card',
      name: 'Card',
      provider: 'payment-a',
      enabled: true,
      config: p.fake.config({ webhookSecret: secret }),
    };
    expect((await p.shop.b.admin.post('/api/admin/payment-methods/', method)).status).toBe(201);
    const at = Math.floor(p.shop.clock.ms() / 1000);
    const event = p.fake.eventOf('payment_intent.succeeded', providerRef);
    const raw = JSON.stringify(event);
    expect((await p.send(event, `${plain}/${p.shop.a.id}`, p.fake.sign(raw, at, secret))).status).toBe(401);
    // At b's path, or by the account alone, it is b's event about a payment unknown to b.
    expect((await p.send(event, `${plain}/${p.shop.b.id}`, p.fake.sign(raw, at, secret))).status).toBe(200);
    expect((await p.send(event, plain, p.fake.sign(raw, at, secret))).status).toBe(200);
    await p.shop.settled();
    expect(await p.pay((service) => service.status(id))).toMatchObject({ status: 'requires_action' });
    expect(await p.shop.rows('select tenant_id from payments_dead_letter where event_id = $1', [event.id])).toEqual([
      { tenant_id: p.shop.b.id },
    ]);
    // a's secret still selects a.
    expect((await p.send(event)).status).toBe(200);
    await p.shop.settled();
    expect(await p.pay((service) => service.status(id))).toMatchObject({ status: 'captured' });
  });

  it('in the body must belong to the tenant in the path', async () => {
    const event = p.fake.event('charge.updated', { object: 'charge' }, { account: 'acct_of_nobody' });
    expect((await p.send(event, `${plain}/${p.shop.a.id}`)).status).toBe(401);
    expect((await p.send(event, plain)).status).toBe(401);
    const silent = p.fake.event('charge.updated', { object: 'charge' }, { account: undefined });
    expect((await p.send(silent, `${plain}/${p.shop.a.id}`)).status).toBe(200);
    expect((await p.send(silent, plain)).status).toBe(401);
  });

  it('unknown tenants respond like an invalid signature', async () => {
    const event = p.fake.event('charge.updated', { object: 'charge' });
    for (const tenant of [uuidv7(), 'nonsense'])
      expect(await p.send(event, `${plain}/${tenant}`)).toMatchObject({ status: 401, body: { code: 'signature_invalid' } });
  });

  it("that aren't configured respond 501", async () => {
    for (const provider of ['payment-b', 'payment-c'])
      expect(await p.send({ id: 'x' }, `/api/webhooks/${provider}`)).toMatchObject({
        status: 501,
        body: { code: 'provider_not_configured', provider },
      });
    const other = await new FakePaymentA().start();
    const fresh = await payShop({ plugins: ['payments'] });
    try {
      const event = other.event('charge.updated', { object: 'charge' });
      expect(await fresh.send(event, `${plain}/${fresh.shop.b.id}`)).toMatchObject({
        status: 501,
        body: { code: 'provider_not_configured', provider: 'payment-a' },
      });
      await fresh.shop.rows('delete from payments_payment_method');
      expect(await fresh.send(event, plain)).toMatchObject({ status: 501, body: { provider: 'payment-a' } });
    } finally {
      await fresh.stop();
      await other.stop();
    }
  });
});
