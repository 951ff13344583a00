import { join } from 'node:path';
import semver from 'semver';
import { runRelease } from '../apply/child.ts';
import type { ReleaseManifest } from '../manifest.ts';
import type { UpgradeFinding } from './finding.ts';
import type { ProjectPackage } from './project.ts';

/** What `storeloom license show --json` prints, as far as an upgrade depends on it. */
export interface LicenceView {
  readonly state: string;
  readonly plugins: Readonly<Record<string, string>>;
  readonly updatesUntil: string | null;
}

/** Asks the serving release for the licence. @throws Error with the reason */
export async function licenceOf(
  serving: string,
  { project, env, log, signal }: { project: string; env: NodeJS.ProcessEnv; log: string; signal: AbortSignal },
): Promise<LicenceView> {
  const { code, stdout, tail } = await runRelease(serving, ['license', 'show', '--json'], { cwd: project, env, log, signal });
  if (code !== 0) throw new Error(tail);
  return JSON.parse(stdout) as LicenceView;
}

/** Why the licence doesn't cover the target. Foundation packages and the kernel need none, so only plugins count. */
export function licenceFindings(
  manifest: ReleaseManifest,
  { state, plugins, updatesUntil }: LicenceView,
  packages: readonly ProjectPackage[],
): UpgradeFinding[] {
  const where = 'licence';
  const fix = 'renew or extend the licence, then storeloom license heartbeat';
  const findings: UpgradeFinding[] = [];
  if (state === 'expired' || state === 'revoked')
    findings.push({
      code: 'license_expired',
      severity: 'blocker',
      what: `The licence is ${state}.`,
      where,
      why: 'The registry serves no licensed package then.',
      fix,
    });
  if (updatesUntil !== null && manifest.released !== undefined && manifest.released > updatesUntil.slice(0, 10))
    findings.push({
      code: 'license_updates_ended',
      severity: 'blocker',
      what: `The licence covers versions published up to ${updatesUntil.slice(0, 10)}.`,
      where,
      why: `${manifest.version} was released on ${manifest.released}.`,
      fix,
    });
  const all = plugins['*'];
  for (const { manifest: own } of packages) {
    const { plugin, entitlement = plugin } = own.storeloom ?? {};
    const target = manifest.packages[own.name];
    if (plugin === undefined || entitlement === undefined || target === undefined) continue;
    const range = plugins[entitlement] ?? all;
    if (range === undefined || semver.satisfies(target, range, { includePrerelease: true })) continue;
    findings.push({
      code: 'version_not_licensed',
      severity: 'blocker',
      what: `The licence covers ${entitlement} ${range}.`,
      where: `${own.name}@${target}`,
      why: `${manifest.version} contains version ${target}.`,
      fix,
    });
  }
  return findings;
}

export const planLog = (project: string): string => join(project, 'var', 'upgrade', 'plan.log');
