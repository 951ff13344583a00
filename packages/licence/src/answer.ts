import { verifyCompact } from '@storeloom/keys';
import { z } from 'zod';
import { writtenKey } from './keys.ts';
import type { LicenceKeys } from './verify.ts';

/** Results that a licence server can return. */
const licenceAnswers = [
  'valid',
  'not_found',
  'suspended',
  'expired',
  'overdue',
  'no_activation',
  'fingerprint_mismatch',
  'heartbeat_dead',
  'too_many_activations',
  'entitlement_missing',
  'version_not_covered',
  'wrong_environment',
] as const;
export type LicenceAnswer = (typeof licenceAnswers)[number];

/** Token types that an issuer signs besides licences. */
export const answerType = 'license-answer+jwt';
export const keyListType = 'license-keys+jwt';
export const revocationsType = 'license-revocations+jwt';

const seconds = z.int().min(0).max(253_402_300_799);
const answer = z.object({
  iss: z.string(),
  /** Installation that sent the request. */
  sub: z.string(),
  /** Nonce of the request, so that an old response isn't accepted for a new one. */
  nonce: z.string(),
  /** The server's time. */
  iat: seconds,
  answer: z.enum(licenceAnswers),
  certificate: z.string().optional(),
  revocations: z.string().optional(),
  keys: z.array(writtenKey).max(20).optional(),
});
export type SignedAnswer = z.infer<typeof answer>;
const keyList = z.object({ iss: z.string(), iat: seconds, keys: z.array(writtenKey).min(1).max(20) });
const revocations = z.object({
  iss: z.string(),
  iat: seconds,
  exp: seconds,
  seq: z.int().min(0),
  revoked: z.array(z.string()),
});

export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly unknownKey: boolean; readonly why: string };

async function read<T extends { iss: string }>(
  token: unknown,
  type: string,
  schema: z.ZodType<T>,
  keys: LicenceKeys,
): Promise<Read<T>> {
  let unknownKey = false;
  if (typeof token !== 'string') return { ok: false, unknownKey, why: 'it is not a token' };
  let issuer: string | undefined;
  const result = await verifyCompact(token, {
    type,
    key(kid) {
      const found = keys.get(kid);
      unknownKey = found === undefined;
      issuer = found?.issuer;
      return found?.key;
    },
  });
  if (!result.ok) return { ok: false, unknownKey, why: result.why };
  const parsed = schema.safeParse(result.claims);
  if (!parsed.success) return { ok: false, unknownKey: false, why: 'it has a shape that this version does not know' };
  if (issuer !== undefined && parsed.data.iss !== issuer) return { ok: false, unknownKey: false, why: 'its issuer is another' };
  return { ok: true, value: parsed.data };
}

/** Verifies a response: signed by a key of the issuer, and made for this request. */
export async function verifyResponse(
  token: unknown,
  { keys, installation, nonce }: { keys: LicenceKeys; installation: string; nonce: string },
): Promise<Read<SignedAnswer>> {
  const result = await read(token, answerType, answer, keys);
  if (result.ok && (result.value.sub !== installation || result.value.nonce !== nonce))
    return { ok: false, unknownKey: false, why: 'it answers another question' };
  return result;
}

/** Verifies the list of the issuer's current keys, signed by a known one. */
export const verifyKeyList = (token: unknown, keys: LicenceKeys): Promise<Read<z.infer<typeof keyList>>> =>
  read(token, keyListType, keyList, keys);

/** Verifies the signed list of revoked licences. Rejects an expired list, and one older than the last. */
export async function verifyRevocations(
  token: unknown,
  { keys, seq, now }: { keys: LicenceKeys; seq: number; now: number },
): Promise<Read<z.infer<typeof revocations>>> {
  const result = await read(token, revocationsType, revocations, keys);
  if (!result.ok) return result;
  if (result.value.seq < seq) return { ok: false, unknownKey: false, why: 'a newer list was seen' };
  if (result.value.exp * 1000 <= now) return { ok: false, unknownKey: false, why: 'it is over' };
  return result;
}
