import { type DataDir, thrownMessage } from '@storeloom/keys';
import { z } from 'zod';
import { digestContents, UnexpectedFile } from './contents.ts';
import type { Candidate } from './manifest.ts';
import { isSigned, needsSignature, type RegistryTrust, type SignedContents, signedContents } from './provenance.ts';
import type { Manifest } from './registry.ts';

const file = 'package-signatures.json';
const kept = z.record(z.string(), signedContents);
const answer = z.object({ dist: z.object({ contents: signedContents.optional() }) });
const timeout = 5_000;
const maxBytes = 2_000_000;

export interface SignaturesOptions {
  readonly dataDir: Pick<DataDir, 'readJson' | 'writeJson'>;
  readonly trust: RegistryTrust;
  readonly candidates: readonly Candidate[];
  /** Registry token of the licence. */
  readonly token: string | undefined;
  readonly fetch?: typeof fetch;
}

/**
 * Returns the signatures of the installed packages from the data directory. A missing one (of a newly installed package) is requested from
 * the registry once, so that later boots need no network. So is one that doesn't match the files, since a developer's registry can publish
 * a version again.
 */
export async function collectSignatures(options: SignaturesOptions): Promise<(manifest: Manifest) => SignedContents | string> {
  const { dataDir, trust, candidates } = options;
  const parsed = kept.safeParse(dataDir.readJson(file) ?? {});
  // An unreadable entry is requested again.
  const known = parsed.success ? parsed.data : {};
  const wanted = candidates.flatMap((candidate) =>
    candidate.manifest && needsSignature(candidate, trust) ? [candidate.manifest] : [],
  );
  const found = new Map<string, SignedContents | string>();
  await Promise.all(
    wanted.map(async (manifest) => {
      const key = keyOf(manifest);
      const held = Object.hasOwn(known, key) ? known[key] : undefined;
      found.set(key, held && isSigned(manifest, held, trust) && fits(manifest, held) ? held : await ask(manifest, options));
    }),
  );
  const learned = [...found].filter(([key, value]) => typeof value !== 'string' && value !== known[key]);
  if (learned.length > 0) dataDir.writeJson(file, { ...known, ...Object.fromEntries(learned) });
  return (manifest) => found.get(keyOf(manifest)) ?? 'no signature is known of it';
}

function fits({ dir }: Manifest, { digest }: SignedContents): boolean {
  try {
    return digestContents(dir) === digest;
  } catch (error) {
    if (error instanceof UnexpectedFile) return false;
    throw error;
  }
}

const keyOf = ({ package: name, version }: Manifest): string => `${name}@${version}`;

async function ask(
  manifest: Manifest,
  { trust, token, fetch: call = fetch }: SignaturesOptions,
): Promise<SignedContents | string> {
  const address = `${trust.url.replace(/\/+$/, '')}/${manifest.package.replace('/', '%2f')}/${manifest.version}`;
  try {
    const response = await call(address, {
      headers: { accept: 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      // The token is only sent to the configured registry.
      redirect: 'error',
      signal: AbortSignal.timeout(timeout),
    });
    const text = await response.text();
    if (text.length > maxBytes) return 'the registry answered too much when it was asked for its signature';
    if (!response.ok) return `the registry has no signature of it for this installation: ${refusalOf(text) ?? response.status}`;
    const { contents } = answer.parse(JSON.parse(text)).dist;
    return contents ?? 'it is not signed';
  } catch (error) {
    return `its signature is unknown, and the registry can't be reached (${thrownMessage(error)})`;
  }
}

function refusalOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'string' ? error.slice(0, 500) : undefined;
  } catch {
    return undefined;
  }
}
