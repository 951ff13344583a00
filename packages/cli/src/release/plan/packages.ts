import { relative } from 'node:path';
import semver from 'semver';
import type { ReleaseManifest } from '../manifest.ts';
import type { UpgradeFinding } from './finding.ts';
import type { ProjectPackage } from './project.ts';

/** Plugins and themes that the target wouldn't load, because a version that they need isn't in it. */
export function packageFindings(
  manifest: ReleaseManifest,
  packages: readonly ProjectPackage[],
  project: string,
): UpgradeFinding[] {
  const own = packages.filter(({ manifest: { name } }) => manifest.packages[name] === undefined);
  return own.flatMap(
    ({ folder, isLocal, manifest: { name, version, peerDependencies = {}, peerDependenciesMeta = {}, storeloom } }) =>
      Object.entries(peerDependencies).flatMap(([peer, range]): UpgradeFinding[] => {
        const offered = manifest.packages[peer];
        if (!peer.startsWith('@storeloom/') || range.startsWith('workspace:')) return [];
        if (offered === undefined && peerDependenciesMeta[peer]?.optional) return [];
        if (offered !== undefined && semver.satisfies(offered, range, { includePrerelease: true })) return [];
        const kind = storeloom?.theme === undefined ? 'plugin' : 'theme';
        return [
          {
            code: `${kind}_incompatible`,
            severity: 'warning',
            what: `${storeloom?.plugin ?? storeloom?.theme ?? name} ${version} can't run on ${peer} ${offered ?? `of ${manifest.version}, which has none`}.`,
            where: isLocal
              ? `${relative(project, folder)}/package.json peerDependencies`
              : `${name}@${version}, package.json peerDependencies`,
            why: `It needs ${peer} ${range}. The ${kind} isn't loaded, and the others are.`,
            fix: isLocal
              ? `adapt it, and widen the range to ${offered ?? manifest.version}`
              : `npm view ${name} versions peerDependencies, and install a version that fits`,
          },
        ];
      }),
  );
}

/** `@storeloom` packages that the project depends on and the target doesn't have. */
export function droppedPackages(manifest: ReleaseManifest, installed: Readonly<Record<string, string>>): UpgradeFinding[] {
  return Object.keys(installed)
    .filter((name) => manifest.packages[name] === undefined)
    .map((name) => ({
      code: 'package_removed',
      severity: 'blocker' as const,
      what: `${name} isn't part of ${manifest.version}.`,
      where: 'package.json dependencies',
      why: "The release doesn't publish the package.",
      fix: `remove it from package.json and storeloom.config.ts (storeloom plugin remove ${name}), or stay on the present release`,
    }));
}
