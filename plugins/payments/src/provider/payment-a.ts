import { f } from '@storeloom/plugin-sdk';
import { type IntentRequest, type PaymentAdapter, type ProviderCall, ProviderError, type ProviderPayment } from './adapter.ts';
import type { FormValue } from './form.ts';
import { ask, Declined, type Intent, type RefundObject, type Session, toProvider } from './payment-a-api.ts';
import { chargeOf, readIntent, readRefund, readSession } from './payment-a-read.ts';
import { accountOf, acknowledge, eventId, normalise, verifyWebhook } from './payment-a-webhook.ts';

const isSession = (ref: string): boolean => ref.startsWith('cs_');
const intentExpand = ['latest_charge.refunds', 'payment_method'];
const sessionExpand = ['payment_intent.latest_charge.refunds', 'payment_intent.payment_method'];

/** The provider keeps its page open between half an hour and a day. */
function pageUntil(call: ProviderCall, expiresAt: string | null): number | null {
  if (expiresAt === null) return null;
  const seconds = Math.floor(call.now / 1000);
  return Math.min(Math.max(Math.floor(Date.parse(expiresAt) / 1000), seconds + 31 * 60), seconds + 24 * 3600 - 60);
}

function returnAddress(returnUrl: string, paymentId: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set('paymentId', paymentId);
  return url.href;
}

const metadata = ({ paymentId, tenantId }: IntentRequest): FormValue => ({ paymentId, tenantId });
const captureMethod = (request: IntentRequest): FormValue => (request.capture === 'manual' ? 'manual' : 'automatic');
/** Shares of one authorisation are taken one by one where the card allows it. */
const captureOptions = (request: IntentRequest): FormValue =>
  request.capture === 'manual' ? { card: { request_multicapture: 'if_available' } } : undefined;

/** A page of the provider's, where the buyer pays. */
function openSession(call: ProviderCall, request: IntentRequest): Promise<Session> {
  const back = returnAddress(request.returnUrl, request.paymentId);
  return ask<Session>(call, 'POST', '/v1/checkout/sessions', {
    key: request.key,
    form: {
      mode: 'payment',
      success_url: back,
      cancel_url: back,
      client_reference_id: request.paymentId,
      customer_email: request.email,
      customer_creation: request.saveInstrument ? 'always' : undefined,
      expires_at: pageUntil(call, request.expiresAt),
      line_items: [
        {
          quantity: 1,
          price_data: {
            currency: request.currency.toLowerCase(),
            unit_amount: toProvider(request.amount, request.currency),
            product_data: { name: request.description },
          },
        },
      ],
      payment_intent_data: {
        capture_method: captureMethod(request),
        description: request.description,
        metadata: metadata(request),
        setup_future_usage: request.saveInstrument ? 'off_session' : undefined,
      },
      payment_method_options: captureOptions(request),
      metadata: metadata(request),
      expand: sessionExpand,
    },
  });
}

/** An intent for the provider's form on the shop's own page, or for a kept instrument without the buyer. */
async function openIntent(call: ProviderCall, request: IntentRequest): Promise<Intent> {
  const kept =
    request.instrument === null ? undefined : (JSON.parse(request.instrument) as { customer: string; paymentMethod: string });
  let customer = kept?.customer;
  if (request.saveInstrument && customer === undefined) {
    const form = { email: request.email, metadata: { tenantId: request.tenantId } };
    customer = (await ask<{ id: string }>(call, 'POST', '/v1/customers', { key: `${request.key}:customer`, form })).id;
  }
  return ask<Intent>(call, 'POST', '/v1/payment_intents', {
    key: request.key,
    form: {
      amount: toProvider(request.amount, request.currency),
      currency: request.currency.toLowerCase(),
      capture_method: captureMethod(request),
      description: request.description,
      receipt_email: request.email,
      customer,
      setup_future_usage: request.saveInstrument ? 'off_session' : undefined,
      ...(kept
        ? { payment_method: kept.paymentMethod, confirm: true, off_session: true }
        : { automatic_payment_methods: { enabled: true } }),
      payment_method_options: captureOptions(request),
      metadata: metadata(request),
      expand: intentExpand,
    },
  });
}

async function readSessionOf(call: ProviderCall, ref: string): Promise<Session> {
  return ask<Session>(call, 'GET', `/v1/checkout/sessions/${encodeURIComponent(ref)}`, { form: { expand: sessionExpand } });
}
async function readIntentOf(call: ProviderCall, ref: string): Promise<Intent> {
  return ask<Intent>(call, 'GET', `/v1/payment_intents/${encodeURIComponent(ref)}`, { form: { expand: intentExpand } });
}

async function status(call: ProviderCall, ref: string): Promise<ProviderPayment> {
  return isSession(ref) ? readSession(await readSessionOf(call, ref)) : readIntent(await readIntentOf(call, ref));
}

/** The intent behind a reference; refused where the buyer hasn't begun to pay. */
async function intentOf(call: ProviderCall, ref: string): Promise<Intent> {
  if (!isSession(ref)) return readIntentOf(call, ref);
  const { payment_intent: intent } = await readSessionOf(call, ref);
  if (typeof intent !== 'object' || intent === null)
    throw new ProviderError('refused', 'nothing_paid', 'nothing was paid on the provider’s page');
  return intent;
}

/** Scheme as documented for Stripe: payment intents, checkout sessions, refunds, signed events. */
export const paymentA: PaymentAdapter = {
  provider: 'payment-a',
  config: {
    /** Address of the provider's API. */
    apiUrl: f.url().optional(),
    /** The account that events name. */
    accountId: f.text({ max: 100 }).optional(),
    secretKey: f.secret().optional(),
    /** For the provider's form on the shop's page. */
    publishableKey: f.text({ max: 300 }).optional(),
    webhookSecret: f.secret().optional(),
    /** The second live secret while secrets are being changed. */
    webhookSecretNext: f.secret().optional(),
    /** `hosted`: the buyer pays on the provider's page. `embedded`: in the provider's form on the shop's page. */
    flow: f.oneOf(['hosted', 'embedded']).optional(),
  },
  required: ['apiUrl', 'accountId', 'secretKey', 'webhookSecret'],
  accountMember: 'accountId',
  webhookSecrets: ['webhookSecret', 'webhookSecretNext'],

  async createIntent(call, request) {
    if (request.instrument === null && call.config.flow !== 'embedded') return readSession(await openSession(call, request));
    try {
      return readIntent(await openIntent(call, request));
    } catch (error) {
      if (!(error instanceof Declined)) throw error;
      return { ...readIntent(error.intent), status: 'failed', error: error.code };
    }
  },

  status,

  async capture(call, { ref, amount, currency, final, key }) {
    const intent = await intentOf(call, ref);
    if (!final && chargeOf(intent)?.payment_method_details?.card?.multicapture?.status !== 'available')
      throw new ProviderError('refused', 'multicapture_unavailable', 'the card gives its money only once');
    await ask<Intent>(call, 'POST', `/v1/payment_intents/${encodeURIComponent(intent.id)}/capture`, {
      key,
      form: { amount_to_capture: toProvider(amount, currency), final_capture: final },
    });
    return status(call, ref);
  },

  async void(call, { ref, key }) {
    const session = isSession(ref) ? await readSessionOf(call, ref) : undefined;
    const intent = session ? session.payment_intent : await readIntentOf(call, ref);
    if (typeof intent === 'object' && intent !== null && intent.status !== 'succeeded' && intent.status !== 'canceled')
      await orAsItIs(ask(call, 'POST', `/v1/payment_intents/${encodeURIComponent(intent.id)}/cancel`, { key }));
    if (session?.status === 'open')
      await orAsItIs(ask(call, 'POST', `/v1/checkout/sessions/${encodeURIComponent(session.id)}/expire`, { key: `${key}:page` }));
    return status(call, ref);
  },

  async refund(call, { ref, amount, currency, refundId, key }) {
    const intent = await intentOf(call, ref);
    const refund = await ask<RefundObject>(call, 'POST', '/v1/refunds', {
      key,
      form: { payment_intent: intent.id, amount: toProvider(amount, currency), metadata: { refundId } },
    });
    return readRefund(refund, currency);
  },

  verifyWebhook,
  accountOf,
  eventId,
  normalise,
  acknowledge,
};

/** A move that the provider refuses was overtaken by another one: the state that is asked for afterwards tells. */
async function orAsItIs(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'refused') throw error;
  }
}
