import type { KeyObject } from 'node:crypto';
import { compactVerify } from 'jose';

export interface TokenRules {
  /** Required `typ`. */
  readonly type: string;
  /** Looks up a key in a fixed map; the `kid` is never used as path, URL or query. */
  key(kid: string): KeyObject | undefined;
}
export type Verified = { ok: true; kid: string; claims: Record<string, unknown> } | { ok: false; why: string };

const longest = 16_384;
const allowedHeader = new Set(['alg', 'typ', 'kid']);

const refuse = (why: string): Verified => ({ ok: false, why });

/**
 * Verifies a compact JWT that one of the installation's Ed25519 keys has signed, and returns its claims. Invalid tokens are rejected, not
 * thrown. The caller checks `iss`, `aud` and times.
 */
export async function verifyCompact(token: string, { type, key }: TokenRules): Promise<Verified> {
  // jose accepts white space inside base64url, and decoders ignore the unused bits of the last character: accept only the canonical
  // encoding.
  if (token.length > longest || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return refuse('it is not a token');
  const parts = token.split('.');
  if (parts.some((part) => Buffer.from(part, 'base64url').toString('base64url') !== part)) return refuse('it is not a token');
  const header = jsonObject(parts[0] as string);
  if (header === undefined) return refuse('its header is not a JSON object');
  // Reject any other header parameter: an embedded or remote key (jwk, jku, x5c, x5u), `crit`, or a future one.
  const odd = Object.keys(header).filter((name) => !allowedHeader.has(name));
  if (odd.length > 0) return refuse(`its header has ${odd.map((name) => name.slice(0, 20)).join(', ')}`);
  if (header.alg !== 'EdDSA') return refuse('its algorithm is not EdDSA');
  if (header.typ !== type) return refuse(`its type is not ${type}`);
  if (typeof header.kid !== 'string') return refuse('it has no key id');
  const verifying = key(header.kid);
  if (verifying === undefined) return refuse('its key is unknown');
  try {
    await compactVerify(token, verifying, { algorithms: ['EdDSA'] });
  } catch {
    return refuse('its signature does not match');
  }
  const claims = jsonObject(parts[1] as string);
  return claims === undefined ? refuse('its claims are not a JSON object') : { ok: true, kid: header.kid, claims };
}

function jsonObject(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url')));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
