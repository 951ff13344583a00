import type { Ctx, GuardedHttp, InboundReply, InboundRequest, Shape } from '@storeloom/plugin-sdk';

/** What an adapter needs to call its provider. Secrets of `config` are decrypted. */
export interface ProviderCall {
  readonly http: GuardedHttp;
  readonly config: Readonly<Record<string, string | null>>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface IntentRequest {
  paymentId: string;
  tenantId: string;
  /** Minor units by ISO 4217. */
  amount: number;
  currency: string;
  capture: 'auto' | 'manual';
  email: string | null;
  description: string;
  /** URL to which the buyer returns. */
  returnUrl: string;
  expiresAt: string | null;
  locale: string;
  /** The buyer wants to save the instrument. */
  saveInstrument: boolean;
  /** Token of a saved instrument, charged without the buyer. */
  instrument: string | null;
  /** Idempotency key. */
  key: string;
}

export type ProviderStatus =
  | 'requires_action'
  | 'authorized'
  | 'partially_captured'
  | 'captured'
  | 'failed'
  | 'expired'
  | 'cancelled';

export interface ProviderRefund {
  ref: string;
  /** Id of the shop's refund as stored by the provider; null for a refund created at the provider. */
  refundId: string | null;
  amount: number;
  status: 'pending' | 'succeeded' | 'failed' | 'cancelled';
}

/** A payment as reported by the provider. Amounts in minor units by ISO 4217. */
export interface ProviderPayment {
  ref: string;
  /** Id of the shop's payment as stored by the provider. */
  paymentId: string | null;
  status: ProviderStatus;
  /** The requested amount. */
  amount: number;
  currency: string;
  /** Authorised and captured amounts so far. */
  authorized: number;
  captured: number;
  refunds: ProviderRefund[];
  error: string | null;
  clientSecret: string | null;
  redirectUrl: string | null;
  instrument: { token: string; brand: string; last4: string; expiry: string | null } | null;
}

/** The subject of a notification. Its content isn't trusted: the adapter reads the current state. */
export interface ProviderEvent {
  type: string;
  paymentRef: string | null;
  paymentId: string | null;
}

/** Adapter of a payment provider. Every call has an idempotency key and may be repeated. Calls throw `ProviderError`. */
export interface PaymentAdapter {
  readonly provider: string;
  /** Fields of a method's `config`; `f.secret` ones are write-only. */
  readonly config: Shape;
  /** Config fields required to enable a method. */
  readonly required: readonly string[];
  /** Config field with the account id of notifications. */
  readonly accountField: string;
  /** Config fields with webhook secrets; two during a rotation. */
  readonly webhookSecrets: readonly string[];
  createIntent(call: ProviderCall, request: IntentRequest): Promise<ProviderPayment>;
  status(call: ProviderCall, ref: string): Promise<ProviderPayment>;
  /** `final`: the last capture, which releases the remaining authorisation. */
  capture(
    call: ProviderCall,
    request: { ref: string; amount: number; currency: string; final: boolean; key: string },
  ): Promise<ProviderPayment>;
  /** Releases the uncaptured authorisation and cancels a pending payment. Captured money stays. */
  void(call: ProviderCall, request: { ref: string; key: string }): Promise<ProviderPayment>;
  refund(
    call: ProviderCall,
    request: { ref: string; amount: number; currency: string; refundId: string; key: string },
  ): Promise<ProviderRefund>;
  /** Whether one of the secrets signed the raw bytes within the time window. Compares in constant time. */
  verifyWebhook(request: Pick<InboundRequest, 'raw' | 'headers' | 'now'>, secrets: readonly string[]): boolean;
  /** The account id of a notification. No other content is read before the signature is verified. */
  accountOf(raw: Buffer): string | undefined;
  /** Throws if the event has no id. */
  eventId(raw: Buffer): string;
  /** Returns undefined for irrelevant events. */
  normalise(raw: string): ProviderEvent | undefined;
  acknowledge(): InboundReply;
}

/**
 * `refused`: the provider refuses permanently. `unavailable`: no clear response; the request may have been executed, so the call is
 * repeated with the same key.
 */
export class ProviderError extends Error {
  readonly kind: 'refused' | 'unavailable';
  /** Short code in snake_case, shown to staff. */
  readonly code: string;
  constructor(kind: 'refused' | 'unavailable', code: string, message: string) {
    super(message);
    this.name = 'ProviderError';
    this.kind = kind;
    this.code = code;
  }
}

export type ProviderHost = Pick<Ctx, 'use' | 'clock' | 'unseal'>;
