import { randomBytes } from 'node:crypto';
import { hashToken } from '@storeloom/plugin-sdk/public';

const none = '00000000-0000-0000-0000-000000000000';

/** 256 random bits, base64url. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}
function bytesOf(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}
function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** An opaque token that says where its row is, so that it can be looked up behind the tenant's wall. Only its hash is stored. */
interface OpaqueToken {
  readonly text: string;
  readonly hash: string;
  readonly tenantId: string | null;
}
export interface RefreshToken extends OpaqueToken {
  readonly sessionId: string;
}

const refreshPattern = /^[\w-]{43}\.[\w-]{43}$/;

export function newRefreshToken(tenantId: string | null, sessionId: string): RefreshToken {
  const place = Buffer.concat([bytesOf(tenantId ?? none), bytesOf(sessionId)]).toString('base64url');
  const text = `${place}.${randomSecret()}`;
  return { text, hash: hashToken(text), tenantId, sessionId };
}
export function readRefreshToken(text: string | undefined): RefreshToken | undefined {
  if (text === undefined || !refreshPattern.test(text)) return undefined;
  const place = Buffer.from(text.slice(0, 43), 'base64url');
  const tenantId = uuidOf(place.subarray(0, 16));
  return {
    text,
    hash: hashToken(text),
    tenantId: tenantId === none ? null : tenantId,
    sessionId: uuidOf(place.subarray(16, 32)),
  };
}

/** Whom a mail's token is for. */
const mailTokenKinds = { customer: 'c', user: 'u', account: 'a', operator: 'o' } as const;
export type MailTokenKind = keyof typeof mailTokenKinds;
export interface MailToken extends OpaqueToken {
  readonly kind: MailTokenKind;
}

export function newMailToken(kind: MailTokenKind, tenantId: string | null): MailToken {
  const text = `${mailTokenKinds[kind]}${bytesOf(tenantId ?? none).toString('base64url')}.${randomSecret()}`;
  return { text, hash: hashToken(text), tenantId, kind };
}
export function readMailToken(text: string): MailToken | undefined {
  const match = /^([cuao])([\w-]{22})\.[\w-]{43}$/.exec(text);
  const kind = (Object.keys(mailTokenKinds) as MailTokenKind[]).find((name) => mailTokenKinds[name] === match?.[1]);
  if (!match || !kind) return undefined;
  const tenantId = uuidOf(Buffer.from(match[2] as string, 'base64url'));
  const ofTenant = kind === 'customer' || kind === 'user';
  if (ofTenant === (tenantId === none)) return undefined;
  return { text, hash: hashToken(text), tenantId: ofTenant ? tenantId : null, kind };
}
