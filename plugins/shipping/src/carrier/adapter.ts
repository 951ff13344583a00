import type { GuardedHttp, InboundRequest, MoneyValue } from '@storeloom/plugin-sdk';
import type { Address, PostalAddress } from '@storeloom/plugin-sdk/people';
import type { AwbStatus } from '../awb/states.ts';
import type { Sender } from './carrier.ts';

/** The connection to a carrier, with unsealed secrets. */
export interface CarrierCall {
  readonly http: GuardedHttp;
  readonly credentials: Readonly<Record<string, string | undefined>>;
  readonly mode: 'test' | 'live';
  readonly sender: Sender;
  readonly timeoutMs: number;
}

interface Parcel {
  weightG: number;
  lengthMm: number | null;
  widthMm: number | null;
  heightMm: number | null;
}
/** The recipient of a parcel. Quotes contain only the location. */
export interface Recipient extends Omit<PostalAddress, 'line1'>, Pick<Address, 'company' | 'phone' | 'email'> {
  name: string | null;
  line1: string | null;
}
export interface QuoteRequest {
  recipient: Recipient;
  parcels: Parcel[];
  currency: string;
}
interface PickupPoint {
  id: string;
  name: string;
  address: string;
}
export interface ServiceQuote {
  serviceCode: string;
  price: MoneyValue;
  etaMinDays: number | null;
  etaMaxDays: number | null;
  pickupPoints: PickupPoint[] | null;
}
export interface AwbInput {
  /** Idempotency key. */
  key: string;
  /** The order number, printed by the carrier. */
  reference: string;
  serviceCode: string | null;
  recipient: Recipient;
  parcels: Parcel[];
  cod: MoneyValue | null;
  declaredValue: MoneyValue | null;
  pickupPointId: string | null;
}
interface Label {
  content: Buffer;
  /** Media type, usually `application/pdf`. */
  type: string;
}
/** A tracking event. `status` is null for a code that doesn't determine a state. */
export interface CarrierEvent {
  awbNumber: string;
  code: string;
  status: AwbStatus | null;
  at: string;
  location: string | null;
  description: string | null;
}

/** The settings that verify a notification, newest secret first. */
export interface WebhookProof {
  verification: 'secret' | 'basic' | 'hmac' | 'ip_list';
  secrets: readonly string[];
  allowedIps: readonly string[];
}
export type WebhookRequest = Pick<InboundRequest, 'raw' | 'headers' | 'query' | 'ip'>;

/** One carrier. Calls throw `CarrierError`; `createAwb` is idempotent by its key. */
export interface CarrierAdapter {
  quote(call: CarrierCall, request: QuoteRequest): Promise<ServiceQuote[]>;
  createAwb(call: CarrierCall, order: AwbInput): Promise<{ awbNumber: string; price: MoneyValue | null }>;
  label(call: CarrierCall, awbNumber: string): Promise<Label>;
  /** Succeeds if the carrier doesn't know the parcel. */
  cancel(call: CarrierCall, awbNumber: string): Promise<void>;
  track(call: CarrierCall, awbNumber: string): Promise<CarrierEvent[]>;
  /** Verifies the raw bytes in constant time. */
  verifyWebhook(request: WebhookRequest, proof: WebhookProof): boolean;
  /** Throws if the body can't be parsed. */
  eventId(raw: Buffer): string;
  /** Throws if the body can't be parsed. */
  normalise(raw: string): CarrierEvent[];
}

/** `refused`: a permanent refusal. `unavailable`: no valid response, so the carrier may have processed the request. */
export class CarrierError extends Error {
  readonly kind: 'refused' | 'unavailable';
  constructor(kind: 'refused' | 'unavailable', message: string) {
    super(message.slice(0, 500));
    this.name = 'CarrierError';
    this.kind = kind;
  }
}
