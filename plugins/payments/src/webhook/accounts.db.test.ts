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
  it('that are missing, wrong or old store nothing', async () => {
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

  it('of unknown schemes are passed over, and one right v1 is enough', async () => {
    const { id, providerRef } = await p.started(newThing(), 100);
    p.fake.pay(providerRef);
    const event = p.fake.eventOf('payment_intent.succeeded', providerRef);
    const [t, v1] = (p.fake.sign(JSON.stringify(event), now())['stripe-signature'] ?? '').split(',');
    const answer = await p.send(event, `${plain}/${p.shop.a.id}`, {
      'stripe-signature': `${t},v0=aa,v1=${'1'.repeat(64)},${v1},v2=zz`,
    });
    expect(answer.status).toBe(200);
    await p.shop.settled();
    expect(await p.pay((service) => service.status(id))).toMatchObject({ status: 'captured' });
  });

  it('of the old and the new secret are both good while secrets are changed', async () => {
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
  ])('over %s: the sender is told, nothing happens', async (_, raw) => {
    const before = await stored();
    const answer = await p.shop.a.guest.call('POST', `${plain}/${p.shop.a.id}`, {
      raw: { content: raw, type: 'application/json' },
      headers: p.fake.sign(raw, now()),
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
    expect(await stored()).toBe(before);
  });
});

describe('accounts', () => {
  it('of another shop have no effect, by either door', async () => {
    const thing = newThing();
    const { id, providerRef } = await p.started(thing, 100);
    p.fake.pay(providerRef);
    // Shop b names shop a's account, with a secret that only b knows.
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
    // To b's own door, or by the account alone, it is b's event: about nothing that b has.
    expect((await p.send(event, `${plain}/${p.shop.b.id}`, p.fake.sign(raw, at, secret))).status).toBe(200);
    expect((await p.send(event, plain, p.fake.sign(raw, at, secret))).status).toBe(200);
    await p.shop.settled();
    expect(await p.pay((service) => service.status(id))).toMatchObject({ status: 'requires_action' });
    expect(await p.shop.rows('select tenant_id from payments_dead_letter where event_id = $1', [event.id])).toEqual([
      { tenant_id: p.shop.b.id },
    ]);
    // And a's own secret still picks a.
    expect((await p.send(event)).status).toBe(200);
    await p.shop.settled();
    expect(await p.pay((service) => service.status(id))).toMatchObject({ status: 'captured' });
  });

  it('named in the body must be the shop’s that the path names', async () => {
    const event = p.fake.event('charge.updated', { object: 'charge' }, { account: 'acct_of_nobody' });
    expect((await p.send(event, `${plain}/${p.shop.a.id}`)).status).toBe(401);
    expect((await p.send(event, plain)).status).toBe(401);
    const silent = p.fake.event('charge.updated', { object: 'charge' }, { account: undefined });
    expect((await p.send(silent, `${plain}/${p.shop.a.id}`)).status).toBe(200);
    expect((await p.send(silent, plain)).status).toBe(401);
  });

  it('unknown shops answer like a bad signature', async () => {
    const event = p.fake.event('charge.updated', { object: 'charge' });
    for (const tenant of [uuidv7(), 'nonsense'])
      expect(await p.send(event, `${plain}/${tenant}`)).toMatchObject({ status: 401, body: { code: 'signature_invalid' } });
  });

  it('that nobody has configured answer 501', async () => {
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
