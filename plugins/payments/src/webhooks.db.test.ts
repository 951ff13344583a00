import { uuidv7 } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakePaymentA } from '../test/fake-payment-a.ts';
import { callsOf, newOrder, newThing, type PayShop, payShop, ron } from '../test/pay-shop.ts';

let p: PayShop;
beforeAll(async () => {
  p = await payShop({ processes: 2 });
});
afterAll(() => p?.stop());
beforeEach(() => void (p.fake.calls.length = 0));

const plain = '/api/webhooks/payment-a';
const stored = async (): Promise<number> =>
  (await p.shop.rows<{ n: number }>('select count(*)::int as n from core_inbound'))[0]?.n ?? 0;

describe('notifications of payment-a', () => {
  it('are answered at once and move the payment by what the provider says', async () => {
    const thing = newThing();
    const { id, providerRef } = await p.started(thing, 5000);
    p.fake.pay(providerRef);
    // The event itself says nothing but whom it is about.
    expect(await p.send(p.fake.eventOf('payment_intent.processing', providerRef))).toEqual({
      status: 200,
      body: { received: true },
    });
    await p.shop.settled();
    expect(await p.of(thing)).toMatchObject([
      { id, status: 'captured', capturedAmount: 5000, authorizedAmount: 5000, redirectUrl: null, clientSecret: null },
    ]);
    expect(await p.events('payments.payment.captured')).toContainEqual(
      expect.objectContaining({ id, for: thing, amount: ron(5000), capturedAmount: 5000, late: false }),
    );
  });

  it('believe no content: an event that lies about the state changes nothing', async () => {
    const thing = newThing();
    const { providerRef } = await p.started(thing, 5000);
    const lie = { ...p.fake.eventOf('payment_intent.succeeded', providerRef), amount_received: 5000, status: 'succeeded' };
    expect((await p.send(lie)).status).toBe(200);
    await p.shop.settled();
    expect(await p.of(thing)).toMatchObject([{ status: 'requires_action', capturedAmount: 0 }]);
  });

  it('have one effect however often they come, at two processes at once', async () => {
    const order = newOrder(5000);
    const { providerRef } = await p.started(order, 5000);
    p.fake.pay(providerRef);
    const event = p.fake.eventOf('payment_intent.succeeded', providerRef);
    const raw = JSON.stringify(event);
    const headers = { ...p.fake.sign(raw), 'content-type': 'application/json' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        p.shop.a.guest
          .at(p.shop.bases[i % 2] as string)
          .call('POST', plain, { raw: { content: raw, type: 'application/json' }, headers }),
      ),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set(['200 {"received":true}']));
    await p.shop.settled();
    expect(await p.shop.rows(`select 1 from core_inbound where event_id = $1`, [event.id])).toHaveLength(1);
    expect(callsOf(order.id)).toEqual(['settle captured 5000']);
    expect(
      (await p.events('payments.payment.captured')).filter((data) => (data.for as { id: string }).id === order.id),
    ).toHaveLength(1);
  });

  it('come to the same end in any order, repeated, beside the confirmation page (P13, B6, B7)', async () => {
    for (let round = 0; round < 4; round++) {
      const order = newOrder(9900);
      const { id, providerRef } = await p.started(order, 9900);
      const early = ['payment_intent.created', 'checkout.session.completed'].map((type) => p.fake.eventOf(type, providerRef));
      p.fake.pay(providerRef);
      const late = ['payment_intent.succeeded', 'charge.succeeded', 'payment_intent.amount_capturable_updated'].map((type) =>
        p.fake.eventOf(type, providerRef),
      );
      const all = [...early, ...late, ...early, ...late].sort(() => Math.random() - 0.5);
      await Promise.all([
        ...all.map((event) => p.send(event)),
        p.pay((service) => service.sync(id), 0),
        p.pay((service) => service.sync(id), 1),
      ]);
      await p.shop.settled();
      expect(await p.of(order)).toMatchObject([{ status: 'captured', capturedAmount: 9900, refundedAmount: 0 }]);
      expect(callsOf(order.id)).toEqual(['settle captured 9900']);
    }
    expect(p.fake.done(/capture$|refunds$/)).toEqual([]);
  });

  it('never move a state backwards', async () => {
    const thing = newThing();
    const { id, providerRef } = await p.paid(thing, 5000);
    // The provider's own view goes back, which it never should.
    p.fake.intentOf(providerRef).status = 'requires_payment_method';
    p.fake.intentOf(providerRef).received = 0;
    await p.tell(providerRef, 'payment_intent.payment_failed');
    await p.shop.settled();
    expect(await p.pay((service) => service.status(id))).toMatchObject({ status: 'captured', capturedAmount: 5000 });
    const history = await p.shop.rows<{ to_status: string }>(
      'select to_status from core_status_history where entity_id = $1 order by at, id',
      [id],
    );
    expect(history.map((row) => row.to_status)).toEqual(['created', 'requires_action', 'captured']);
  });

  it('put the order on hold when amount or currency differ', async () => {
    for (const change of [{ amount: 4999 }, { currency: 'eur' }, { received: 1 }]) {
      const order = newOrder(5000);
      const { providerRef } = await p.started(order, 5000);
      Object.assign(p.fake.pay(providerRef), change);
      await p.tell(providerRef);
      await p.tell(providerRef, 'charge.succeeded');
      await p.shop.settled();
      expect(await p.of(order)).toMatchObject([{ status: 'requires_action', capturedAmount: 0, error: 'payment_mismatch' }]);
      expect(callsOf(order.id)).toEqual(['hold payment_mismatch']);
    }
  });

  it('of money that nobody asked for are answered, kept and without effect', async () => {
    const event = p.fake.event('payment_intent.succeeded', {
      object: 'payment_intent',
      id: 'pi_of_somebody',
      metadata: { paymentId: uuidv7() },
    });
    expect((await p.send(event)).status).toBe(200);
    await p.shop.settled();
    expect(await p.shop.rows('select provider_ref, reason from payments_dead_letter where event_id = $1', [event.id])).toEqual([
      { provider_ref: 'pi_of_somebody', reason: 'unknown_payment' },
    ]);
  });

  it('of unknown types are answered and without effect', async () => {
    const event = p.fake.event('radar.early_fraud_warning.created', { object: 'radar', id: 'x' });
    expect((await p.send(event)).status).toBe(200);
    await p.shop.settled();
    expect(p.fake.calls).toEqual([]);
    expect(await p.shop.rows('select 1 from payments_dead_letter where event_id = $1', [event.id])).toEqual([]);
  });

  it('book what was given back in the provider’s own screens', async () => {
    const order = newOrder(5000);
    const { providerRef } = await p.paid(order, 5000);
    p.fake.refundThere(providerRef, 1200);
    await p.tell(providerRef, 'charge.refunded');
    await p.tell(providerRef, 'refund.updated');
    await p.shop.settled();
    expect(await p.of(order)).toMatchObject([{ refundedAmount: 1200 }]);
    expect(await p.refundsOf(order)).toMatchObject([{ status: 'succeeded', amount: ron(1200), reason: 'made_at_provider' }]);
    expect(callsOf(order.id).filter((call) => call === 'refundChanged')).toHaveLength(1);
  });
});

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
