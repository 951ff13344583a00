import type { PaymentSubject } from '@storeloom/commerce';
import { uuidv7 } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newOrder, newThing, type PayShop, payShop, ron } from '../../test/pay-shop.ts';

let p: PayShop;
beforeAll(async () => {
  p = await payShop({ now: '2026-11-27T10:00:00Z' });
});
afterAll(() => p?.stop());
beforeEach(() => void (p.fake.calls.length = 0));

const minutes = (n: number): void => p.shop.clock.advance(n * 60_000);
const repairs = async (subject: PaymentSubject) =>
  (await p.events('payments.payment.repaired'))
    .filter((data) => (data.for as PaymentSubject).id === subject.id)
    .map((data) => data.repair);

describe('reconciliation job', () => {
  it('synchronises a payment without a notification', async () => {
    const order = newOrder(500);
    const { providerRef } = await p.started(order, 500);
    p.fake.pay(providerRef);
    await p.heal();
    expect((await p.of(order))[0]).toMatchObject({ status: 'requires_action' });
    minutes(2);
    await p.heal();
    await p.heal();
    expect((await p.of(order))[0]).toMatchObject({ status: 'captured' });
    expect(await repairs(order)).toEqual(['found_captured']);
  });

  it('polls older payments less often', async () => {
    const subject = newThing();
    const { providerRef } = await p.started(subject, 500);
    const asked = () => p.fake.calls.filter((call) => call.method === 'GET' && call.path.endsWith(providerRef)).length;
    for (let i = 0; i < 10; i++) {
      minutes(2);
      await p.heal();
    }
    const early = asked();
    expect(early).toBeGreaterThan(4);
    minutes(600);
    for (let i = 0; i < 10; i++) {
      minutes(2);
      await p.heal();
    }
    expect(asked() - early).toBeLessThanOrEqual(2);
  });

  it('opens a payment whose process ended before it called the provider', async () => {
    const subject = newThing();
    const { paymentId } = await p.pay((service) =>
      service.start({ for: subject, amount: ron(500), email: 'b@example.org', description: 'x', methodCode: 'transfer' }),
    );
    const [card] = await p.shop.rows<{ id: string }>(
      `select id from payments_payment_method where tenant_id = $1 and code = 'card'`,
      [p.shop.a.id],
    );
    await p.shop.rows(
      `update payments_payment set provider = 'payment-a', method_code = 'card', method_id = $2, expires_at = $3 where id = $1`,
      [paymentId, card?.id, new Date(p.shop.clock.ms() + 900_000).toISOString()],
    );
    await p.heal();
    expect((await p.of(subject))[0]).toMatchObject({ status: 'created' });
    minutes(2);
    await p.heal();
    expect((await p.of(subject))[0]).toMatchObject({ status: 'requires_action' });
    expect(await repairs(subject)).toEqual(['opened']);
  });

  it('releases an expired payment of another plugin, unless it was paid in the last minute', async () => {
    const over = newThing();
    const paid = newThing();
    const expiresAt = new Date(p.shop.clock.ms() + 10 * 60_000).toISOString();
    for (const subject of [over, paid])
      await p.pay((service) =>
        service.start({ for: subject, amount: ron(500), email: 'b@example.org', description: 'x', expiresAt }),
      );
    const ref = (await p.of(over))[0]?.providerRef as string;
    p.fake.pay((await p.of(paid))[0]?.providerRef as string);
    minutes(11);
    await p.heal();
    expect((await p.of(over))[0]).toMatchObject({ status: 'expired' });
    expect(p.fake.sessions.get(ref)?.status).toBe('expired');
    expect((await p.of(paid))[0]).toMatchObject({ status: 'captured', refundedAmount: 0 });
  });

  it('refunds a payment of a cancelled order, and the second of two payments', async () => {
    const cancelled = newOrder(500);
    await p.paid(cancelled, 500);
    cancelled.status = 'cancelled';
    const twice = newOrder(500);
    await p.paid(twice, 500);
    const second = await p.started({ type: 'test.thing', id: twice.id }, 500);
    p.fake.pay(second.providerRef);
    minutes(1);
    await p.pay((service) => service.sync(second.id));
    await p.shop.rows(`update payments_payment set for_type = 'orders.order' where id = $1`, [second.id]);
    for (let i = 0; i < 3; i++) await p.heal();
    expect((await p.of(cancelled))[0]).toMatchObject({ refundedAmount: 500, error: 'late_payment' });
    expect(await p.of(twice)).toMatchObject([
      { refundedAmount: 0, givenBack: false },
      { id: second.id, refundedAmount: 500, error: 'duplicate_payment' },
    ]);
    expect(await repairs(cancelled)).toEqual(['late_payment_refunded']);
    expect(p.fake.done(/refunds$/)).toHaveLength(2);
  });

  it('enqueues lost refund, capture and void jobs again', async () => {
    const subject = newThing();
    const { id, providerRef } = await p.paid(subject, 500);
    await p.shop.rows(
      `insert into payments_refund (tenant_id, id, payment_id, amount_amount, amount_currency, status, reason, method, key, attempts, created_at, updated_at)
       values ($1, $2, $3, 100, 'RON', 'pending', 'x', 'original', 'lost', 0, $4, $4)`,
      [p.shop.a.id, uuidv7(), id, p.shop.clock.now()],
    );
    const waiting = newThing();
    const left = await p.started(waiting, 500);
    await p.shop.rows(`update payments_payment set status = 'cancelled', voiding = true where id = $1`, [left.id]);
    minutes(6);
    await p.heal();
    await p.heal();
    expect((await p.refundsOf(subject))[0]).toMatchObject({ status: 'succeeded' });
    expect(p.fake.intentOf(providerRef).refunds).toHaveLength(1);
    expect(p.fake.sessions.get(left.providerRef)?.status).toBe('expired');
  });

  it('continues if one payment can’t be reconciled', async () => {
    const bad = newThing();
    const good = newThing();
    const first = await p.started(bad, 500);
    const second = await p.started(good, 500);
    p.fake.sessions.delete(first.providerRef);
    p.fake.pay(second.providerRef);
    minutes(3);
    await p.heal();
    expect((await p.of(good))[0]).toMatchObject({ status: 'captured' });
    expect((await p.of(bad))[0]).toMatchObject({ status: 'requires_action' });
  });

  /** Copies a payment with other subjects and references. */
  const copies = (id: string, count: number, more: string) =>
    p.shop.rows(
      `insert into payments_payment select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(), 'for_id', gen_random_uuid(),
        'provider_ref', 'copy_' || n) || ${more})).* from payments_payment r, generate_series(1, $2::int) n where r.id = $1`,
      [id, count],
    );
  const forget = () => p.shop.rows(`delete from payments_payment where provider_ref like 'copy!_%' escape '!'`);

  it('continues with other payments if a whole batch can’t be synchronised', async () => {
    const good = newThing();
    const { id, providerRef } = await p.started(good, 500);
    await copies(id, 55, `'{"checked_at": null}'`);
    p.fake.pay(providerRef);
    minutes(3);
    await p.heal();
    await p.heal();
    expect((await p.of(good))[0]).toMatchObject({ status: 'captured' });
    await forget();
  });

  it('refunds an order cancelled later, regardless of the number of newer payments', async () => {
    const order = newOrder(500);
    const { id } = await p.paid(order, 500);
    await copies(id, 230, `jsonb_build_object('captured_at', r.captured_at + interval '1 second')`);
    await p.heal();
    order.status = 'cancelled';
    minutes(5);
    await p.heal();
    await p.heal();
    expect((await p.of(order))[0]).toMatchObject({ refundedAmount: 500, error: 'late_payment' });
    await forget();
  });

  it('runs every minute for every tenant', () => {
    const job = p.shop.kernel.contributions.jobs.find(({ plugin, name }) => plugin === 'payments' && name === 'heal');
    expect(job?.job).toMatchObject({ cron: '* * * * *', perTenant: true });
  });
});
