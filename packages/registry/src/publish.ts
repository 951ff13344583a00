import { createHash } from 'node:crypto';
import semver from 'semver';
import { z } from 'zod';
import { Refusal } from './refusal.ts';
import { isTag, tarballName, unscoped } from './request.ts';
import type { Signer } from './signing.ts';
import { inspectTarball, maxManifest, maxTarball } from './tarball.ts';

/** What npm and pnpm send: one version and its tarball. */
const sent = z.object({
  name: z.string(),
  'dist-tags': z.record(z.string(), z.string()),
  versions: z.record(z.string(), z.object({ readme: z.string().optional() }).loose()),
  readme: z.string().optional(),
  _attachments: z.record(z.string(), z.object({ data: z.base64(), length: z.int().optional() }).loose()),
});

const refuse = (why: string, fix?: string): Refusal => new Refusal('package_refused', why, fix);
const only = <T>(record: Record<string, T>, what: string): [string, T] => {
  const [first, ...more] = Object.entries(record);
  if (first === undefined || more.length > 0)
    throw refuse(
      `a publication has one ${what}, this one has ${more.length + (first === undefined ? 0 : 1)}`,
      'Versions that are there stay as they are',
    );
  return first;
};

/**
 * What is stored for a publication. The package.json inside the tarball is the one that counts: what the client says beside it is not
 * believed, so that nobody is shown another package than the one that is installed.
 * @throws Refusal
 */
export async function prepared(name: string, body: unknown, signer: Signer): Promise<Record<string, unknown>> {
  const parsed = sent.safeParse(body);
  if (!parsed.success)
    throw refuse(
      `this is no publication (${parsed.error.issues.map(({ path }) => path.join('.') || 'body').join(', ')})`,
      'Publish with npm publish or pnpm publish; versions are not changed or withdrawn',
    );
  const { _attachments: attachments, versions, 'dist-tags': tags } = parsed.data;
  if (parsed.data.name !== name) throw refuse(`${parsed.data.name} can not be published as ${name}`);
  const [number, { readme }] = only(versions, 'version');
  const [, attachment] = only(attachments, 'tarball');
  if (semver.valid(number) !== number) throw refuse(`${number.slice(0, 50)} is no version`);
  for (const [tag, version] of Object.entries(tags)) {
    if (!isTag(tag)) throw refuse(`${tag.slice(0, 50)} is no tag`);
    if (version !== number) throw refuse(`the tag ${tag} names ${version.slice(0, 50)}, which this publication does not bring`);
  }
  if (Buffer.byteLength(attachment.data, 'base64') > maxTarball)
    throw new Refusal('package_too_large', `the tarball has more than ${maxTarball} bytes`);
  const bytes = Buffer.from(attachment.data, 'base64');
  if (attachment.length !== undefined && attachment.length !== bytes.length)
    throw refuse(`the tarball has ${bytes.length} bytes and says ${attachment.length}`);
  const { manifest, contents, fileCount, unpackedSize } = await inspectTarball(bytes);
  if (manifest.name !== name || manifest.version !== number)
    throw refuse(`the tarball is ${String(manifest.name)}@${String(manifest.version)}, not ${name}@${number}`);
  if (manifest.private === true) throw refuse('its package.json says private');

  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  const file = tarballName(name, number);
  const version = {
    ...withoutReserved(manifest),
    ...(typeof manifest.bin === 'string' ? { bin: { [unscoped(name)]: manifest.bin } } : {}),
    _id: `${name}@${number}`,
    ...(readme === undefined ? {} : { readme: readme.slice(0, maxManifest) }),
    dist: {
      integrity,
      shasum: createHash('sha1').update(bytes).digest('hex'),
      // Verdaccio reads the file's name from it; each caller is given its own address.
      tarball: `http://localhost/${name}/-/${file}`,
      fileCount,
      unpackedSize,
      // As npm's registry signs, for `npm audit signatures`.
      signatures: [signer.sign(`${name}@${number}:${integrity}`)],
      // For the kernel, which sees files and no tarball.
      contents: { digest: contents, ...signer.sign(contentsMessage(name, number, contents)) },
    },
  };
  return {
    _id: name,
    name,
    'dist-tags': Object.keys(tags).length === 0 ? { latest: number } : tags,
    versions: { [number]: version },
    ...(parsed.data.readme === undefined ? {} : { readme: parsed.data.readme.slice(0, maxManifest) }),
    _attachments: {
      [file]: { content_type: 'application/octet-stream', data: attachment.data, length: bytes.length },
    },
  };
}

/** What the registry signs of a package's files. */
export const contentsMessage = (name: string, version: string, digest: string): string => `${name}@${version}:contents:${digest}`;

/** A package.json may hold anything; `dist` and what begins with `_` is the registry's. */
const withoutReserved = (manifest: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(manifest).filter(([key]) => key !== 'dist' && key !== 'readme' && !key.startsWith('_')));
