import type { GuardedHttp, InboundRequest, MoneyValue } from '@storeloom/plugin-sdk';
import type { Address, PostalAddress } from '@storeloom/plugin-sdk/people';
import type { AwbStatus } from '../awb/states.ts';
import type { Sender } from './carrier.ts';

/** What an adapter needs to talk to its carrier. Secrets are open. */
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
/** Where a parcel goes. A quote knows no more than the place. */
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
export interface AwbOrder {
  /** Idempotency key. */
  key: string;
  /** The order's number, for the carrier's papers. */
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
  /** `application/pdf`, or what else the carrier prints. */
  type: string;
}
/** A step of a parcel. `status` is null for a code that says nothing about the state. */
export interface CarrierEvent {
  awbNumber: string;
  code: string;
  status: AwbStatus | null;
  at: string;
  location: string | null;
  description: string | null;
}

/** What a notification is checked against, newest secret first. */
export interface WebhookProof {
  verification: 'secret' | 'basic' | 'hmac' | 'ip_list';
  secrets: readonly string[];
  allowedIps: readonly string[];
}
export type WebhookRequest = Pick<InboundRequest, 'raw' | 'headers' | 'query' | 'ip'>;

/** One carrier. Calls throw `CarrierError`; `createAwb` prints once a key. */
export interface CarrierAdapter {
  quote(call: CarrierCall, request: QuoteRequest): Promise<ServiceQuote[]>;
  createAwb(call: CarrierCall, order: AwbOrder): Promise<{ awbNumber: string; price: MoneyValue | null }>;
  label(call: CarrierCall, awbNumber: string): Promise<Label>;
  /** A parcel that the carrier doesn't know (any more) counts as cancelled. */
  cancel(call: CarrierCall, awbNumber: string): Promise<void>;
  track(call: CarrierCall, awbNumber: string): Promise<CarrierEvent[]>;
  /** Over the raw bytes; constant-time. */
  verifyWebhook(request: WebhookRequest, proof: WebhookProof): boolean;
  /** Throws where the body can't be read. */
  eventId(raw: Buffer): string;
  /** Throws where the body can't be read. */
  normalise(raw: string): CarrierEvent[];
}

/** `refused`: the carrier said no, and will again. `unavailable`: no or no clear answer; what was asked for may have been done. */
export class CarrierError extends Error {
  readonly kind: 'refused' | 'unavailable';
  constructor(kind: 'refused' | 'unavailable', message: string) {
    super(message.slice(0, 500));
    this.name = 'CarrierError';
    this.kind = kind;
  }
}
