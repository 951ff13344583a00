import type { RefundView } from '@storeloom/commerce';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newThing, type PayShop, payShop, ron } from '../../test/pay-shop.ts';

let p: PayShop;
beforeAll(async () => {
  p = await payShop({ processes: 2 });
});
afterAll(() => p?.stop());
beforeEach(() => void (p.fake.calls.length = 0));

const refund = (paymentId: string, amount: number, key: string, process = 0): Promise<RefundView> =>
  p.pay((service) => service.refund({ paymentId, amount: ron(amount), reason: 'changed my mind', key }), process);
const exceeds = (refundable: number) => ({ code: 'refund_exceeds_captured', extra: { refundable } });
const created = () => p.fake.done(/refunds$/);

describe('refunds', () => {
  it('are pending first, sent after the commit, and counted when the provider confirms them', async () => {
    const subject = newThing();
    const { id, providerRef } = await p.paid(subject, 10_000);
    const view = await refund(id, 2500, 'a');
    expect(view).toMatchObject({
      paymentId: id,
      amount: ron(2500),
      status: 'pending',
      reason: 'changed my mind',
      method: 'original',
    });
    await p.shop.settled();
    expect(await p.refundsOf(subject)).toMatchObject([
      { id: view.id, status: 'succeeded', providerRef: expect.stringMatching(/^re_/) },
    ]);
    expect(await p.of(subject)).toMatchObject([{ capturedAmount: 10_000, refundedAmount: 2500, status: 'captured' }]);
    expect(p.fake.intentOf(providerRef).refunds).toMatchObject([{ amount: 2500, metadata: { refundId: view.id } }]);
    expect(created()).toMatchObject([{ key: `${id}:refund:${view.id}` }]);
    expect(await p.events('payments.refund.succeeded')).toContainEqual({
      id: view.id,
      paymentId: id,
      for: subject,
      amount: ron(2500),
      method: 'original',
      reason: 'changed my mind',
    });
    const audit = await p.shop.rows<{ action: string; changes: { extra?: unknown } }>(
      'select action, changes from core_audit where entity_id = $1',
      [view.id],
    );
    expect(audit).toMatchObject([{ action: 'payments.payment.refund' }]);
    expect(JSON.stringify(audit)).toContain('2500');
  });

  it('never exceed the captured amount, also under concurrent requests in two processes (P9, B15)', async () => {
    for (let round = 0; round < 3; round++) {
      const subject = newThing();
      const { id, providerRef } = await p.paid(subject, 10_000);
      const asked = await Promise.allSettled(Array.from({ length: 24 }, (_, i) => refund(id, 1500, `r${i}`, i % 2)));
      const done = asked.filter((one) => one.status === 'fulfilled');
      expect(done).toHaveLength(6);
      for (const one of asked) if (one.status === 'rejected') expect(one.reason).toMatchObject(exceeds(1000));
      await p.shop.settled();
      expect(p.fake.intentOf(providerRef).refunds.reduce((sum, one) => sum + one.amount, 0)).toBe(9000);
      expect(await p.of(subject)).toMatchObject([{ refundedAmount: 9000 }]);
    }
  });

  it('can be repeated up to the last cent, and no further (B11, B12)', async () => {
    const subject = newThing();
    // 87.96 was paid: amounts are never compared as floating-point numbers.
    const { id } = await p.paid(subject, 8796);
    for (const [i, amount] of [2932, 2932, 2931, 1].entries()) await refund(id, amount, `part${i}`);
    await expect(refund(id, 1, 'more')).rejects.toMatchObject(exceeds(0));
    await p.shop.settled();
    expect(await p.of(subject)).toMatchObject([{ refundedAmount: 8796 }]);
    expect((await p.refundsOf(subject)).map((one) => one.status)).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded']);
  });

  it('are idempotent by key, also concurrently', async () => {
    const subject = newThing();
    const { id } = await p.paid(subject, 10_000);
    const views = await Promise.all(Array.from({ length: 10 }, (_, i) => refund(id, 700, 'same', i % 2)));
    expect(new Set(views.map((view) => view.id)).size).toBe(1);
    await p.shop.settled();
    expect(await refund(id, 700, 'same')).toMatchObject({ id: views[0]?.id, status: 'succeeded' });
    expect(created()).toHaveLength(1);
    await expect(refund(id, 701, 'same')).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  it.each([
    [ron(0), 'money_invalid'],
    [ron(-5), 'money_invalid'],
    [ron(0.5), 'money_invalid'],
    [{ amount: 5, currency: 'EUR' }, 'currency_mismatch'],
  ])('refuse %j', async (amount, code) => {
    const { id } = await p.paid(newThing(), 100);
    const callProvider = p.pay((service) => service.refund({ paymentId: id, amount, reason: 'x', key: 'k' }));
    await expect(callProvider).rejects.toMatchObject({ code });
  });

  it('of uncaptured payments, or of another tenant, are refused', async () => {
    const { id } = await p.started(newThing(), 100);
    await expect(refund(id, 1, 'k')).rejects.toMatchObject(exceeds(0));
    const { payments } = await import('@storeloom/commerce');
    const foreign = p.shop.b.run('payments', (ctx) =>
      ctx.require(payments).refund({ paymentId: id, amount: ron(1), reason: 'x', key: 'k' }),
    );
    await expect(foreign).rejects.toMatchObject({ code: 'not_found' });
  });

  it('refused by the provider release their reservation', async () => {
    const subject = newThing();
    const { id } = await p.paid(subject, 1000);
    p.fake.fault({ path: '/v1/refunds', status: 400, body: { error: { code: 'charge_disputed' } } });
    const view = await refund(id, 1000, 'k');
    await p.shop.settled();
    expect(await p.refundsOf(subject)).toMatchObject([{ id: view.id, status: 'failed' }]);
    expect(await p.events('payments.refund.failed')).toContainEqual(
      expect.objectContaining({ id: view.id, for: subject, error: 'charge_disputed' }),
    );
    await refund(id, 1000, 'k2');
    await p.shop.settled();
    expect(await p.of(subject)).toMatchObject([{ refundedAmount: 1000 }]);
  });

  it('with a lost response are not sent again', async () => {
    const subject = newThing();
    const { id, providerRef } = await p.paid(subject, 1000);
    p.fake.fault({ path: '/v1/refunds', cut: true });
    const view = await refund(id, 400, 'k');
    await expect.poll(async () => (await p.refundsOf(subject))[0]?.status).toBe('succeeded');
    expect(await p.refundsOf(subject)).toMatchObject([{ id: view.id }]);
    expect(p.fake.intentOf(providerRef).refunds).toHaveLength(1);
    expect(await p.of(subject)).toMatchObject([{ refundedAmount: 400 }]);
  });

  it('settled later by the bank are completed by notification', async () => {
    const subject = newThing();
    const { id, providerRef } = await p.paid(subject, 1000);
    p.fake.refundBegins = 'pending';
    const first = await refund(id, 300, 'k1');
    const second = await refund(id, 200, 'k2');
    await p.shop.settled();
    p.fake.refundBegins = 'succeeded';
    expect((await p.refundsOf(subject)).map((one) => one.status)).toEqual(['pending', 'pending']);
    await expect(refund(id, 501, 'k3')).rejects.toMatchObject(exceeds(500));
    const [one, two] = p.fake.intentOf(providerRef).refunds;
    const endOf = (refundId: string) => ([one, two].find((each) => each?.metadata.refundId === refundId) as { id: string }).id;
    p.fake.endRefund(endOf(first.id), 'succeeded');
    p.fake.endRefund(endOf(second.id), 'failed');
    for (let i = 0; i < 3; i++) await p.tell(providerRef, 'refund.updated');
    await p.shop.settled();
    const ends = new Map((await p.refundsOf(subject)).map((each) => [each.id, each.status]));
    expect([ends.get(first.id), ends.get(second.id)]).toEqual(['succeeded', 'failed']);
    expect(await p.of(subject)).toMatchObject([{ refundedAmount: 300 }]);
  });

  describe('of an offline payment', () => {
    const transfer = async (amount: number) => {
      const subject = newThing();
      const { paymentId } = await p.pay((service) =>
        service.start({ for: subject, amount: ron(amount), email: 'b@example.org', description: 'x', methodCode: 'transfer' }),
      );
      return { subject, paymentId };
    };
    const paidTransfer = async (amount: number) => {
      const started = await transfer(amount);
      const paid = await p.shop.a.admin.post(`/api/admin/payments/${started.paymentId}/mark-paid`, { reference: 'OP 77' });
      expect(paid).toMatchObject({ status: 200, body: { status: 'captured', capturedAmount: ron(amount) } });
      return started;
    };
    const act = (id: string, action: 'mark-paid' | 'cancel', body: object = {}, process = 0) =>
      p.shop.a.admin
        .at(p.shop.bases[process] as string)
        .post<Record<string, unknown>>(`/api/admin/payments/refunds/${id}/${action}`, body);

    it('are pending until staff confirm the transfer', async () => {
      const unpaid = await transfer(900);
      await expect(refund(unpaid.paymentId, 900, 'k')).rejects.toMatchObject(exceeds(0));
      const { subject, paymentId } = await paidTransfer(900);
      const { id, status } = await refund(paymentId, 300, 'k');
      expect(status).toBe('pending');
      p.shop.clock.advance(3_600_000);
      await p.heal();
      expect(await p.of(subject)).toMatchObject([{ refundedAmount: 0 }]);
      await expect(refund(paymentId, 601, 'k2')).rejects.toMatchObject(exceeds(600));
      const open = await p.shop.a.admin.get<{ data: unknown[] }>(
        '/api/admin/payments/refunds?status=pending&provider=bank_transfer',
      );
      expect(open.body.data).toEqual([expect.objectContaining({ id, paymentId, for: subject, amount: ron(300) })]);
      const confirmed = await Promise.all([0, 1, 0, 1].map((process) => act(id, 'mark-paid', { reference: 'OP 78' }, process)));
      for (const { status: code, body } of confirmed)
        expect([code, body]).toMatchObject([200, { status: 'succeeded', providerRef: 'OP 78' }]);
      expect(await p.of(subject)).toMatchObject([{ refundedAmount: 300 }]);
      expect((await p.events('payments.refund.succeeded')).filter((event) => event.id === id)).toHaveLength(1);
      expect((await act(id, 'cancel', { reason: 'x' })).body).toMatchObject({ status: 409, code: 'invalid_transition' });
      expect(created()).toEqual([]);
    });

    it('release their reservation when staff cancel them', async () => {
      const { subject, paymentId } = await paidTransfer(500);
      const { id } = await refund(paymentId, 500, 'k');
      expect((await act(id, 'cancel', { reason: 'account closed' })).body).toMatchObject({
        status: 'cancelled',
        error: 'account closed',
      });
      expect((await act(id, 'mark-paid')).body).toMatchObject({ status: 409, code: 'invalid_transition', from: 'cancelled' });
      expect(await refund(paymentId, 500, 'k2')).toMatchObject({ status: 'pending' });
      expect(await p.of(subject)).toMatchObject([{ refundedAmount: 0 }]);
    });

    it('are confirmed only for offline payments of the shop, with the permission', async () => {
      const { paymentId } = await paidTransfer(100);
      const { id } = await refund(paymentId, 100, 'k');
      expect((await p.shop.b.admin.post(`/api/admin/payments/refunds/${id}/mark-paid`, {})).status).toBe(404);
      expect((await p.shop.b.admin.get<{ data: unknown[] }>('/api/admin/payments/refunds')).body.data).toEqual([]);
      const clerk = await p.shop.a.staff(['payments.refund.read']);
      for (const action of ['mark-paid', 'cancel'])
        expect((await clerk.post(`/api/admin/payments/refunds/${id}/${action}`, { reason: 'x' })).status).toBe(403);
      const card = await p.paid(newThing(), 100);
      p.fake.refundBegins = 'pending';
      const online = await refund(card.id, 100, 'k');
      await p.shop.settled();
      p.fake.refundBegins = 'succeeded';
      expect((await act(online.id, 'mark-paid')).body).toMatchObject({ status: 409, code: 'invalid_transition' });
    });
  });
});

describe('mark-paid', () => {
  it('requires an offline payment and the permission', async () => {
    const { id } = await p.started(newThing(), 100);
    expect(await p.shop.a.admin.post(`/api/admin/payments/${id}/mark-paid`, {})).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition' },
    });
    expect((await p.shop.b.admin.post(`/api/admin/payments/${id}/mark-paid`, {})).status).toBe(404);
    const clerk = await p.shop.a.staff(['payments.payment-method.read']);
    expect((await clerk.post(`/api/admin/payments/${id}/mark-paid`, {})).status).toBe(403);
  });
});
