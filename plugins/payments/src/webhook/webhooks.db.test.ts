import { uuidv7 } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callsOf, newOrder, newThing, type PayShop, payShop, ron } from '../../test/pay-shop.ts';

let p: PayShop;
beforeAll(async () => {
  p = await payShop({ processes: 2 });
});
afterAll(() => p?.stop());
beforeEach(() => void (p.fake.calls.length = 0));

const plain = '/api/webhooks/payment-a';

describe('notifications of payment-a', () => {
  it('are acknowledged immediately and apply the state read from the provider', async () => {
    const subject = newThing();
    const { id, providerRef } = await p.started(subject, 5000);
    p.fake.pay(providerRef);
    // The event only identifies the payment.
    expect(await p.send(p.fake.eventOf('payment_intent.processing', providerRef))).toEqual({
      status: 200,
      body: { received: true },
    });
    await p.shop.settled();
    expect(await p.of(subject)).toMatchObject([
      { id, status: 'captured', capturedAmount: 5000, authorizedAmount: 5000, redirectUrl: null, clientSecret: null },
    ]);
    expect(await p.events('payments.payment.captured')).toContainEqual(
      expect.objectContaining({ id, for: subject, amount: ron(5000), capturedAmount: 5000, late: false }),
    );
  });

  it('are not trusted: an event with a false state changes nothing', async () => {
    const subject = newThing();
    const { providerRef } = await p.started(subject, 5000);
    const lie = { ...p.fake.eventOf('payment_intent.succeeded', providerRef), amount_received: 5000, status: 'succeeded' };
    expect((await p.send(lie)).status).toBe(200);
    await p.shop.settled();
    expect(await p.of(subject)).toMatchObject([{ status: 'requires_action', capturedAmount: 0 }]);
  });

  it('have one effect when repeated concurrently in two processes', async () => {
    const order = newOrder(5000);
    const { providerRef } = await p.started(order, 5000);
    p.fake.pay(providerRef);
    const event = p.fake.eventOf('payment_intent.succeeded', providerRef);
    const raw = JSON.stringify(event);
    const headers = { ...p.fake.sign(raw), 'content-type': 'application/json' };
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        p.shop.a.guest
          .at(p.shop.bases[i % 2] as string)
          .call('POST', plain, { raw: { content: raw, type: 'application/json' }, headers }),
      ),
    );
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set(['200 {"received":true}']));
    await p.shop.settled();
    expect(await p.shop.rows(`select 1 from core_inbound where event_id = $1`, [event.id])).toHaveLength(1);
    expect(callsOf(order.id)).toEqual(['settle captured 5000']);
    expect(
      (await p.events('payments.payment.captured')).filter((data) => (data.for as { id: string }).id === order.id),
    ).toHaveLength(1);
  });

  it('have the same result in any order, repeated, concurrent with the confirmation page (P13, B6, B7)', async () => {
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

  it('never return to an earlier state', async () => {
    const subject = newThing();
    const { id, providerRef } = await p.paid(subject, 5000);
    // The provider reports an earlier state, which it never should.
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

  it('put the order on hold if amount or currency differ', async () => {
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

  it('about unknown payments are acknowledged and stored without effect', async () => {
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

  it('of unknown types are acknowledged without effect', async () => {
    const event = p.fake.event('radar.early_fraud_warning.created', { object: 'radar', id: 'x' });
    expect((await p.send(event)).status).toBe(200);
    await p.shop.settled();
    expect(p.fake.calls).toEqual([]);
    expect(await p.shop.rows('select 1 from payments_dead_letter where event_id = $1', [event.id])).toEqual([]);
  });

  it('record refunds created at the provider', async () => {
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
