import { Problem } from '@storeloom/plugin-sdk';
import { exponentOf } from '@storeloom/plugin-sdk/money';
import { type ProviderCall, ProviderError } from './adapter.ts';
import { type FormValue, formBody } from './form.ts';

/** Objects of the provider's API, with the fields in use. */
export interface Charge {
  refunds?: { data: RefundObject[] } | null;
  payment_method_details?: { card?: { multicapture?: { status?: string } } } | null;
}
export interface RefundObject {
  id: string;
  amount: number;
  status: string;
  metadata?: Record<string, string> | null;
}
interface Card {
  brand: string;
  last4: string;
  exp_month: number;
  exp_year: number;
}
export interface Intent {
  object: 'payment_intent';
  id: string;
  amount: number;
  amount_capturable: number;
  amount_received: number;
  currency: string;
  status: string;
  client_secret: string | null;
  customer?: string | null;
  next_action?: { redirect_to_url?: { url: string } | null } | null;
  last_payment_error?: { code?: string; decline_code?: string } | null;
  metadata?: Record<string, string> | null;
  payment_method?: string | { id: string; card?: Card | null } | null;
  latest_charge?: string | Charge | null;
}
export interface Session {
  object: 'checkout.session';
  id: string;
  status: 'open' | 'complete' | 'expired';
  amount_total: number;
  currency: string;
  url: string | null;
  payment_intent: string | Intent | null;
  metadata?: Record<string, string> | null;
}
interface ApiError {
  error?: {
    type?: string;
    code?: string;
    decline_code?: string;
    payment_intent?: Intent;
  };
}

/** A declined card, with the current intent. */
export class CardDeclinedError extends Error {
  readonly intent: Intent;
  readonly code: string;
  constructor(intent: Intent, code: string) {
    super(`declined: ${code}`);
    this.name = 'Declined';
    this.intent = intent;
    this.code = code;
  }
}

const timeoutMs = 12_000;

/** Calls the API. The provider executes a POST with a key once. */
export async function callProvider<T>(
  { http, config }: ProviderCall,
  method: 'GET' | 'POST',
  path: string,
  { form = {}, key }: { form?: Record<string, FormValue>; key?: string } = {},
): Promise<T> {
  const body = formBody(form);
  const url = `${String(config.apiUrl).replace(/\/+$/, '')}${path}${method === 'GET' && body !== '' ? `?${body}` : ''}`;
  const headers: Record<string, string> = {
    authorization: `Bearer ${config.secretKey}`,
    accept: 'application/json',
    ...(method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  let response: { status: number; body: Buffer };
  try {
    response = await http.fetch(url, { method, headers, timeoutMs, ...(method === 'POST' ? { body } : {}) });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'unavailable') throw new ProviderError('unavailable', 'provider_unavailable', error.message);
    throw new ProviderError('refused', 'provider_address_refused', error.message);
  }
  const { status } = response;
  if (status >= 500 || status === 429 || status === 409)
    throw new ProviderError('unavailable', 'provider_unavailable', `The provider responded with ${status}`);
  let value: unknown;
  try {
    value = JSON.parse(response.body.toString('utf8'));
  } catch {
    throw new ProviderError('unavailable', 'provider_unavailable', `The provider responded with ${status} and no JSON`);
  }
  if (status >= 200 && status < 300) return value as T;
  const { error } = value as ApiError;
  const code = shortCode(error?.decline_code ?? error?.code ?? error?.type);
  if (status === 402 && error?.payment_intent) throw new CardDeclinedError(error.payment_intent, code);
  throw new ProviderError('refused', code, `The provider refused the request: ${status} ${code}`);
}

/** Error codes are untrusted: only short codes in snake_case are kept. */
export function shortCode(code: string | undefined): string {
  return code !== undefined && /^[a-z0-9_]{1,60}$/.test(code) ? code : 'provider_refused';
}

/** Currencies with another exponent at the provider than in ISO 4217. */
const exponents: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: 0 };

/** Converts minor units by ISO 4217 to the provider's. */
export function toProvider(amount: number, currency: string): number {
  const shift = (exponents[currency] ?? exponentOf(currency)) - exponentOf(currency);
  if (shift >= 0) return amount * 10 ** shift;
  const unit = 10 ** -shift;
  if (amount % unit !== 0)
    throw new ProviderError('refused', 'amount_not_payable', `Amounts in ${currency} must be multiples of ${unit}`);
  return amount / unit;
}
/**
 * Converts the provider's minor units to ISO 4217. An indivisible amount becomes a fraction, which never equals the expected
 * amount.
 */
export function fromProvider(amount: number, currency: string): number {
  const shift = (exponents[currency] ?? exponentOf(currency)) - exponentOf(currency);
  return shift >= 0 ? amount / 10 ** shift : amount * 10 ** -shift;
}
