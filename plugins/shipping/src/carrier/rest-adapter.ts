import { createHash } from 'node:crypto';
import { normalizeInstant, Problem } from '@storeloom/plugin-sdk';
import { isMoney } from '@storeloom/plugin-sdk/money';
import { statusOf } from '../awb/states.ts';
import { type CarrierAdapter, type CarrierCall, CarrierError, type CarrierEvent, type ServiceQuote } from './adapter.ts';
import { verifyWebhook } from './verify-webhook.ts';

type Json = Record<string, unknown>;
interface Ask {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  body?: object;
  key?: string;
  /** Statuses that count as done. */
  done?: readonly number[];
}

function signIn({ apiKey, username, password }: CarrierCall['credentials']): string {
  if (apiKey) return `Bearer ${apiKey}`;
  return `Basic ${Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64')}`;
}

/** 408, 425, 429 and 5xx may be asked again; every other refusal is the carrier's last word. */
function check(status: number, body: Buffer): void {
  if (status >= 200 && status < 300) return;
  if (status === 401 || status === 403) throw new CarrierError('refused', 'The carrier refuses our credentials.');
  if (status >= 500 || [408, 425, 429].includes(status) || status < 400)
    throw new CarrierError('unavailable', `The carrier answered ${status}.`);
  throw new CarrierError('refused', messageOf(body) ?? `The carrier answered ${status}.`);
}
function messageOf(body: Buffer): string | undefined {
  try {
    const parsed = JSON.parse(body.toString('utf8')) as Json;
    const text = parsed.message ?? parsed.detail ?? parsed.error;
    return typeof text === 'string' && text !== '' ? text : undefined;
  } catch {
    // Not JSON: the status has to say it all.
    return undefined;
  }
}

async function ask(call: CarrierCall, { method, path, body, key, done = [] }: Ask) {
  const base = (call.credentials.baseUrl ?? '').replace(/\/+$/, '');
  let answer: Awaited<ReturnType<CarrierCall['http']['fetch']>>;
  try {
    answer = await call.http.fetch(`${base}${path}`, {
      method,
      headers: {
        authorization: signIn(call.credentials),
        accept: 'application/json, application/pdf',
        'x-mode': call.mode,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(key ? { 'idempotency-key': key } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      timeoutMs: call.timeoutMs,
    });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new CarrierError(error.code === 'unavailable' ? 'unavailable' : 'refused', error.message);
  }
  if (!done.includes(answer.status)) check(answer.status, answer.body);
  return answer;
}

/** What isn't as agreed is no clear answer: the carrier may have done what it was asked. */
function read(body: Buffer): Json {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Json;
  } catch (error) {
    throw new CarrierError('unavailable', `The carrier's answer can't be read: ${(error as Error).message}`);
  }
  throw new CarrierError('unavailable', "The carrier's answer can't be read.");
}
const text = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== ''
    ? value.trim().slice(0, 500)
    : typeof value === 'number'
      ? String(value)
      : null;
const days = (value: unknown): number | null =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 365 ? (value as number) : null;
const rows = (value: unknown): Json[] =>
  Array.isArray(value) ? value.filter((each): each is Json => typeof each === 'object' && each !== null) : [];
const shipment = (awbNumber: string): string => `/shipments/${encodeURIComponent(awbNumber)}`;

function serviceQuote(row: Json): ServiceQuote {
  const serviceCode = text(row.code ?? row.serviceCode);
  if (serviceCode === null || !isMoney(row.price) || row.price.amount < 0)
    throw new CarrierError('unavailable', 'The carrier quotes a service without a code or a price.');
  return {
    serviceCode,
    price: { amount: row.price.amount, currency: row.price.currency },
    etaMinDays: days(row.etaMinDays),
    etaMaxDays: days(row.etaMaxDays),
    pickupPoints: Array.isArray(row.pickupPoints)
      ? rows(row.pickupPoints).map((point) => ({
          id: text(point.id) ?? '',
          name: text(point.name) ?? '',
          address: text(point.address) ?? '',
        }))
      : null,
  };
}

/** A step, whatever the carrier calls its members. Throws where number, word or time are missing. */
function eventOf(row: Json, awb?: string): CarrierEvent {
  const awbNumber = text(row.awbNumber ?? row.awb ?? row.trackingNumber) ?? awb ?? null;
  const word = text(row.status ?? row.state ?? row.code);
  const at = text(row.at ?? row.occurredAt ?? row.timestamp);
  const instant = at === null ? undefined : normalizeInstant(at);
  if (awbNumber === null || word === null || instant === undefined) throw new Error('an event has a number, a status and a time');
  return {
    awbNumber: awbNumber.slice(0, 100),
    code: (text(row.code) ?? word).slice(0, 100),
    status: statusOf(word),
    at: instant,
    location: text(row.location ?? row.city)?.slice(0, 200) ?? null,
    description: text(row.description ?? row.message),
  };
}
function eventsIn(body: Json): CarrierEvent[] {
  const awb = text(body.awbNumber ?? body.awb ?? body.trackingNumber) ?? undefined;
  return body.events === undefined ? [eventOf(body)] : rows(body.events).map((row) => eventOf(row, awb));
}
function parse(raw: string): Json {
  const body: unknown = JSON.parse(raw);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Error('the body is no object');
  return body as Json;
}

/**
 * Carriers that speak the plain scheme of the README: JSON over HTTPS, an `Idempotency-Key` on what prints. Prices are money objects in
 * minor units.
 */
export const restAdapter: CarrierAdapter = {
  async quote(call, { recipient, parcels, currency }) {
    const answer = await ask(call, {
      method: 'POST',
      path: '/quotes',
      body: { sender: call.sender, recipient, parcels, currency },
    });
    return rows(read(answer.body).services).map(serviceQuote);
  },
  async createAwb(call, { key, ...order }) {
    const answer = await ask(call, { method: 'POST', path: '/shipments', key, body: { sender: call.sender, ...order } });
    const body = read(answer.body);
    const awbNumber = text(body.awbNumber ?? body.awb);
    if (awbNumber === null || awbNumber.length > 60)
      throw new CarrierError('unavailable', "The carrier's answer holds no AWB number.");
    return { awbNumber, price: isMoney(body.price) ? { amount: body.price.amount, currency: body.price.currency } : null };
  },
  async label(call, awbNumber) {
    const { headers, body } = await ask(call, { method: 'GET', path: `${shipment(awbNumber)}/label` });
    const isPdf = body.subarray(0, 5).toString('latin1') === '%PDF-';
    if (body.length === 0) throw new CarrierError('unavailable', 'The carrier sent an empty label.');
    return { content: body, type: isPdf ? 'application/pdf' : (headers['content-type'] ?? 'application/octet-stream') };
  },
  async cancel(call, awbNumber) {
    await ask(call, { method: 'DELETE', path: shipment(awbNumber), done: [404, 410] });
  },
  async track(call, awbNumber) {
    const answer = await ask(call, { method: 'GET', path: `${shipment(awbNumber)}/events` });
    const body = read(answer.body);
    try {
      return rows(body.events).map((row) => eventOf(row, awbNumber));
    } catch (error) {
      throw new CarrierError('unavailable', (error as Error).message);
    }
  },
  verifyWebhook,
  eventId(raw) {
    const body = parse(raw.toString('utf8'));
    eventsIn(body);
    // Without an id of its own a notification is known by its bytes.
    return text(body.eventId ?? body.id) ?? createHash('sha256').update(raw).digest('hex');
  },
  normalise: (raw) => eventsIn(parse(raw)),
};
