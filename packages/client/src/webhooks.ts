import type { EventsOf, Slice } from './slice.ts';

/** An event as a webhook delivers it, by type. */
export type WebhookEvent<E extends object = Record<string, object>> = {
  [T in keyof E]: {
    /** Type of the event, `orders.order.placed`. */
    type: T;
    /** Time of the event, RFC 3339. */
    timestamp: string;
    /** Payload; `aggregateId` is the object that the event is about, `sequence` orders the events of one object. */
    data: E[T] & { aggregateId: string; sequence: number; omitted?: string[] };
  };
}[keyof E];

/** The events of the slices' plugins: `WebhookEventOf<typeof orders | typeof catalog>`. */
export type WebhookEventOf<S extends Slice> = WebhookEvent<EventsOf<S> & object>;

/** Options of `verify`. */
export interface VerifyOptions {
  /** Secret of the endpoint, `whsec_…`. After a rotation, give both: deliveries are signed with both until the old one expires. */
  secret: string | readonly string[];
  /** Headers of the request. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Body as received. Parsed and serialised again, it has another signature. */
  body: string | Uint8Array;
  /** Seconds by which the delivery's time may differ from the present. Default 300. */
  tolerance?: number;
  /** Present time in milliseconds. Default `Date.now()`. */
  now?: number;
}

/** Why a delivery wasn't accepted. Respond with 400 or 401, and don't process it. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  /** `header_missing`, `timestamp_invalid`, `timestamp_expired`, `signature_invalid` or `body_invalid`. */
  readonly code: 'header_missing' | 'timestamp_invalid' | 'timestamp_expired' | 'signature_invalid' | 'body_invalid';
  /** @internal */
  constructor(code: WebhookVerificationError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Returns the event of a delivery if one of the secrets signed it (Standard Webhooks: HMAC-SHA256 over `{id}.{timestamp}.{body}`). The
 * comparison takes constant time. A delivery can arrive more than once: the header `webhook-id` is the same for all attempts.
 *
 * ```ts
 * const event = await verify<typeof orders>({ secret, headers: request.headers, body: await request.text() });
 * if (event.type === 'orders.order.placed') await pack(event.data);
 * ```
 *
 * @throws WebhookVerificationError if a header is missing, the time is outside the tolerance or no signature matches
 * @throws TypeError if a secret isn't one
 */
export async function verify<S extends Slice = Slice<object, Record<string, object>>>(
  options: VerifyOptions,
): Promise<WebhookEventOf<S>> {
  const { secret, headers, tolerance = 300, now = Date.now() } = options;
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headerOf(headers, `webhook-${name}`)) as [
    string,
    string,
    string,
  ];
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError('timestamp_invalid', `the webhook-timestamp ${timestamp} isn't a number of seconds`);
  const difference = Math.abs(now / 1000 - Number(timestamp));
  if (difference > tolerance)
    throw new WebhookVerificationError(
      'timestamp_expired',
      `the delivery's time differs by ${Math.round(difference)} s from this clock, more than ${tolerance} s`,
    );
  const text = typeof options.body === 'string' ? options.body : new TextDecoder().decode(options.body);
  const body = typeof options.body === 'string' ? new TextEncoder().encode(options.body) : options.body;
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const candidates = signatures
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .map((part) => bytesOf(part.slice(3)))
    .filter((bytes) => bytes !== undefined);
  let isValid = false;
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    const key = await keyOf(one);
    // All are compared, so that the time doesn't tell which one matched.
    for (const candidate of candidates) if (await crypto.subtle.verify('HMAC', key, candidate, signed)) isValid = true;
  }
  if (!isValid) throw new WebhookVerificationError('signature_invalid', 'no signature of the delivery matches a secret');
  try {
    return JSON.parse(text) as WebhookEventOf<S>;
  } catch {
    throw new WebhookVerificationError('body_invalid', "the body of the delivery isn't JSON");
  }
}

function headerOf(headers: VerifyOptions['headers'], name: string): string {
  const isHeaders = typeof (headers as Headers).get === 'function';
  const value = isHeaders ? (headers as Headers).get(name) : lowerCase(headers as Record<string, string>)[name];
  const text = Array.isArray(value) ? value.join(' ') : value;
  if (!text) throw new WebhookVerificationError('header_missing', `the delivery has no header ${name}`);
  return text as string;
}

const lowerCase = (headers: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (bytes === undefined || bytes.length === 0) throw new TypeError('a webhook secret is whsec_ and base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Undefined for a text that isn't base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
