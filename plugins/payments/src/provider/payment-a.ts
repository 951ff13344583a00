import { f } from '@storeloom/plugin-sdk';
import { type IntentRequest, type PaymentAdapter, type ProviderCall, ProviderError, type ProviderPayment } from './adapter.ts';
import type { FormValue } from './form.ts';
import { CardDeclinedError, callProvider, type Intent, type RefundObject, type Session, toProvider } from './payment-a-api.ts';
import { chargeOf, readIntent, readRefund, readSession } from './payment-a-read.ts';
import { accountOf, acknowledge, eventId, normalise, verifyWebhook } from './payment-a-webhook.ts';

const isSession = (ref: string): boolean => ref.startsWith('cs_');
const intentExpand = ['latest_charge.refunds', 'payment_method'];
const sessionExpand = ['payment_intent.latest_charge.refunds', 'payment_intent.payment_method'];

/** The hosted page expires after at least 30 minutes and at most 24 hours. */
function sessionExpiry(call: ProviderCall, expiresAt: string | null): number | null {
  if (expiresAt === null) return null;
  const seconds = Math.floor(call.now / 1000);
  return Math.min(Math.max(Math.floor(Date.parse(expiresAt) / 1000), seconds + 31 * 60), seconds + 24 * 3600 - 60);
}

function returnUrlFor(returnUrl: string, paymentId: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set('paymentId', paymentId);
  return url.href;
}

const metadata = ({ paymentId, tenantId }: IntentRequest): FormValue => ({ paymentId, tenantId });
const captureMethod = (request: IntentRequest): FormValue => (request.capture === 'manual' ? 'manual' : 'automatic');
/** Several captures of one authorisation, if the card allows it. */
const captureOptions = (request: IntentRequest): FormValue =>
  request.capture === 'manual' ? { card: { request_multicapture: 'if_available' } } : undefined;

/** Opens the provider's hosted payment page. */
function openSession(call: ProviderCall, request: IntentRequest): Promise<Session> {
  const returnUrl = returnUrlFor(request.returnUrl, request.paymentId);
  return callProvider<Session>(call, 'POST', '/v1/checkout/sessions', {
    key: request.key,
    form: {
      mode: 'payment',
      success_url: returnUrl,
      cancel_url: returnUrl,
      client_reference_id: request.paymentId,
      customer_email: request.email,
      customer_creation: request.saveInstrument ? 'always' : undefined,
      expires_at: sessionExpiry(call, request.expiresAt),
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

/** Creates an intent for the embedded form, or charges a saved instrument. */
async function openIntent(call: ProviderCall, request: IntentRequest): Promise<Intent> {
  const saved =
    request.instrument === null ? undefined : (JSON.parse(request.instrument) as { customer: string; paymentMethod: string });
  let customer = saved?.customer;
  if (request.saveInstrument && customer === undefined) {
    const form = { email: request.email, metadata: { tenantId: request.tenantId } };
    customer = (await callProvider<{ id: string }>(call, 'POST', '/v1/customers', { key: `${request.key}:customer`, form })).id;
  }
  return callProvider<Intent>(call, 'POST', '/v1/payment_intents', {
    key: request.key,
    form: {
      amount: toProvider(request.amount, request.currency),
      currency: request.currency.toLowerCase(),
      capture_method: captureMethod(request),
      description: request.description,
      receipt_email: request.email,
      customer,
      setup_future_usage: request.saveInstrument ? 'off_session' : undefined,
      ...(saved
        ? { payment_method: saved.paymentMethod, confirm: true, off_session: true }
        : { automatic_payment_methods: { enabled: true } }),
      payment_method_options: captureOptions(request),
      metadata: metadata(request),
      expand: intentExpand,
    },
  });
}

async function fetchSession(call: ProviderCall, ref: string): Promise<Session> {
  return callProvider<Session>(call, 'GET', `/v1/checkout/sessions/${encodeURIComponent(ref)}`, {
    form: { expand: sessionExpand },
  });
}
async function fetchIntent(call: ProviderCall, ref: string): Promise<Intent> {
  return callProvider<Intent>(call, 'GET', `/v1/payment_intents/${encodeURIComponent(ref)}`, { form: { expand: intentExpand } });
}

async function status(call: ProviderCall, ref: string): Promise<ProviderPayment> {
  return isSession(ref) ? readSession(await fetchSession(call, ref)) : readIntent(await fetchIntent(call, ref));
}

/** Returns the intent of a reference; refused if the buyer hasn't started to pay. */
async function requireIntent(call: ProviderCall, ref: string): Promise<Intent> {
  if (!isSession(ref)) return fetchIntent(call, ref);
  const { payment_intent: intent } = await fetchSession(call, ref);
  if (typeof intent !== 'object' || intent === null)
    throw new ProviderError('refused', 'nothing_paid', 'The buyer has not paid on the hosted page');
  return intent;
}

/** Follows Stripe's documentation: payment intents, checkout sessions, refunds, signed events. */
export const paymentA: PaymentAdapter = {
  provider: 'payment-a',
  config: {
    /** Base URL of the API. */
    apiUrl: f.url().optional(),
    /** Account id in events. */
    accountId: f.text({ max: 100 }).optional(),
    secretKey: f.secret().optional(),
    /** For the embedded form. */
    publishableKey: f.text({ max: 300 }).optional(),
    webhookSecret: f.secret().optional(),
    /** Second valid secret during a rotation. */
    webhookSecretNext: f.secret().optional(),
    /** `hosted`: on the provider's page. `embedded`: in the provider's form on the shop's page. */
    flow: f.oneOf(['hosted', 'embedded']).optional(),
  },
  required: ['apiUrl', 'accountId', 'secretKey', 'webhookSecret'],
  accountField: 'accountId',
  webhookSecrets: ['webhookSecret', 'webhookSecretNext'],

  async createIntent(call, request) {
    if (request.instrument === null && call.config.flow !== 'embedded') return readSession(await openSession(call, request));
    try {
      return readIntent(await openIntent(call, request));
    } catch (error) {
      if (!(error instanceof CardDeclinedError)) throw error;
      return { ...readIntent(error.intent), status: 'failed', error: error.code };
    }
  },

  status,

  async capture(call, { ref, amount, currency, final, key }) {
    const intent = await requireIntent(call, ref);
    if (!final && chargeOf(intent)?.payment_method_details?.card?.multicapture?.status !== 'available')
      throw new ProviderError('refused', 'multicapture_unavailable', 'The card allows only one capture');
    await callProvider<Intent>(call, 'POST', `/v1/payment_intents/${encodeURIComponent(intent.id)}/capture`, {
      key,
      form: { amount_to_capture: toProvider(amount, currency), final_capture: final },
    });
    return status(call, ref);
  },

  async void(call, { ref, key }) {
    const session = isSession(ref) ? await fetchSession(call, ref) : undefined;
    const intent = session ? session.payment_intent : await fetchIntent(call, ref);
    if (typeof intent === 'object' && intent !== null && intent.status !== 'succeeded' && intent.status !== 'canceled')
      await ignoreRefusal(callProvider(call, 'POST', `/v1/payment_intents/${encodeURIComponent(intent.id)}/cancel`, { key }));
    if (session?.status === 'open')
      await ignoreRefusal(
        callProvider(call, 'POST', `/v1/checkout/sessions/${encodeURIComponent(session.id)}/expire`, { key: `${key}:page` }),
      );
    return status(call, ref);
  },

  async refund(call, { ref, amount, currency, refundId, key }) {
    const intent = await requireIntent(call, ref);
    const refund = await callProvider<RefundObject>(call, 'POST', '/v1/refunds', {
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

/** Ignores a refusal, which means that another transition came first; the state is read afterwards. */
async function ignoreRefusal(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'refused') throw error;
  }
}
