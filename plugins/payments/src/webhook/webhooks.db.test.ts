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
