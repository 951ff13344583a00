import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IntentRequest, type PaymentAdapter, type ProviderCall, ProviderError } from '../src/provider/adapter.ts';

/** A provider that stands in for the real one, as the suite drives it. */
export interface ProviderHarness {
  adapter: PaymentAdapter;
  call: ProviderCall;
  /** The buyer pays, or is declined. */
  pay(ref: string): void;
  decline(ref: string): void;
  /** Payments that the provider has, and refunds of one. */
  payments(): number;
  refunds(ref: string): number;
  /** The next call that writes is done, and its answer lost. */
  loseAnswer(): void;
  /** The next call gets a clear no; the provider is down for the next call. */
  refuse(): void;
  breakDown(): void;
  /** A notification of the payment, signed at an instant (seconds) by a secret. */
  notification(ref: string, signed: { at: number; secret: string }): { raw: Buffer; headers: IncomingHttpHeaders };
  /** One that the shop has no interest in. */
  unknownNotification(): string;
  account: string;
  secret: string;
  stop(): Promise<void>;
}

let counter = 0;
function intent(more: Partial<IntentRequest> = {}): IntentRequest {
  const paymentId = `0190b000-0000-7000-8000-${String(++counter).padStart(12, '0')}`;
  return {
    paymentId,
    tenantId: '0190a000-0000-7000-8000-000000000001',
    amount: 12_345,
    currency: 'RON',
    capture: 'auto',
    email: 'buyer@example.org',
    description: 'Order 1001',
    returnUrl: 'https://shop.example.org/back',
    expiresAt: null,
    locale: 'ro',
    saveInstrument: false,
    instrument: null,
    key: paymentId,
    ...more,
  };
}

/** What every adapter keeps, whatever its provider speaks. */
export function adapterConformance(name: string, make: () => Promise<ProviderHarness>): void {
  describe(`adapter of ${name}`, () => {
    let harness: ProviderHarness;
    let adapter: PaymentAdapter;
    let call: ProviderCall;
    beforeAll(async () => {
      harness = await make();
      ({ adapter, call } = harness);
    });
    afterAll(() => harness?.stop());
    const now = Math.floor(Date.UTC(2026, 10, 27) / 1000);
    const refusal = async (work: Promise<unknown>): Promise<ProviderError> => {
      const error = await work.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(ProviderError);
      return error as ProviderError;
    };

    it('opens an intent that waits for the buyer and names the payment', async () => {
      const request = intent();
      const made = await adapter.createIntent(call, request);
      expect(made).toMatchObject({
        status: 'requires_action',
        amount: 12_345,
        currency: 'RON',
        paymentId: request.paymentId,
        captured: 0,
      });
      expect(made.redirectUrl ?? made.clientSecret).toEqual(expect.any(String));
    });

    it('opens one intent a key', async () => {
      const before = harness.payments();
      const request = intent();
      const first = await adapter.createIntent(call, request);
      const second = await adapter.createIntent(call, request);
      expect(second.ref).toBe(first.ref);
      expect(harness.payments()).toBe(before + 1);
    });

    it('finds the intent again whose answer was lost', async () => {
      const before = harness.payments();
      const request = intent();
      harness.loseAnswer();
      expect((await refusal(adapter.createIntent(call, request))).kind).toBe('unavailable');
      expect((await adapter.createIntent(call, request)).paymentId).toBe(request.paymentId);
      expect(harness.payments()).toBe(before + 1);
    });

    it('tells a refusal from a provider that is away', async () => {
      harness.refuse();
      expect((await refusal(adapter.createIntent(call, intent()))).kind).toBe('refused');
      harness.breakDown();
      expect((await refusal(adapter.createIntent(call, intent()))).kind).toBe('unavailable');
    });

    it('captures by itself when the buyer pays', async () => {
      const { ref } = await adapter.createIntent(call, intent());
      harness.pay(ref);
      expect(await adapter.status(call, ref)).toMatchObject({ status: 'captured', authorized: 12_345, captured: 12_345 });
    });

    it('keeps the minor units of ISO 4217', async () => {
      for (const [currency, amount] of [
        ['JPY', 1127],
        ['KWD', 1250],
        ['ISK', 900],
        ['EUR', 1],
      ] as const) {
        const { ref } = await adapter.createIntent(call, intent({ currency, amount }));
        harness.pay(ref);
        expect(await adapter.status(call, ref)).toMatchObject({ currency, amount, captured: amount });
      }
    });

    it('reserves, then takes in parts, the last one the rest', async () => {
      const { ref } = await adapter.createIntent(call, intent({ capture: 'manual' }));
      harness.pay(ref);
      expect(await adapter.status(call, ref)).toMatchObject({ status: 'authorized', authorized: 12_345, captured: 0 });
      const part = { ref, currency: 'RON', amount: 5000, final: false, key: `${ref}:1` };
      expect(await adapter.capture(call, part)).toMatchObject({ status: 'partially_captured', captured: 5000 });
      expect(await adapter.capture(call, part)).toMatchObject({ captured: 5000 });
      const rest = { ref, currency: 'RON', amount: 7000, final: true, key: `${ref}:2` };
      expect(await adapter.capture(call, rest)).toMatchObject({ status: 'captured', captured: 12_000 });
    });

    it('lets go what is reserved, and what waits, and never what was taken', async () => {
      const reserved = await adapter.createIntent(call, intent({ capture: 'manual' }));
      harness.pay(reserved.ref);
      expect(await adapter.void(call, { ref: reserved.ref, key: `${reserved.ref}:void` })).toMatchObject({
        status: 'cancelled',
        captured: 0,
      });
      const waiting = await adapter.createIntent(call, intent());
      expect(['cancelled', 'expired']).toContain(
        (await adapter.void(call, { ref: waiting.ref, key: `${waiting.ref}:void` })).status,
      );
      expect(['cancelled', 'expired']).toContain(
        (await adapter.void(call, { ref: waiting.ref, key: `${waiting.ref}:void2` })).status,
      );
      const taken = await adapter.createIntent(call, intent());
      harness.pay(taken.ref);
      expect(await adapter.void(call, { ref: taken.ref, key: `${taken.ref}:void` })).toMatchObject({
        status: 'captured',
        captured: 12_345,
      });
    });

    it('refunds once a key and names the refund', async () => {
      const { ref } = await adapter.createIntent(call, intent());
      harness.pay(ref);
      const wish = { ref, amount: 2345, currency: 'RON', refundId: '0190c000-0000-7000-8000-000000000001', key: `${ref}:refund` };
      const made = await adapter.refund(call, wish);
      expect(made).toMatchObject({ refundId: wish.refundId, amount: 2345, status: 'succeeded' });
      expect((await adapter.refund(call, wish)).ref).toBe(made.ref);
      expect(harness.refunds(ref)).toBe(1);
      expect((await adapter.status(call, ref)).refunds).toEqual([made]);
      const more = { ...wish, amount: 10_001, refundId: '0190c000-0000-7000-8000-000000000002', key: `${ref}:refund2` };
      expect((await refusal(adapter.refund(call, more))).kind).toBe('refused');
    });

    describe('notifications', () => {
      let ref: string;
      beforeAll(async () => {
        ({ ref } = await adapter.createIntent(call, intent()));
      });
      const check = (at: number, secret: string, secrets: readonly string[], change?: (raw: Buffer) => Buffer): boolean => {
        const { raw, headers } = harness.notification(ref, { at, secret });
        return adapter.verifyWebhook({ raw: change ? change(raw) : raw, headers, now }, secrets);
      };

      it('accepts what one of two live secrets signed', () => {
        expect(check(now, harness.secret, [harness.secret])).toBe(true);
        expect(check(now, harness.secret, ['whsec_another', harness.secret])).toBe(true);
      });
      it('refuses other secrets, other bytes and no signature', () => {
        expect(check(now, 'whsec_wrong', [harness.secret])).toBe(false);
        expect(check(now, harness.secret, [])).toBe(false);
        expect(check(now, harness.secret, [harness.secret], (raw) => Buffer.concat([raw, Buffer.from(' ')]))).toBe(false);
        expect(adapter.verifyWebhook({ raw: Buffer.from('{}'), headers: {}, now }, [harness.secret])).toBe(false);
      });
      it('refuses what is older or younger than five minutes', () => {
        expect(check(now - 300, harness.secret, [harness.secret])).toBe(true);
        expect(check(now - 301, harness.secret, [harness.secret])).toBe(false);
        expect(check(now + 301, harness.secret, [harness.secret])).toBe(false);
      });
      it('reads account, event and payment', () => {
        const { raw } = harness.notification(ref, { at: now, secret: harness.secret });
        expect(adapter.accountOf(raw)).toBe(harness.account);
        expect(adapter.eventId(raw)).toEqual(expect.stringMatching(/.{4,}/));
        const news = adapter.normalise(raw.toString('utf8'));
        expect(news?.paymentRef ?? news?.paymentId).toEqual(expect.any(String));
      });
      it('has no interest in events that it does not know', () => {
        expect(adapter.normalise(harness.unknownNotification())).toBeUndefined();
      });
      it('reads no account in what is no event', () => {
        for (const text of ['', '[]', 'null', '{"account": 5}', '{', '\u0000'])
          expect(adapter.accountOf(Buffer.from(text))).toBeUndefined();
        for (const text of ['', '[]', '{}', '{"id": 5}']) expect(() => adapter.eventId(Buffer.from(text))).toThrow();
      });
      it('acknowledges with 2xx', () => {
        expect(adapter.acknowledge().status).toBeGreaterThanOrEqual(200);
        expect(adapter.acknowledge().status).toBeLessThan(300);
      });
    });
  });
}
