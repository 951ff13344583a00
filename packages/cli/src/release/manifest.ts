import { readFileSync } from 'node:fs';
import semver from 'semver';
import { z } from 'zod';
import { UsageError } from '../usage-error.ts';

const version = z.string().refine((text) => semver.valid(text) !== null, 'must be a semver version');
const range = z.string().refine((text) => semver.validRange(text) !== null, 'must be a semver range');
const versions = z.record(z.string(), version);

/** A configuration key that a release no longer reads. A renamed key is a removed one with a replacement. */
const removedKey = z.object({
  key: z.string(),
  since: version,
  /** The key to set instead. */
  replacement: z.string().optional(),
  /** Page of the migration guide. */
  guide: z.string().optional(),
});

const deprecation = z.object({
  kind: z.enum(['api', 'slot', 'config', 'route']),
  /** Name of an export or `Export.member`, id of a slot, name of a key, or method and path of a route. */
  name: z.string(),
  /** Package that exports the API. */
  package: z.string().optional(),
  since: version,
  removedIn: version,
  replacement: z.string().optional(),
});

/** `release.json` of `@storeloom/release`: what has to be known of a release before it is installed. */
const releaseManifest = z.object({
  /** Version of the product: that of core and SDK. */
  version,
  /** Date of the release (`2026-11-29`), which a licence's update period is compared with; absent before it. */
  released: z.iso.date().optional(),
  /** Every published package and its version. */
  packages: versions,
  /** Product versions that can be upgraded to this one directly. */
  upgradesFrom: range,
  node: range,
  /** Major versions of the server. */
  postgres: range,
  contracts: z.object({ pluginSdk: version, themeSdk: version }),
  configuration: z.object({ removed: z.array(removedKey) }),
  /** What this release deprecates, still serves, and names a removal version for. */
  deprecations: z.array(deprecation),
  /** Deprecated API that this release no longer has. */
  removals: z.array(deprecation),
  slots: z.object({
    removed: z.array(z.object({ id: z.string(), since: version, replacement: z.string().optional() })),
    /** Slots that every theme must have. */
    required: z.array(z.object({ id: z.string(), since: version })),
  }),
  /** Names of the migrations by owner: `core`, or a plugin's short name. */
  migrations: z.record(z.string(), z.array(z.string())),
  codemods: z.array(
    z.object({
      name: z.string(),
      /** Product versions whose code it changes. */
      from: range,
      to: version,
      description: z.string(),
    }),
  ),
  /** Manual steps, one sentence each. */
  notes: z.array(z.string()),
  /** Migration guide of a major: path within the package. */
  guide: z.string().optional(),
});
export type ReleaseManifest = z.infer<typeof releaseManifest>;

/**
 * Reads a release manifest. Properties of newer releases that this command doesn't know are ignored.
 * @throws UsageError with every problem
 */
export function readManifestFile(file: string): ReleaseManifest {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`The release manifest ${file} can't be read: ${(error as Error).message}`);
  }
  return parseManifest(json, file);
}

/** @throws UsageError with every problem */
export function parseManifest(json: unknown, source: string): ReleaseManifest {
  const { success, data, error } = releaseManifest.safeParse(json);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) => `${path.map(String).join('.') || 'the document'}: ${message}`);
  throw new UsageError(`${source} is no release manifest: ${problems.join('; ')}`);
}
