import type { KeyObject } from 'node:crypto';
import { compactVerify } from 'jose';

export interface TokenRules {
  /** The `typ` it must have. */
  readonly type: string;
  /** The closed map of keys: never a path, an address or a query made from the `kid`. */
  key(kid: string): KeyObject | undefined;
}
export type Verified = { ok: true; kid: string; claims: Record<string, unknown> } | { ok: false; why: string };

const longest = 16_384;
const allowedHeader = new Set(['alg', 'typ', 'kid']);

const refuse = (why: string): Verified => ({ ok: false, why });

/**
 * Claims of a JWT in compact form that one of our Ed25519 keys has signed. Whatever else comes is refused, never thrown on. The
 * caller checks `iss`, `aud` and times.
 */
export async function verifyCompact(token: string, { type, key }: TokenRules): Promise<Verified> {
  // jose takes white space inside base64url, and decoders ignore the unused bits of the last character: only the one exact
  // spelling of a token is a token.
  if (token.length > longest || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return refuse('it is no token');
  const parts = token.split('.');
  if (parts.some((part) => Buffer.from(part, 'base64url').toString('base64url') !== part)) return refuse('it is no token');
  const header = jsonObject(parts[0] as string);
  if (header === undefined) return refuse('its header is no JSON object');
  // An embedded or remote key (jwk, jku, x5c, x5u), `crit`, or whatever comes next: we write three members and take three.
  const odd = Object.keys(header).filter((name) => !allowedHeader.has(name));
  if (odd.length > 0) return refuse(`its header has ${odd.map((name) => name.slice(0, 20)).join(', ')}`);
  if (header.alg !== 'EdDSA') return refuse('its algorithm is not EdDSA');
  if (header.typ !== type) return refuse(`its type is not ${type}`);
  if (typeof header.kid !== 'string') return refuse('it names no key');
  const verifying = key(header.kid);
  if (verifying === undefined) return refuse('its key is not known here');
  try {
    await compactVerify(token, verifying, { algorithms: ['EdDSA'] });
  } catch {
    return refuse('its signature does not match');
  }
  const claims = jsonObject(parts[1] as string);
  return claims === undefined ? refuse('its claims are no JSON object') : { ok: true, kid: header.kid, claims };
}

function jsonObject(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url')));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
