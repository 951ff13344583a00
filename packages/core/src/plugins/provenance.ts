import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Reason } from '@storeloom/keys';
import { z } from 'zod';
import { reasonOf } from '../installation/fault.ts';
import { digestContents, UnexpectedFile } from './contents.ts';
import { type Candidate, isFolder } from './manifest.ts';
import type { Manifest } from './registry.ts';

/** A public key of a package registry, as in its `/-/npm/v1/keys`: ECDSA on P-256. */
const registryKey = z.strictObject({
  keyid: z.string().min(1).max(200),
  /** SPKI in DER, base64. */
  key: z.string().refine(isKey, 'must be the key of a registry, ECDSA on P-256'),
});
/** The registry of an installation's packages, and the keys of its signatures. */
export const registryTrust = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).refine(isSafe, 'must be an https address; http only on this machine'),
  keys: z.array(registryKey).min(1).max(20),
  /** Packages from other sources, accepted without a signature. */
  unsigned: z.array(z.string().min(1)).default([]),
});
/** Input form, without defaults. */
export type RegistryTrustConfig = z.input<typeof registryTrust>;
export type RegistryTrust = z.infer<typeof registryTrust>;

/** The signed digest of a package's files. */
export const signedContents = z.object({
  digest: z.string().regex(/^sha512-[A-Za-z0-9+/]{86}==$/),
  keyid: z.string().max(200),
  sig: z.base64().max(1000),
});
export type SignedContents = z.infer<typeof signedContents>;

const installScripts = ['preinstall', 'install', 'postinstall'] as const;

/** Returns true for the installation's own code, which has no signature: a folder, or a package of its workspace. */
const isOwnCode = ({ spec }: Candidate, { dir }: Manifest): boolean => isFolder(spec) || !dir.split(sep).includes('node_modules');

/** Returns true if a package must be signed. */
export const needsSignature = (candidate: Candidate, trust: RegistryTrust): boolean =>
  candidate.manifest !== null && !trust.unsigned.includes(candidate.package) && !isOwnCode(candidate, candidate.manifest);

export function isSigned({ package: name, version }: Manifest, signed: SignedContents, trust: RegistryTrust): boolean {
  const known = trust.keys.find(({ keyid }) => keyid === signed.keyid);
  if (!known) return false;
  const message = Buffer.from(`${name}@${version}:contents:${signed.digest}`);
  return verify('sha256', message, keyOf(known.key), Buffer.from(signed.sig, 'base64'));
}

export interface ProvenanceRules {
  readonly trust: RegistryTrust;
  /** Returns the signed digest of a package, or a text that explains why there is none. */
  readonly signed: (manifest: Manifest) => SignedContents | string;
}

/**
 * Returns why an installed package must not be imported: it has install scripts, its signature is missing or invalid, or its files differ from
 * the signed ones. Works offline.
 */
export function provenanceFault(candidate: Candidate, { trust, signed }: ProvenanceRules): Reason | undefined {
  const { manifest } = candidate;
  if (manifest === null || !needsSignature(candidate, trust)) return undefined;
  const { package: name, version, dir } = manifest;
  const fault = (why: string, fix = `rm -rf ${dir} && npm i --ignore-scripts ${name}@${version}`): Reason =>
    reasonOf({
      code: 'signature_invalid',
      what: `${name} ${version} is not what the registry has published`,
      where: dir,
      why,
      fix,
    });
  const scripts = (JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as { scripts?: Record<string, unknown> }).scripts;
  const found = installScripts.filter((script) => scripts?.[script] !== undefined);
  if (found.length > 0)
    return fault(`it runs ${found.join(', ')} at install, which no package of the registry does`, 'ask its author');
  const statement = signed(manifest);
  if (typeof statement === 'string')
    return fault(statement, `take it from ${trust.url}, or name it in registry.unsigned of storeloom.config`);
  if (!isSigned(manifest, statement, trust))
    return fault('its signature is by none of the keys in registry.keys of storeloom.config');
  try {
    if (digestContents(dir) !== statement.digest) return fault('its files are not those that were signed');
  } catch (error) {
    if (!(error instanceof UnexpectedFile)) throw error;
    return fault(error.message);
  }
  return undefined;
}

function keyOf(key: string): KeyObject {
  return createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
}
function isKey(text: string): boolean {
  try {
    const key = keyOf(text);
    return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}
function isSafe(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '' || search !== '' || hash !== '') return false;
  return protocol === 'https:' || ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}
