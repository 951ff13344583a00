import { z } from 'zod';
import { writtenKey } from './keys.ts';

const instant = z.iso.datetime();
const body = z.object({
  /** The certificate; null if there are only tombstones. */
  token: z.string().nullable(),
  /** The activation key, sealed. Null for a certificate that was entered directly: no server is contacted then. */
  key: z.string().nullable(),
  keyHint: z.string().nullable(),
  revoked: z.boolean(),
  /** First failed heartbeat since the last response. */
  offlineSince: instant.nullable(),
  renewalFailed: z.boolean(),
  /** Latest time seen: that of the server, or of the newest order. */
  latestSeen: instant.nullable(),
  lastHeartbeatAt: instant.nullable(),
  /** Sequence number of the newest revocation list; never decreases. */
  revocationSeq: z.int().min(0),
  /** Keys of the issuer's key lists. */
  learnedKeys: z.array(writtenKey),
  /** Sealed activation keys of deactivated licences whose server has not been notified yet. */
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

/** Returns the form stored in the database, signed with a secret of the installation, so that times and seats can't be edited. */
export function sealDocument(document: LicenceDocument, sign: Sign): { body: LicenceDocument; mac: string } {
  return { body: body.parse(document), mac: sign(canonical(document)) };
}

export type OpenedDocument =
  | { readonly ok: true; readonly document: LicenceDocument; readonly untouched: boolean }
  | { readonly ok: false };

/** Reads the stored form. `untouched: false`: it was edited; the certificate is verified by its own signature, the rest is discarded. */
export function openDocument(value: unknown, sign: Sign): OpenedDocument {
  const parsed = stored.safeParse(value);
  if (!parsed.success) return { ok: false };
  const { body: document, mac } = parsed.data;
  return { ok: true, document, untouched: sign(canonical(document)) === mac };
}
