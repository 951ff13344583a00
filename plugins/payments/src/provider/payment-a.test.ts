import { expect, it } from 'vitest';
import { adapterConformance, type ProviderHarness } from '../../test/adapter-conformance.ts';
import { FakePaymentA } from '../../test/fake-payment-a.ts';
import { localHttp } from '../../test/local-http.ts';
import { type ProviderCall, ProviderError } from './adapter.ts';
import { paymentA } from './payment-a.ts';

const nowMs = Date.UTC(2026, 10, 27);

async function harness(flow: 'hosted' | 'embedded'): Promise<ProviderHarness> {
  const fake = await new FakePaymentA().start();
  const call: ProviderCall = { http: localHttp, config: { ...fake.config({ flow }) }, now: nowMs };
  return {
    adapter: paymentA,
    call,
    pay: (ref) => void fake.pay(ref),
    decline: (ref) => fake.decline(ref),
    payments: () => fake.intents.size,
    refunds: (ref) => fake.intentOf(ref).refunds.length,
    loseAnswer: () => fake.fault({ path: '/v1', method: 'POST', cut: true }),
    refuse: () => fake.fault({ path: '/v1', status: 400, body: { error: { code: 'parameter_invalid' } } }),
    breakDown: () => fake.fault({ path: '/v1', status: 503 }),
    notification(ref, { at, secret }) {
      const raw = JSON.stringify(fake.eventOf('payment_intent.succeeded', ref));
      return { raw: Buffer.from(raw), headers: fake.sign(raw, at, secret) };
    },
    unknownNotification: () => JSON.stringify(fake.event('customer.updated', { object: 'customer', id: 'cus_1' })),
    account: fake.account,
    secret: fake.webhookSecret,
    stop: () => fake.stop(),
  };
}

adapterConformance('payment-a, hosted page', () => harness('hosted'));
adapterConformance('payment-a, embedded form', () => harness('embedded'));

const request = {
  paymentId: '0190b000-0000-7000-8000-0000000000aa',
  tenantId: '0190a000-0000-7000-8000-000000000001',
  amount: 5000,
  currency: 'RON',
  capture: 'auto',
  email: null,
  description: 'x',
  returnUrl: 'https://shop.example.org/back?x=1',
  expiresAt: new Date(nowMs + 15 * 60_000).toISOString(),
  locale: 'ro',
  saveInstrument: true,
  instrument: null,
  key: 'k',
} as const;

async function withFake(flow: string, test: (fake: FakePaymentA, call: ProviderCall) => Promise<void>): Promise<void> {
  const fake = await new FakePaymentA().start();
  try {
    await test(fake, { http: localHttp, config: { ...fake.config({ flow }) }, now: nowMs });
  } finally {
    await fake.stop();
  }
}

it('keeps the hosted page open for at least 30 minutes and returns the buyer to the shop', () =>
  withFake('hosted', async (fake, call) => {
    await paymentA.createIntent(call, request);
    const form = fake.calls[0]?.form ?? {};
    expect(Number(form.expires_at)).toBe(nowMs / 1000 + 31 * 60);
    expect(form.success_url).toBe(`https://shop.example.org/back?x=1&paymentId=${request.paymentId}`);
  }));

it('lets the buyer try another card on the hosted page, but fails a declined embedded intent', async () => {
  await withFake('hosted', async (fake, call) => {
    const { ref } = await paymentA.createIntent(call, request);
    fake.decline(ref);
    expect(await paymentA.status(call, ref)).toMatchObject({ status: 'requires_action' });
  });
  await withFake('embedded', async (fake, call) => {
    const { ref } = await paymentA.createIntent(call, { ...request, saveInstrument: false });
    fake.decline(ref);
    expect(await paymentA.status(call, ref)).toMatchObject({ status: 'failed', error: 'card_declined' });
  });
});

it('saves an instrument on request, and charges it without the buyer', () =>
  withFake('embedded', async (fake, call) => {
    const { ref } = await paymentA.createIntent(call, request);
    fake.pay(ref);
    const { instrument } = await paymentA.status(call, ref);
    expect(instrument).toMatchObject({ brand: 'visa', last4: '4242', expiry: '2031-04' });
    const kept = { ...request, saveInstrument: false, instrument: instrument?.token ?? '' };
    const again = await paymentA.createIntent(call, { ...kept, paymentId: 'p2', key: 'k2' });
    expect(again).toMatchObject({ status: 'captured', captured: 5000 });
    fake.instrumentOutcome = 'declines';
    const declined = await paymentA.createIntent(call, { ...kept, paymentId: 'p3', key: 'k3' });
    expect(declined).toMatchObject({ status: 'failed', error: 'insufficient_funds', captured: 0 });
  }));

it('reports a card that allows only one capture', () =>
  withFake('embedded', async (fake, call) => {
    fake.multicapture = false;
    const { ref } = await paymentA.createIntent(call, { ...request, saveInstrument: false, capture: 'manual' });
    fake.pay(ref);
    const part = { ref, amount: 100, currency: 'RON', final: false, key: 'c1' };
    await expect(paymentA.capture(call, part)).rejects.toMatchObject({ kind: 'refused', code: 'multicapture_unavailable' });
    expect(fake.done(/capture$/)).toEqual([]);
  }));

it('keeps only the short code of an error', () =>
  withFake('embedded', async (fake, call) => {
    fake.fault({ path: '/v1', status: 400, body: { error: { code: 'Card 4242 4242 4242 4242 <b>' } } });
    const error = await paymentA.createIntent(call, { ...request, saveInstrument: false }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject({ code: 'provider_refused' });
    expect(String(error)).not.toContain('4242');
  }));
