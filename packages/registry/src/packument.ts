import semver from 'semver';
import { type Caller, covers, whyNot } from './coverage.ts';
import { tarballName } from './request.ts';

/** A published version, with the registry's additions to `dist`. */
export interface Version {
  name: string;
  version: string;
  dist: Record<string, unknown>;
  [member: string]: unknown;
}
/** As stored by Verdaccio. */
export interface Packument {
  name: string;
  versions: Record<string, Version>;
  'dist-tags': Record<string, string>;
  time?: Record<string, string>;
  readme?: string;
}

/** The part of a packument that the caller's licence covers. @throws Refusal if it covers no version */
export function visible(stored: Packument, caller: Caller): Packument {
  const { name, time = {} } = stored;
  const all = Object.values(stored.versions);
  const seen = all.filter((version) => covers(caller, version, time[version.version]));
  if (seen.length === 0) {
    const newest = all.sort((a, b) => semver.rcompare(a.version, b.version))[0];
    throw whyNot(caller, newest ?? { name, version: '0.0.0' }, undefined);
  }
  const versions = Object.fromEntries(seen.map((version) => [version.version, version]));
  const tags = Object.fromEntries(Object.entries(stored['dist-tags']).filter(([, version]) => Object.hasOwn(versions, version)));
  return {
    name,
    versions,
    // `npm install` uses the tag `latest`; point it to the newest covered version.
    'dist-tags': { latest: newestOf(Object.keys(versions)), ...tags },
    time: Object.fromEntries(
      Object.entries(time).filter(([key]) => key === 'created' || key === 'modified' || Object.hasOwn(versions, key)),
    ),
    ...(stored.readme === undefined ? {} : { readme: stored.readme }),
  };
}

/** The newest release, or the newest pre-release if there is no release. */
function newestOf(versions: readonly string[]): string {
  const sorted = [...versions].sort(semver.rcompare);
  return sorted.find((version) => semver.prerelease(version) === null) ?? (sorted[0] as string);
}

/** The requested version, by number or tag; undefined if it doesn't exist. @throws Refusal if it isn't covered */
export function versionFor(stored: Packument, caller: Caller, wanted: string): Version | undefined {
  if (Object.hasOwn(stored.versions, wanted)) {
    const version = stored.versions[wanted] as Version;
    if (covers(caller, version, stored.time?.[wanted])) return version;
    throw whyNot(caller, version, lastCovered(stored, caller));
  }
  const { versions, 'dist-tags': tags } = visible(stored, caller);
  const tagged = Object.hasOwn(tags, wanted) ? tags[wanted] : undefined;
  return tagged === undefined ? undefined : versions[tagged];
}

function lastCovered(stored: Packument, caller: Caller): string | undefined {
  const numbers = Object.values(stored.versions)
    .filter((version) => covers(caller, version, stored.time?.[version.version]))
    .map(({ version }) => version);
  return numbers.length === 0 ? undefined : newestOf(numbers);
}

/** Adds the tarball URL, below the URL by which the caller reached the registry. */
export function addressed(version: Version, base: string): Version {
  const tarball = `${base}/${version.name}/-/${tarballName(version.name, version.version)}`;
  return { ...version, dist: { ...version.dist, tarball } };
}

/** Properties that an install reads, from npm's package metadata specification. */
const installMembers = [
  'name',
  'version',
  'deprecated',
  'dependencies',
  'optionalDependencies',
  'devDependencies',
  'bundleDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'bin',
  'directories',
  'dist',
  'engines',
  'os',
  'cpu',
  'libc',
  'storeloom',
] as const;

export function full(packument: Packument, base: string): Record<string, unknown> {
  return {
    _id: packument.name,
    ...packument,
    versions: Object.fromEntries(Object.entries(packument.versions).map(([key, version]) => [key, addressed(version, base)])),
  };
}

export function abbreviated(packument: Packument, base: string): Record<string, unknown> {
  const short = (version: Version): Record<string, unknown> => {
    const whole = addressed(version, base);
    return Object.fromEntries(
      installMembers.filter((member) => Object.hasOwn(whole, member)).map((member) => [member, whole[member]]),
    );
  };
  return {
    name: packument.name,
    modified: packument.time?.modified ?? new Date(0).toISOString(),
    'dist-tags': packument['dist-tags'],
    versions: Object.fromEntries(Object.entries(packument.versions).map(([key, version]) => [key, short(version)])),
  };
}
