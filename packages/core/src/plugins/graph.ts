import type { Reason } from '@storeloom/keys';
import type { Cover } from '@storeloom/licence';
import type { PluginStateRecord } from '@storeloom/plugin-sdk';
import semver from 'semver';
import { type Fault, reasonOf } from '../installation/fault.ts';
import { type Candidate, sdkPackage } from './manifest.ts';
import type { Manifest } from './registry.ts';

type PluginState = PluginStateRecord['state'];

export interface Verdict {
  readonly name: string;
  readonly package: string;
  readonly manifest: Manifest | null;
  readonly state: PluginState;
  /** Null if ready, except for an incompatible plugin that the operator allows. */
  readonly reason: Reason | null;
  /** Short names. */
  readonly requires: readonly string[];
}

export interface GraphRules {
  readonly sdkVersion: string;
  readonly covers: (manifest: Manifest) => Cover;
  /** Plugins allowed outside their version ranges. */
  readonly allowIncompatible?: ReadonlySet<string>;
  /** Returns why a package differs from the published one; its manifest isn't trusted then. */
  readonly provenance?: (candidate: Candidate) => Reason | undefined;
}

/** Determines the state of every listed plugin, in dependency order; independent plugins stay in the order of the list. */
export function resolvePlugins(candidates: readonly Candidate[], rules: GraphRules): Verdict[] {
  const verdicts = new Map<string, Verdict>();
  const second: Verdict[] = [];
  for (const candidate of candidates) {
    const first = verdicts.get(candidate.name);
    if (first === undefined) verdicts.set(candidate.name, judgeAlone(candidate, rules));
    else if (first.package !== candidate.package)
      second.push(
        verdict({ ...candidate, name: candidate.package }, 'failed', {
          code: 'contribution_invalid',
          what: `${candidate.package} calls itself ${candidate.name}, as ${first.package} does`,
          fix: 'take one of the two off the list in storeloom.config',
        }),
      );
  }
  for (const [name, present] of verdicts) {
    const wrong = present.state === 'ready' ? wrongPeer(present, verdicts, rules) : undefined;
    if (wrong) verdicts.set(name, { ...present, ...wrong });
  }
  for (const [name, present] of verdicts) {
    const cycle = present.state === 'ready' ? cycleThrough(name, verdicts) : undefined;
    if (cycle === undefined) continue;
    const fault: Fault = {
      code: 'contribution_invalid',
      what: `${name} requires itself: ${cycle.join(' → ')}`,
      fix: 'make one of these peers optional',
    };
    verdicts.set(name, { ...present, state: 'failed', reason: reasonOf(fault) });
  }
  return [...blockDependants(inOrder(verdicts)), ...second];
}

/**
 * Blocks every ready plugin that requires a missing or unready one. Takes and returns verdicts in dependency order; called again when a
 * plugin fails later.
 */
export function blockDependants(verdicts: readonly Verdict[]): Verdict[] {
  const judged = new Map<string, Verdict>();
  return verdicts.map((present) => {
    let after = present;
    for (const name of present.state === 'ready' ? present.requires : []) {
      const required = judged.get(name);
      if (required?.state === 'ready') continue;
      after = { ...present, state: 'blocked', reason: reasonOf(blockedBy(present, name, required)) };
      break;
    }
    if (!judged.has(after.name)) judged.set(after.name, after);
    return after;
  });
}

function blockedBy(present: Verdict, name: string, required: Verdict | undefined): Fault {
  const packageName = present.manifest?.requires.find((peer) => peer.name === name)?.package ?? name;
  const where =
    present.manifest === null ? {} : { where: `${present.package}@${present.manifest.version}, package.json peerDependencies` };
  if (required === undefined)
    return {
      code: 'requires_missing',
      what: `${present.name} requires ${name}`,
      ...where,
      why: `${packageName} is not on the list of plugins`,
      fix: `add '${packageName}' to plugins in storeloom.config`,
    };
  if (required.state === 'not_installed')
    return {
      code: 'requires_missing',
      what: `${present.name} requires ${name}`,
      ...where,
      why: `${packageName} is not installed`,
      fix: `npm i ${packageName}`,
    };
  return {
    code: 'requires_failed',
    what: `${present.name} requires ${name}`,
    ...where,
    why: `${name} is ${required.state} (${required.reason?.code ?? 'unknown'})`,
    fix: `put ${name} right first`,
  };
}

function verdict(candidate: Candidate, state: PluginState, reason: Fault | Reason | null): Verdict {
  return {
    name: candidate.name,
    package: candidate.package,
    manifest: candidate.manifest,
    state,
    reason: reason === null ? null : 'message' in reason ? reason : reasonOf(reason),
    requires: candidate.manifest?.requires.map((peer) => peer.name) ?? [],
  };
}

function judgeAlone(candidate: Candidate, { sdkVersion, covers, allowIncompatible, provenance }: GraphRules): Verdict {
  const { manifest, fault } = candidate;
  if (manifest === null) return verdict(candidate, fault?.state ?? 'failed', fault?.reason ?? null);
  const forged = provenance?.(candidate);
  if (forged) return verdict(candidate, 'unlicensed', forged);
  const incompatible = wrongRange(manifest, sdkPackage, manifest.sdkRange, sdkVersion);
  const allowed = incompatible !== undefined && allowIncompatible?.has(manifest.name) === true;
  if (incompatible && !allowed) return verdict(candidate, 'incompatible', incompatible);
  const cover = covers(manifest);
  if (!cover.ok) return verdict(candidate, 'unlicensed', cover);
  return verdict(
    candidate,
    'ready',
    incompatible ? { ...incompatible, fix: 'it runs all the same, by --allow-incompatible' } : null,
  );
}

/** Checks the versions of required plugins, and of optional ones that are installed. */
function wrongPeer(
  present: Verdict,
  verdicts: ReadonlyMap<string, Verdict>,
  { allowIncompatible }: GraphRules,
): Pick<Verdict, 'state' | 'reason'> | undefined {
  const manifest = present.manifest as Manifest;
  for (const peer of [...manifest.requires, ...manifest.optional]) {
    const version = verdicts.get(peer.name)?.manifest?.version;
    const incompatible = version === undefined ? undefined : wrongRange(manifest, peer.package, peer.range, version);
    if (incompatible === undefined) continue;
    if (allowIncompatible?.has(manifest.name))
      return { state: 'ready', reason: reasonOf({ ...incompatible, fix: 'it runs all the same, by --allow-incompatible' }) };
    return { state: 'incompatible', reason: reasonOf(incompatible) };
  }
  return undefined;
}

function wrongRange(manifest: Manifest, wanted: string, range: string | null, version: string): Fault | undefined {
  const short = wanted.replace('@storeloom/', '');
  const fault = (why: string, fix: string): Fault => ({
    code: 'plugin_incompatible',
    what: `${manifest.name} ${manifest.version} can't run on ${short} ${version}`,
    where: `${manifest.package}@${manifest.version}, package.json peerDependencies`,
    why,
    fix,
  });
  if (range === null) return fault(`it has no version range for ${wanted}`, `add "${wanted}" to its peerDependencies`);
  if (semver.validRange(range) === null)
    return fault(`it wants ${wanted} ${range}, which is no range`, 'correct its peerDependencies');
  if (semver.satisfies(version, range, { includePrerelease: true })) return undefined;
  return fault(
    `it wants ${wanted} ${range}`,
    `npm i ${manifest.package}@latest, or a version of it that takes ${short} ${version} (npm view ${manifest.package} peerDependencies)`,
  );
}

function inOrder(verdicts: ReadonlyMap<string, Verdict>): Verdict[] {
  const ordered = new Set<Verdict>();
  const visiting = new Set<string>();
  const visit = (present: Verdict): void => {
    if (ordered.has(present) || visiting.has(present.name)) return;
    visiting.add(present.name);
    for (const name of present.requires) {
      const required = verdicts.get(name);
      if (required) visit(required);
    }
    ordered.add(present);
  };
  for (const present of verdicts.values()) visit(present);
  return [...ordered];
}

/** Returns the shortest cycle of requirements through a plugin; undefined if there is none. */
function cycleThrough(name: string, verdicts: ReadonlyMap<string, Verdict>): string[] | undefined {
  const ways: string[][] = [[name]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const required of verdicts.get(way.at(-1) as string)?.requires ?? []) {
      if (required === name) return [...way, name];
      if (seen.has(required)) continue;
      seen.add(required);
      ways.push([...way, required]);
    }
  }
  return undefined;
}
