import { createHmac, timingSafeEqual } from 'node:crypto';
import type { InboundReply, InboundRequest } from '@storeloom/plugin-sdk';
import type { ProviderEvent } from './adapter.ts';

/** Maximum clock difference of the signature in seconds. */
const tolerance = 300;
const signatureHeaders = ['stripe-signature', 'payment-signature', 'x-payment-signature'] as const;

/**
 * Verifies the header `t=<unix>,v1=<hex>[,v1=<hex>]`, HMAC-SHA256 over `{t}.{raw body}`. Unknown schemes are ignored; one valid
 * `v1` is enough.
 */
export function verifyWebhook(
  { raw, headers, now }: Pick<InboundRequest, 'raw' | 'headers' | 'now'>,
  secrets: readonly string[],
): boolean {
  const header = signatureHeaders.map((name) => headers[name]).find((value) => value !== undefined);
  if (typeof header !== 'string' || header.length > 4000) return false;
  let time: string | undefined;
  const signatures: Buffer[] = [];
  for (const part of header.split(',')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, equals).trim();
    const value = part.slice(equals + 1).trim();
    if (name === 't') time = value;
    else if (name === 'v1' && /^[0-9a-f]{64}$/i.test(value)) signatures.push(Buffer.from(value, 'hex'));
  }
  if (time === undefined || !/^\d{1,12}$/.test(time) || Math.abs(now - Number(time)) > tolerance) return false;
  let valid = false;
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(`${time}.`).update(raw).digest();
    // All pairs are compared, so that the response time doesn't depend on the match.
    for (const signature of signatures.slice(0, 10)) if (timingSafeEqual(signature, expected)) valid = true;
  }
  return valid;
}

function parse(raw: string): Record<string, unknown> {
  const value: unknown = JSON.parse(raw);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('The event must be an object');
  return value as Record<string, unknown>;
}

export function accountOf(raw: Buffer): string | undefined {
  try {
    const { account } = parse(raw.toString('utf8'));
    return typeof account === 'string' && account !== '' ? account : undefined;
  } catch {
    return undefined;
  }
}

export function eventId(raw: Buffer): string {
  const { id } = parse(raw.toString('utf8'));
  if (typeof id !== 'string') throw new SyntaxError('The event has no id');
  return id;
}

const relevantTypes = /^(payment_intent|checkout\.session|charge|refund)\./;

export function normalise(raw: string): ProviderEvent | undefined {
  const event = parse(raw);
  const object = (event.data as { object?: Record<string, unknown> } | undefined)?.object;
  if (typeof event.type !== 'string' || !relevantTypes.test(event.type) || typeof object !== 'object' || object === null)
    return undefined;
  const { paymentId } = (object.metadata ?? {}) as { paymentId?: unknown };
  const isPaymentObject = object.object === 'payment_intent' || object.object === 'checkout.session';
  const ref = isPaymentObject ? object.id : object.payment_intent;
  return {
    type: event.type,
    paymentRef: typeof ref === 'string' ? ref : null,
    paymentId: typeof paymentId === 'string' ? paymentId : null,
  };
}

export function acknowledge(): InboundReply {
  return { status: 200, body: { received: true } };
}
