import { Problem } from '@storeloom/plugin-sdk';
import { exponentOf } from '@storeloom/plugin-sdk/money';
import { type ProviderCall, ProviderError } from './adapter.ts';
import { type FormValue, formBody } from './form.ts';

/** Objects of the provider's API, as much of them as we read. */
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

/** The answer to a card that was declined: the intent as it stands then. */
export class Declined extends Error {
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

/** One call. POST with a key is done once by the provider, however often it is sent. */
export async function ask<T>(
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
  let answer: { status: number; body: Buffer };
  try {
    answer = await http.fetch(url, { method, headers, timeoutMs, ...(method === 'POST' ? { body } : {}) });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'unavailable') throw new ProviderError('unavailable', 'provider_unavailable', error.message);
    throw new ProviderError('refused', 'provider_address_refused', error.message);
  }
  const { status } = answer;
  if (status >= 500 || status === 429 || status === 409)
    throw new ProviderError('unavailable', 'provider_unavailable', `the provider answered ${status}`);
  let value: unknown;
  try {
    value = JSON.parse(answer.body.toString('utf8'));
  } catch {
    throw new ProviderError('unavailable', 'provider_unavailable', `the provider answered ${status} with no JSON`);
  }
  if (status >= 200 && status < 300) return value as T;
  const { error } = value as ApiError;
  const code = shortCode(error?.decline_code ?? error?.code ?? error?.type);
  if (status === 402 && error?.payment_intent) throw new Declined(error.payment_intent, code);
  throw new ProviderError('refused', code, `the provider refused with ${status} ${code}`);
}

/** Error codes come from outside: nothing but a short word of them is kept. */
export function shortCode(code: string | undefined): string {
  return code !== undefined && /^[a-z0-9_]{1,60}$/.test(code) ? code : 'provider_refused';
}

/** Currencies that the provider counts with another exponent than ISO 4217. */
const exponents: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: 0 };

/** Minor units by ISO 4217 → the provider's. */
export function toProvider(amount: number, currency: string): number {
  const shift = (exponents[currency] ?? exponentOf(currency)) - exponentOf(currency);
  if (shift >= 0) return amount * 10 ** shift;
  const unit = 10 ** -shift;
  if (amount % unit !== 0)
    throw new ProviderError('refused', 'amount_not_payable', `${currency} is paid in whole units of ${unit}`);
  return amount / unit;
}
/** The provider's minor units → ISO 4217. An amount that isn't whole comes out as a fraction and so never equals what was expected. */
export function fromProvider(amount: number, currency: string): number {
  const shift = (exponents[currency] ?? exponentOf(currency)) - exponentOf(currency);
  return shift >= 0 ? amount / 10 ** shift : amount * 10 ** -shift;
}
