import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newThing, type PayShop, payShop, ron } from '../../test/pay-shop.ts';
import { queued } from '../queued.ts';

let p: PayShop;
beforeAll(async () => {
  p = await payShop({ processes: 2, workers: true });
});
afterAll(() => p?.stop());
beforeEach(() => void (p.fake.calls.length = 0));

const opened = () => p.fake.done(/checkout\/sessions$|payment_intents$/);

describe('start', () => {
  it('starts a payment by the first enabled online method', async () => {
    const subject = newThing();
    const response = await p.pay((service) =>
      service.start({
        for: subject,
        amount: ron(5000),
        email: 'buyer@example.org',
        description: 'Two tickets',
        returnUrl: 'https://a.localhost/back',
      }),
    );
    expect(response).toEqual({
      paymentId: expect.any(String),
      status: 'requires_action',
      url: expect.stringContaining('/pay/cs_'),
    });
    const [view] = await p.of(subject);
    expect(view).toMatchObject({
      id: response.paymentId,
      for: subject,
      methodCode: 'card',
      amount: ron(5000),
      capturedAmount: 0,
      error: null,
    });
    expect(opened()).toMatchObject([
      { key: response.paymentId, form: { 'metadata[paymentId]': response.paymentId, 'metadata[tenantId]': p.shop.a.id } },
    ]);
  });

  it('reuses a pending payment, and creates another one for another amount', async () => {
    const subject = newThing();
    const start = (amount: number) =>
      p.pay((service) => service.start({ for: subject, amount: ron(amount), email: 'b@example.org', description: 'x' }));
    const first = await start(100);
    expect(await start(100)).toEqual(first);
    expect(opened()).toHaveLength(1);
    const other = await start(200);
    expect(other.paymentId).not.toBe(first.paymentId);
    await p.shop.settled();
    const [old, present] = await p.of(subject);
    expect(old).toMatchObject({ status: 'cancelled', redirectUrl: null });
    expect(present).toMatchObject({ status: 'requires_action', amount: ron(200) });
    expect(p.fake.sessions.get(old?.providerRef ?? '')?.status).toBe('expired');
  });

  it('starts a new payment if the hosted page has expired', async () => {
    const subject = newThing();
    const start = () =>
      p.pay((service) => service.start({ for: subject, amount: ron(100), email: 'b@example.org', description: 'x' }));
    const first = await start();
    p.fake.expire((await p.of(subject))[0]?.providerRef as string);
    const second = await start();
    expect(second).toMatchObject({ status: 'requires_action', url: expect.any(String) });
    expect(second.paymentId).not.toBe(first.paymentId);
    expect((await p.of(subject)).map((view) => view.status)).toEqual(['expired', 'requires_action']);
    // Paid meanwhile: the result shows it, and no new payment is started.
    p.fake.pay((await p.of(subject))[1]?.providerRef as string);
    expect(await start()).toEqual({ paymentId: second.paymentId, status: 'captured', url: null });
  });

  it.each([
    'javascript:alert(1)',
    'shop/back',
    'https://',
    'https://evil.test/back',
    'https://a.test.evil.test/',
    'https://a.test@evil.test/',
  ])('refuses to send the buyer to %s', async (returnUrl) => {
    const start = p.pay((service) =>
      service.start({ for: newThing(), amount: ron(1), email: 'b@example.org', description: 'x', returnUrl }),
    );
    await expect(start).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('creates one payment for concurrent calls in two processes, and calls the provider once', async () => {
    const subject = newThing();
    p.fake.fault({ path: '/v1/checkout', method: 'POST', delay: 400 });
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        p.pay((service) => service.start({ for: subject, amount: ron(700), email: 'b@example.org', description: 'x' }), i % 2),
      ),
    );
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
    expect(await p.of(subject)).toHaveLength(1);
    expect(opened()).toHaveLength(1);
  });

  it('is refused inside a transaction', async () => {
    const start = p.inTx((service) =>
      service.start({ for: newThing(), amount: ron(1), email: 'b@example.org', description: 'x' }),
    );
    await expect(start).rejects.toThrow(/inside a transaction/);
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses the amount %s', async (amount) => {
    const start = p.pay((service) =>
      service.start({ for: newThing(), amount: ron(amount), email: 'b@example.org', description: 'x' }),
    );
    await expect(start).rejects.toMatchObject({ code: 'money_invalid' });
  });

  it('refuses a disabled or unknown method', async () => {
    const start = p.pay((service) =>
      service.start({ for: newThing(), amount: ron(1), email: 'b@example.org', description: 'x', methodCode: 'nope' }),
    );
    await expect(start).rejects.toMatchObject({ code: 'payment_method_unavailable' });
  });

  it('responds 501 without an online method', async () => {
    const start = p.shop.b.run(
      'payments',
      async (ctx) => {
        const { payments } = await import('@storeloom/commerce');
        return ctx.require(payments).start({ for: newThing(), amount: ron(1), email: 'b@example.org', description: 'x' });
      },
      { transaction: 'none' },
    );
    await expect(start).rejects.toMatchObject({ code: 'provider_not_configured', extra: { provider: 'payments' } });
  });

  it('starts an offline method without a provider call', async () => {
    const subject = newThing();
    const response = await p.pay((service) =>
      service.start({ for: subject, amount: ron(900), email: 'b@example.org', description: 'x', methodCode: 'transfer' }),
    );
    expect(response).toMatchObject({ status: 'created', url: null });
    expect(p.fake.calls).toEqual([]);
  });
});

describe('startProvider', () => {
  it('calls the provider once for concurrent callers in several processes, with the same result', async () => {
    const subject = newThing();
    // Created as by placing, not started.
    const { id } = await p.inTx((service) =>
      service.attempt({ orderId: subject.id, methodCode: 'card', amount: ron(4200), returnUrl: null }),
    );
    p.fake.fault({ path: '/v1/checkout', method: 'POST', delay: 600 });
    const views = await Promise.all(Array.from({ length: 10 }, (_, i) => p.pay((service) => service.startProvider(id), i % 2)));
    expect(new Set(views.map((view) => JSON.stringify(view))).size).toBe(1);
    expect(views[0]).toMatchObject({ status: 'requires_action', redirectUrl: expect.any(String) });
    expect(opened().map((call) => call.key)).toEqual([id]);
    expect(p.fake.calls.filter((call) => call.method === 'POST')).toHaveLength(1);
    expect((await p.pay((service) => service.startProvider(id))).redirectUrl).toBe(views[0]?.redirectUrl);
    expect(p.fake.calls.filter((call) => call.method === 'POST')).toHaveLength(1);
  });

  it('fails the payment for all concurrent callers if the provider refuses', async () => {
    const { id } = await p.inTx((service) =>
      service.attempt({ orderId: newThing().id, methodCode: 'card', amount: ron(100), returnUrl: null }),
    );
    p.fake.fault({ path: '/v1/checkout', status: 400, delay: 300, body: { error: { code: 'amount_too_small' } } });
    const views = await Promise.all([0, 1, 0, 1].map((process) => p.pay((service) => service.startProvider(id), process)));
    for (const view of views) expect(view).toMatchObject({ status: 'failed', error: 'amount_too_small', redirectUrl: null });
    expect(await p.events('payments.payment.failed')).toEqual(
      expect.arrayContaining([expect.objectContaining({ id, error: 'amount_too_small' })]),
    );
  });

  it('takes over the claim of a dead process', async () => {
    const { id } = await p.inTx((service) =>
      service.attempt({ orderId: newThing().id, methodCode: 'card', amount: ron(100), returnUrl: null }),
    );
    await p.shop.rows(`update payments_payment set claimed_at = now() - interval '31 seconds' where id = $1`, [id]);
    expect(await p.pay((service) => service.startProvider(id))).toMatchObject({ status: 'requires_action' });
  });

  it('never assigns one intent to two payments (B8)', async () => {
    const first = await p.started(newThing(), 100);
    const { id } = await p.inTx((service) =>
      service.attempt({ orderId: newThing().id, methodCode: 'card', amount: ron(100), returnUrl: null }),
    );
    const session = {
      object: 'checkout.session',
      id: first.providerRef,
      status: 'open',
      amount_total: 100,
      currency: 'ron',
      url: 'https://x.example',
      payment_intent: null,
      metadata: { paymentId: id },
    };
    p.fake.fault({ path: '/v1/checkout', method: 'POST', status: 200, body: session });
    expect(await p.pay((service) => service.startProvider(id))).toMatchObject({
      status: 'failed',
      error: 'duplicate_reference',
      providerRef: null,
    });
  });

  it('recovers from a lost response, and voids the intent', async () => {
    const subject = newThing();
    p.fake.fault({ path: '/v1/checkout', method: 'POST', cut: true });
    const start = await p.pay((service) =>
      service.start({ for: subject, amount: ron(300), email: 'b@example.org', description: 'x' }),
    );
    expect(start).toMatchObject({ status: 'failed', url: null });
    // The next attempt is a new payment while the lost one is recovered.
    const again = await p.pay((service) =>
      service.start({ for: subject, amount: ron(300), email: 'b@example.org', description: 'x' }),
    );
    expect(again.status).toBe('requires_action');
    await p.shop.a.run('payments', (ctx) => ctx.enqueue(queued.recover, { paymentId: start.paymentId }));
    await p.shop.settled();
    const lost = (await p.of(subject)).find((view) => view.id === start.paymentId);
    expect(lost).toMatchObject({ status: 'failed', providerRef: expect.any(String) });
    expect(p.fake.sessions.get(lost?.providerRef ?? '')?.status).toBe('expired');
    expect(p.fake.done(/checkout\/sessions$/)).toHaveLength(2);
  });

  it('records a lost payment if the provider refuses to return its state', async () => {
    const subject = newThing();
    p.fake.fault({ path: '/v1/checkout', method: 'POST', cut: true });
    const start = await p.pay((service) =>
      service.start({ for: subject, amount: ron(300), email: 'b@example.org', description: 'x' }),
    );
    await p.shop.rows('update payments_payment set voiding = true where id = $1', [start.paymentId]);
    const body = { error: { type: 'invalid_request_error', code: 'account_closed', message: 'no' } };
    p.fake.fault({ path: '/v1/checkout', method: 'POST', status: 400, body });
    await p.shop.a.run('payments', (ctx) => ctx.enqueue(queued.recover, { paymentId: start.paymentId }));
    await p.shop.settled();
    expect(await p.shop.rows('select voiding from payments_payment where id = $1', [start.paymentId])).toEqual([
      { voiding: false },
    ]);
    const audit = await p.shop.rows<{ changes: unknown }>(
      `select changes from core_audit where entity_id = $1 and action = 'payments.payment.lost'`,
      [start.paymentId],
    );
    expect(audit).toHaveLength(1);
    expect(JSON.stringify(audit[0]?.changes)).toContain('account_closed');
  });

  it('keeps money that was captured by a lost call (B6)', async () => {
    const subject = newThing();
    const created = await p.pay((service) =>
      service.start({
        for: subject,
        amount: ron(300),
        email: 'b@example.org',
        description: 'x',
        customerId: subject.id,
        saveInstrument: true,
        methodCode: 'embedded',
      }),
    );
    const ref = (await p.of(subject))[0]?.providerRef ?? '';
    p.fake.pay(ref);
    await p.pay((service) => service.sync(created.paymentId));
    const [kept] = await p.pay((service) => service.instruments(subject.id));
    expect(kept).toEqual({ id: expect.any(String), methodCode: 'embedded', brand: 'visa', last4: '4242', expiry: '2031-04' });
    // A renewal charges the instrument; only the response is lost.
    const renewal = newThing();
    p.fake.fault({ path: '/v1/payment_intents', method: 'POST', cut: true });
    const lost = await p.pay((service) =>
      service.start({
        for: renewal,
        amount: ron(300),
        email: 'b@example.org',
        description: 'x',
        methodCode: 'embedded',
        customerId: subject.id,
        instrumentId: kept?.id ?? '',
      }),
    );
    expect(lost.status).toBe('failed');
    await p.shop.a.run('payments', (ctx) => ctx.enqueue(queued.recover, { paymentId: lost.paymentId }));
    await p.shop.settled();
    expect(await p.of(renewal)).toMatchObject([{ status: 'captured', capturedAmount: 300 }]);
    expect(p.fake.done(/payment_intents$/)).toHaveLength(2);
  });

  it('refuses an instrument of another customer', async () => {
    const rows = await p.shop.rows<{ id: string }>('select id from payments_instrument limit 1');
    const start = p.pay((service) =>
      service.start({
        for: newThing(),
        amount: ron(1),
        email: 'b@example.org',
        description: 'x',
        methodCode: 'embedded',
        customerId: newThing().id,
        instrumentId: rows[0]?.id ?? '',
      }),
    );
    await expect(start).rejects.toMatchObject({ code: 'not_found' });
  });

  it('reports a declined instrument as failed', async () => {
    const [row] = await p.shop.rows<{ id: string; customer_id: string }>(
      'select id, customer_id from payments_instrument limit 1',
    );
    p.fake.instrumentOutcome = 'declines';
    const response = await p.pay((service) =>
      service.start({
        for: newThing(),
        amount: ron(1),
        email: 'b@example.org',
        description: 'x',
        methodCode: 'embedded',
        customerId: row?.customer_id ?? '',
        instrumentId: row?.id ?? '',
      }),
    );
    p.fake.instrumentOutcome = 'succeeds';
    expect(response.status).toBe('failed');
    expect(await p.pay((service) => service.status(response.paymentId))).toMatchObject({ error: 'insufficient_funds' });
  });
});
