import type { Ctx, GuardedHttp, InboundReply, InboundRequest, Shape } from '@storeloom/plugin-sdk';

/** What an adapter needs of the shop to talk to its provider. Secrets of `config` are open. */
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
  /** Where the buyer comes back to. */
  returnUrl: string;
  expiresAt: string | null;
  locale: string;
  /** The buyer asked to keep the instrument. */
  saveInstrument: boolean;
  /** Token of a kept instrument: charged without the buyer. */
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
  /** Our id, as the provider kept it; null for a refund that was made elsewhere. */
  refundId: string | null;
  amount: number;
  status: 'pending' | 'succeeded' | 'failed' | 'cancelled';
}

/** A payment as the provider sees it now. Amounts in minor units by ISO 4217. */
export interface ProviderPayment {
  ref: string;
  /** Our id, as the provider kept it. */
  paymentId: string | null;
  status: ProviderStatus;
  /** What was asked for. */
  amount: number;
  currency: string;
  /** Reserved or taken so far. */
  authorized: number;
  captured: number;
  refunds: ProviderRefund[];
  error: string | null;
  clientSecret: string | null;
  redirectUrl: string | null;
  instrument: { token: string; brand: string; last4: string; expiry: string | null } | null;
}

/** What a notification is about. Its content is never believed: the adapter is asked for the present state. */
export interface ProviderEvent {
  type: string;
  paymentRef: string | null;
  paymentId: string | null;
}

/**
 * One payment provider. Every call carries a key, under which the provider does its work once; each may be repeated.
 * Calls throw `ProviderError`.
 */
export interface PaymentAdapter {
  readonly provider: string;
  /** Fields of a method's `config`; `f.secret` ones are write-only. */
  readonly config: Shape;
  /** Members that a method needs before it can be enabled. */
  readonly required: readonly string[];
  /** Member of the config that names the account in notifications. */
  readonly accountMember: string;
  /** Members that hold the secrets of notifications; two live ones during a rotation. */
  readonly webhookSecrets: readonly string[];
  createIntent(call: ProviderCall, request: IntentRequest): Promise<ProviderPayment>;
  status(call: ProviderCall, ref: string): Promise<ProviderPayment>;
  /** `final`: nothing more will be taken, the rest of the authorisation is released. */
  capture(
    call: ProviderCall,
    request: { ref: string; amount: number; currency: string; final: boolean; key: string },
  ): Promise<ProviderPayment>;
  /** Releases what isn't captured, and ends what still waits for the buyer. What was captured stays. */
  void(call: ProviderCall, request: { ref: string; key: string }): Promise<ProviderPayment>;
  refund(
    call: ProviderCall,
    request: { ref: string; amount: number; currency: string; refundId: string; key: string },
  ): Promise<ProviderRefund>;
  /** True when one of the secrets made the signature over the raw bytes, inside the time window. Constant-time. */
  verifyWebhook(request: Pick<InboundRequest, 'raw' | 'headers' | 'now'>, secrets: readonly string[]): boolean;
  /** The account that a notification names. Nothing else is read before the signature is checked. */
  accountOf(raw: Buffer): string | undefined;
  /** Throws where there is none. */
  eventId(raw: Buffer): string;
  /** Undefined: of no interest. */
  normalise(raw: string): ProviderEvent | undefined;
  acknowledge(): InboundReply;
}

/**
 * `refused`: the provider said no, and will again. `unavailable`: no or no clear answer; what was asked for may have been done, so the
 * call is repeated with the same key.
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
