import { createHash } from 'node:crypto';
import semver from 'semver';
import { z } from 'zod';
import { Refusal } from './refusal.ts';
import { isTag, tarballName, unscoped } from './request.ts';
import type { Signer } from './signing.ts';
import { inspectTarball, maxManifest, maxTarball } from './tarball.ts';

/** The request of npm and pnpm: one version and its tarball. */
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
      'Published versions can not be changed',
    );
  return first;
};

/**
 * Returns the packument to store for a publication. It uses the package.json inside the tarball and ignores the metadata sent by the
 * client, so the displayed package is the installed one.
 * @throws Refusal
 */
export async function prepared(name: string, body: unknown, signer: Signer): Promise<Record<string, unknown>> {
  const parsed = sent.safeParse(body);
  if (!parsed.success)
    throw refuse(
      `this is not a publication (${parsed.error.issues.map(({ path }) => path.join('.') || 'body').join(', ')})`,
      'Publish with npm publish or pnpm publish; versions can not be changed or removed',
    );
  const { _attachments: attachments, versions, 'dist-tags': tags } = parsed.data;
  if (parsed.data.name !== name) throw refuse(`${parsed.data.name} can not be published as ${name}`);
  const [number, { readme }] = only(versions, 'version');
  const [, attachment] = only(attachments, 'tarball');
  if (semver.valid(number) !== number) throw refuse(`${number.slice(0, 50)} is not a version`);
  for (const [tag, version] of Object.entries(tags)) {
    if (!isTag(tag)) throw refuse(`${tag.slice(0, 50)} is not a tag`);
    if (version !== number) throw refuse(`the tag ${tag} names ${version.slice(0, 50)}, which is not in this publication`);
  }
  if (Buffer.byteLength(attachment.data, 'base64') > maxTarball)
    throw new Refusal('package_too_large', `the tarball has more than ${maxTarball} bytes`);
  const bytes = Buffer.from(attachment.data, 'base64');
  if (attachment.length !== undefined && attachment.length !== bytes.length)
    throw refuse(`the tarball has ${bytes.length} bytes and declares ${attachment.length}`);
  const { manifest, contents, fileCount, unpackedSize } = await inspectTarball(bytes);
  if (manifest.name !== name || manifest.version !== number)
    throw refuse(`the tarball is ${String(manifest.name)}@${String(manifest.version)}, not ${name}@${number}`);
  if (manifest.private === true) throw refuse('its package.json is marked as private');

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
      // Verdaccio derives the file name from it; callers get their own URL.
      tarball: `http://localhost/${name}/-/${file}`,
      fileCount,
      unpackedSize,
      // In the format of npm's registry, for `npm audit signatures`.
      signatures: [signer.sign(`${name}@${number}:${integrity}`)],
      // For the kernel, which has the installed files and no tarball.
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

/** The message that the registry signs for the files of a package. */
export const contentsMessage = (name: string, version: string, digest: string): string => `${name}@${version}:contents:${digest}`;

/** `dist` and properties that start with `_` are reserved for the registry. */
const withoutReserved = (manifest: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(manifest).filter(([key]) => key !== 'dist' && key !== 'readme' && !key.startsWith('_')));
