import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IntentRequest, type PaymentAdapter, type ProviderCall, ProviderError } from '../src/provider/adapter.ts';

/** Controls of a fake provider for the suite. */
export interface ProviderHarness {
  adapter: PaymentAdapter;
  call: ProviderCall;
  /** The buyer pays, or the card is declined. */
  pay(ref: string): void;
  decline(ref: string): void;
  /** Payments at the provider, and refunds of one. */
  payments(): number;
  refunds(ref: string): number;
  /** Executes the next writing call, but loses its response. */
  loseAnswer(): void;
  /** Refuses the next call; makes the provider unavailable for the next call. */
  refuse(): void;
  breakDown(): void;
  /** A notification of the payment, signed at an instant (Unix seconds) with a secret. */
  notification(ref: string, signed: { at: number; secret: string }): { raw: Buffer; headers: IncomingHttpHeaders };
  /** A notification of an irrelevant type. */
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

/** Conformance suite of payment adapters. */
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

    it('creates a pending intent with the payment id', async () => {
      const request = intent();
      const created = await adapter.createIntent(call, request);
      expect(created).toMatchObject({
        status: 'requires_action',
        amount: 12_345,
        currency: 'RON',
        paymentId: request.paymentId,
        captured: 0,
      });
      expect(created.redirectUrl ?? created.clientSecret).toEqual(expect.any(String));
    });

    it('creates one intent a key', async () => {
      const before = harness.payments();
      const request = intent();
      const first = await adapter.createIntent(call, request);
      const second = await adapter.createIntent(call, request);
      expect(second.ref).toBe(first.ref);
      expect(harness.payments()).toBe(before + 1);
    });

    it('returns the intent again after a lost response', async () => {
      const before = harness.payments();
      const request = intent();
      harness.loseAnswer();
      expect((await refusal(adapter.createIntent(call, request))).kind).toBe('unavailable');
      expect((await adapter.createIntent(call, request)).paymentId).toBe(request.paymentId);
      expect(harness.payments()).toBe(before + 1);
    });

    it('distinguishes a refusal from an unavailable provider', async () => {
      harness.refuse();
      expect((await refusal(adapter.createIntent(call, intent()))).kind).toBe('refused');
      harness.breakDown();
      expect((await refusal(adapter.createIntent(call, intent()))).kind).toBe('unavailable');
    });

    it('captures automatically when the buyer pays', async () => {
      const { ref } = await adapter.createIntent(call, intent());
      harness.pay(ref);
      expect(await adapter.status(call, ref)).toMatchObject({ status: 'captured', authorized: 12_345, captured: 12_345 });
    });

    it('uses the minor units of ISO 4217', async () => {
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

    it('authorises, then captures in parts, the last one the remaining amount', async () => {
      const { ref } = await adapter.createIntent(call, intent({ capture: 'manual' }));
      harness.pay(ref);
      expect(await adapter.status(call, ref)).toMatchObject({ status: 'authorized', authorized: 12_345, captured: 0 });
      const part = { ref, currency: 'RON', amount: 5000, final: false, key: `${ref}:1` };
      expect(await adapter.capture(call, part)).toMatchObject({ status: 'partially_captured', captured: 5000 });
      expect(await adapter.capture(call, part)).toMatchObject({ captured: 5000 });
      const rest = { ref, currency: 'RON', amount: 7000, final: true, key: `${ref}:2` };
      expect(await adapter.capture(call, rest)).toMatchObject({ status: 'captured', captured: 12_000 });
    });

    it('voids authorised and pending payments, never captured ones', async () => {
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

    it('refunds once a key and returns the refund id', async () => {
      const { ref } = await adapter.createIntent(call, intent());
      harness.pay(ref);
      const input = {
        ref,
        amount: 2345,
        currency: 'RON',
        refundId: '0190c000-0000-7000-8000-000000000001',
        key: `${ref}:refund`,
      };
      const created = await adapter.refund(call, input);
      expect(created).toMatchObject({ refundId: input.refundId, amount: 2345, status: 'succeeded' });
      expect((await adapter.refund(call, input)).ref).toBe(created.ref);
      expect(harness.refunds(ref)).toBe(1);
      expect((await adapter.status(call, ref)).refunds).toEqual([created]);
      const more = { ...input, amount: 10_001, refundId: '0190c000-0000-7000-8000-000000000002', key: `${ref}:refund2` };
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

      it('accepts a signature of either valid secret', () => {
        expect(check(now, harness.secret, [harness.secret])).toBe(true);
        expect(check(now, harness.secret, ['whsec_another', harness.secret])).toBe(true);
      });
      it('refuses other secrets, changed bytes and missing signatures', () => {
        expect(check(now, 'whsec_wrong', [harness.secret])).toBe(false);
        expect(check(now, harness.secret, [])).toBe(false);
        expect(check(now, harness.secret, [harness.secret], (raw) => Buffer.concat([raw, Buffer.from(' ')]))).toBe(false);
        expect(adapter.verifyWebhook({ raw: Buffer.from('{}'), headers: {}, now }, [harness.secret])).toBe(false);
      });
      it('refuses timestamps that differ by more than five minutes', () => {
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
      it('ignores unknown event types', () => {
        expect(adapter.normalise(harness.unknownNotification())).toBeUndefined();
      });
      it('reads no account from an invalid event', () => {
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
