import { createHash } from 'node:crypto';
import { normalizeInstant, Problem } from '@storeloom/plugin-sdk';
import { isMoney } from '@storeloom/plugin-sdk/money';
import { statusOf } from '../awb/states.ts';
import { type CarrierAdapter, type CarrierCall, CarrierError, type CarrierEvent, type ServiceQuote } from './adapter.ts';
import { verifyWebhook } from './verify-webhook.ts';

type Json = Record<string, unknown>;
interface CarrierRequest {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  body?: object;
  key?: string;
  /** Error statuses that count as success. */
  successStatuses?: readonly number[];
}

function authorizationOf({ apiKey, username, password }: CarrierCall['credentials']): string {
  if (apiKey) return `Bearer ${apiKey}`;
  return `Basic ${Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64')}`;
}

/** 408, 425, 429 and 5xx can be retried; every other error is a refusal. */
function checkStatus(status: number, body: Buffer): void {
  if (status >= 200 && status < 300) return;
  if (status === 401 || status === 403) throw new CarrierError('refused', 'The carrier rejects the credentials.');
  if (status >= 500 || [408, 425, 429].includes(status) || status < 400)
    throw new CarrierError('unavailable', `The carrier responded with ${status}.`);
  throw new CarrierError('refused', messageOf(body) ?? `The carrier responded with ${status}.`);
}
function messageOf(body: Buffer): string | undefined {
  try {
    const parsed = JSON.parse(body.toString('utf8')) as Json;
    const text = parsed.message ?? parsed.detail ?? parsed.error;
    return typeof text === 'string' && text !== '' ? text : undefined;
  } catch {
    // The body isn't JSON, so the message contains the status only.
    return undefined;
  }
}

async function send(call: CarrierCall, { method, path, body, key, successStatuses = [] }: CarrierRequest) {
  const base = (call.credentials.baseUrl ?? '').replace(/\/+$/, '');
  let response: Awaited<ReturnType<CarrierCall['http']['fetch']>>;
  try {
    response = await call.http.fetch(`${base}${path}`, {
      method,
      headers: {
        authorization: authorizationOf(call.credentials),
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
  if (!successStatuses.includes(response.status)) checkStatus(response.status, response.body);
  return response;
}

/** An invalid response counts as `unavailable`, because the carrier may have processed the request. */
function parseObject(body: Buffer): Json {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Json;
  } catch (error) {
    throw new CarrierError('unavailable', `The carrier's response can't be parsed: ${(error as Error).message}`);
  }
  throw new CarrierError('unavailable', "The carrier's response can't be parsed.");
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

/** Parses a tracking event under the property names in use. Throws without a number, a status or a time. */
function eventOf(row: Json, awb?: string): CarrierEvent {
  const awbNumber = text(row.awbNumber ?? row.awb ?? row.trackingNumber) ?? awb ?? null;
  const statusText = text(row.status ?? row.state ?? row.code);
  const at = text(row.at ?? row.occurredAt ?? row.timestamp);
  const instant = at === null ? undefined : normalizeInstant(at);
  if (awbNumber === null || statusText === null || instant === undefined)
    throw new Error('an event must have a number, a status and a time');
  return {
    awbNumber: awbNumber.slice(0, 100),
    code: (text(row.code) ?? statusText).slice(0, 100),
    status: statusOf(statusText),
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
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Error('the body must be an object');
  return body as Json;
}

/**
 * The plain carrier API of the README: JSON over HTTPS, `Idempotency-Key` on shipment requests, prices as money objects in minor units.
 */
export const restAdapter: CarrierAdapter = {
  async quote(call, { recipient, parcels, currency }) {
    const response = await send(call, {
      method: 'POST',
      path: '/quotes',
      body: { sender: call.sender, recipient, parcels, currency },
    });
    return rows(parseObject(response.body).services).map(serviceQuote);
  },
  async createAwb(call, { key, ...order }) {
    const response = await send(call, { method: 'POST', path: '/shipments', key, body: { sender: call.sender, ...order } });
    const body = parseObject(response.body);
    const awbNumber = text(body.awbNumber ?? body.awb);
    if (awbNumber === null || awbNumber.length > 60)
      throw new CarrierError('unavailable', "The carrier's response contains no AWB number.");
    return { awbNumber, price: isMoney(body.price) ? { amount: body.price.amount, currency: body.price.currency } : null };
  },
  async label(call, awbNumber) {
    const { headers, body } = await send(call, { method: 'GET', path: `${shipment(awbNumber)}/label` });
    const isPdf = body.subarray(0, 5).toString('latin1') === '%PDF-';
    if (body.length === 0) throw new CarrierError('unavailable', 'The carrier sent an empty label.');
    return { content: body, type: isPdf ? 'application/pdf' : (headers['content-type'] ?? 'application/octet-stream') };
  },
  async cancel(call, awbNumber) {
    await send(call, { method: 'DELETE', path: shipment(awbNumber), successStatuses: [404, 410] });
  },
  async track(call, awbNumber) {
    const response = await send(call, { method: 'GET', path: `${shipment(awbNumber)}/events` });
    const body = parseObject(response.body);
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
    // A notification without an id is identified by its bytes.
    return text(body.eventId ?? body.id) ?? createHash('sha256').update(raw).digest('hex');
  },
  normalise: (raw) => eventsIn(parse(raw)),
};
