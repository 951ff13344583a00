import { z } from 'zod';
import { writtenKey } from './keys.ts';

const instant = z.iso.datetime();
const body = z.object({
  /** The certificate. Null: none is held, only tombstones are. */
  token: z.string().nullable(),
  /** The activation key, sealed. Null for a certificate that was pasted: nothing is asked of a server then. */
  key: z.string().nullable(),
  keyHint: z.string().nullable(),
  revoked: z.boolean(),
  /** First failed heartbeat since the last answer. */
  offlineSince: instant.nullable(),
  renewalFailed: z.boolean(),
  /** Greatest time seen: the server's, or that of the newest order. */
  latestSeen: instant.nullable(),
  lastHeartbeatAt: instant.nullable(),
  /** Of the newest revocation list; it only grows. */
  revocationSeq: z.int().min(0),
  /** Keys that the issuer's answers have named. */
  learnedKeys: z.array(writtenKey),
  /** Licences that were given back and whose server hasn't heard of it: sealed activation keys. */
  tombstones: z.array(z.string()),
});
export type LicenceDocument = z.infer<typeof body>;

export const noDocument: LicenceDocument = {
  token: null,
  key: null,
  keyHint: null,
  revoked: false,
  offlineSince: null,
  renewalFailed: false,
  latestSeen: null,
  lastHeartbeatAt: null,
  revocationSeq: 0,
  learnedKeys: [],
  tombstones: [],
};

const stored = z.object({ body, mac: z.string() });
type Sign = (text: string) => string;

const canonical = (document: LicenceDocument): string => JSON.stringify(body.parse(document));

/** As it is kept in the database, signed with a secret of the installation: a clock or a seat can't be put back by hand. */
export function sealDocument(document: LicenceDocument, sign: Sign): { body: LicenceDocument; mac: string } {
  return { body: body.parse(document), mac: sign(canonical(document)) };
}

export type OpenedDocument =
  | { readonly ok: true; readonly document: LicenceDocument; readonly untouched: boolean }
  | { readonly ok: false };

/** `untouched: false`: somebody else has written it. The certificate in it is judged by its own signature, the rest isn't believed. */
export function openDocument(value: unknown, sign: Sign): OpenedDocument {
  const parsed = stored.safeParse(value);
  if (!parsed.success) return { ok: false };
  const { body: document, mac } = parsed.data;
  return { ok: true, document, untouched: sign(canonical(document)) === mac };
}
