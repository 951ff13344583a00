import { mkdirSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { runningEmbedded } from '@storeloom/embedded-postgres';
import { listSnapshots } from '@storeloom/snapshot';
import pc from 'picocolors';
import semver from 'semver';
import type { Lifetime } from '../../lifetime.ts';
import { print } from '../../output.ts';
import { UsageError } from '../../usage-error.ts';
import { appliedMigrations } from '../apply/database.ts';
import { UpgradeError } from '../apply/upgrade-error.ts';
import { servingFolder } from '../current.ts';
import type { ReleaseManifest } from '../manifest.ts';
import { installedVersion, snapshotFolder, sourceOf } from '../source.ts';
import { findManifest } from '../target.ts';
import { codeFindings, missingSlots } from './code.ts';
import { environmentFindings } from './environment.ts';
import type { UpgradeFinding } from './finding.ts';
import { licenceFindings, licenceOf, planLog } from './licence.ts';
import { droppedPackages, packageFindings } from './packages.ts';
import { installedPackages, packagesOf, sourcesOf } from './project.ts';
import type { PlanOptions, UpgradePlan } from './upgrade-plan.ts';

const day = 86_400_000;

/**
 * Describes an upgrade without changing anything: what has to be done before, and what runs. Reads files only; migrations and licence are
 * left out where the database isn't running. Exit codes: 0 · 1 a required stop or a downgrade · 3 findings · 4 the licence doesn't cover
 * the target.
 */
export async function upgradePlan(options: PlanOptions & { json?: boolean }, life: Lifetime): Promise<number> {
  const plan = await planUpgrade(options, life.signal);
  if (options.json) print(plan);
  else for (const line of planLines(plan)) print(line);
  return plan.exit;
}

/** @throws UsageError, UpgradeError without a target */
export async function planUpgrade(options: PlanOptions, signal: AbortSignal): Promise<UpgradePlan> {
  if ((options.to === undefined) === (options.from === undefined))
    throw new UsageError('Name one of --to <version> and --from <folder>.');
  const project = resolve(options.dir);
  const serving = servingFolder(project);
  const from = installedVersion(serving);
  if (from === undefined) throw new UpgradeError(`${serving} has no @storeloom/core: install its packages first.`);
  const manifest = await findManifest(options, signal);
  const { version: to } = manifest;
  // The next commit of the shop is planned with its own code.
  const code = options.from === undefined ? project : resolve(options.from);
  const packages = packagesOf(code, serving);
  const sources = sourcesOf(code);
  const installed = installedPackages(serving);
  const themes = packages
    .filter(({ isLocal, manifest: { storeloom } }) => isLocal && storeloom?.theme !== undefined)
    .map(({ folder, manifest: { storeloom } }) => ({ name: storeloom?.theme ?? '', folder: relative(code, folder) }));
  const { migrations, licence, unknown } = await databaseFindings(options, { project, serving, manifest, packages, signal });
  const codemods = manifest.codemods.filter((one) => semver.satisfies(from, one.from) && semver.lte(one.to, to));
  const stops = versionFindings(manifest, from, options.from !== undefined);
  const findings = [
    ...stops,
    ...licence,
    ...environmentFindings(manifest, project, process.env),
    ...droppedPackages(manifest, installed),
    ...packageFindings(manifest, packages, code),
    ...codeFindings(manifest, sources),
    ...missingSlots(manifest, themes, sources),
    ...unknown,
    ...codemods.map(
      ({ name, description }): UpgradeFinding => ({
        code: 'codemod',
        severity: 'info',
        what: description,
        where: `codemod ${name}`,
        why: `It changes code for ${to}.`,
        fix: `storeloom codemod run ${name} --dry`,
      }),
    ),
    ...snapshotFindings(snapshotFolder(options)),
    ...manifest.notes.map(
      (note): UpgradeFinding => ({
        code: 'manual_step',
        severity: 'info',
        what: note,
        where: 'release notes',
        why: `${to} asks for it.`,
        fix: note,
      }),
    ),
    ...guideFindings(manifest, from),
  ];
  return {
    from,
    to,
    target: options.from === undefined ? { kind: 'version' } : { kind: 'folder', folder: resolve(options.from) },
    manifest,
    packages: Object.entries(installed)
      .map(([name, version]) => ({ name, from: version, to: manifest.packages[name] ?? null }))
      .filter((one) => one.from !== one.to)
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    migrations,
    codemods: codemods.map(({ name }) => name),
    findings,
    exit: exitOf(findings, stops, licence),
  };
}

function exitOf(
  findings: readonly UpgradeFinding[],
  stops: readonly UpgradeFinding[],
  licence: readonly UpgradeFinding[],
): UpgradePlan['exit'] {
  if (stops.length > 0) return 1;
  if (licence.length > 0) return 4;
  return findings.some(({ severity }) => severity !== 'info') ? 3 : 0;
}

/** Why the target can't be installed over the present version at all. */
function versionFindings(manifest: ReleaseManifest, from: string, isNextCommit: boolean): UpgradeFinding[] {
  const { version: to, upgradesFrom, node } = manifest;
  const where = `${from} → ${to}`;
  const found: UpgradeFinding[] = [];
  if (semver.lt(to, from) || (semver.eq(to, from) && !isNextCommit))
    found.push({
      code: 'not_newer',
      severity: 'blocker',
      what: `${to} is not newer than ${from}.`,
      where,
      why: 'An upgrade never goes back: migrations would stay.',
      fix: 'go back with storeloom rollback',
    });
  else if (!semver.satisfies(from, upgradesFrom, { includePrerelease: true }))
    found.push({
      code: 'required_stop',
      severity: 'blocker',
      what: `${to} can't be installed over ${from}.`,
      where,
      why: `It upgrades from ${upgradesFrom}.`,
      fix: `upgrade to a version of ${upgradesFrom} first`,
    });
  if (!semver.satisfies(process.versions.node, node))
    found.push({
      code: 'node_version',
      severity: 'blocker',
      what: `${to} doesn't run on Node ${process.versions.node}.`,
      where,
      why: `It needs Node ${node}.`,
      fix: `install Node ${node}`,
    });
  return found;
}

interface Facts {
  readonly project: string;
  readonly serving: string;
  readonly manifest: ReleaseManifest;
  readonly packages: ReturnType<typeof packagesOf>;
  readonly signal: AbortSignal;
}

/** What only the database knows. Starts no server: a plan is made without one, too. */
async function databaseFindings(
  options: PlanOptions,
  { project, serving, manifest, packages, signal }: Facts,
): Promise<{ migrations: UpgradePlan['migrations']; licence: UpgradeFinding[]; unknown: UpgradeFinding[] }> {
  const { url, dataDir } = sourceOf(options);
  const ownerUrl = url ?? runningEmbedded(dataDir);
  const unread = (what: string, why: string): UpgradeFinding => ({
    code: 'database_not_read',
    severity: 'info',
    what,
    where: 'database',
    why,
    fix: 'start the installation, and plan again',
  });
  const what = "Pending migrations and licence aren't part of this plan.";
  if (ownerUrl === undefined)
    return { migrations: null, licence: [], unknown: [unread(what, "The embedded database isn't running.")] };
  let applied: Set<string>;
  try {
    applied = new Set(await appliedMigrations(ownerUrl));
  } catch (error) {
    return { migrations: null, licence: [], unknown: [unread(what, (error as Error).message)] };
  }
  // A plugin that isn't installed has no tables.
  const owners = new Set(['core', ...packages.flatMap(({ manifest: { storeloom } }) => storeloom?.plugin ?? [])]);
  const migrations = Object.entries(manifest.migrations)
    .filter(([owner]) => owners.has(owner))
    .flatMap(([owner, names]) => names.map((name) => ({ owner, name })))
    .filter(({ owner, name }) => !applied.has(`${owner} ${name}`));
  const log = planLog(project);
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
  const env = { ...process.env, STORELOOM_DATA: dataDir, DATABASE_URL: ownerUrl };
  try {
    const view = await licenceOf(serving, { project, env, log, signal });
    return { migrations, licence: licenceFindings(manifest, view, packages), unknown: [] };
  } catch (error) {
    signal.throwIfAborted();
    return { migrations, licence: [], unknown: [unread("The licence isn't part of this plan.", (error as Error).message)] };
  }
}

function snapshotFindings(folder: string): UpgradeFinding[] {
  const [newest] = listSnapshots(folder);
  const hours = newest && Math.floor((Date.now() - Date.parse(newest.createdAt)) / 3_600_000);
  if (hours !== undefined && hours * 3_600_000 < day) return [];
  return [
    {
      code: 'snapshot_old',
      severity: 'info',
      what: hours === undefined ? 'There is no snapshot.' : `The newest snapshot is ${hours} hours old.`,
      where: folder,
      why: 'A rollback restores a snapshot. upgrade apply takes one.',
      fix: 'storeloom snapshot create',
    },
  ];
}

function guideFindings({ version, guide }: ReleaseManifest, from: string): UpgradeFinding[] {
  if (guide === undefined || semver.major(version) === semver.major(from)) return [];
  return [
    {
      code: 'migration_guide',
      severity: 'info',
      what: `${version} is a new major version.`,
      where: `@storeloom/release/${guide}`,
      why: 'It changes contracts of plugins, themes, routes or configuration.',
      fix: 'read the migration guide, and upgrade a copy of the shop first',
    },
  ];
}

function planLines({ from, to, packages, migrations, findings, exit }: UpgradePlan): string[] {
  const marks = { blocker: pc.red('✗'), warning: pc.yellow('!'), info: '·' };
  return [
    `${from} → ${to}: ${packages.length} packages change, ${migrations === null ? 'pending migrations unknown' : `${migrations.length} migrations run`}`,
    ...findings.flatMap(({ code, severity, what, where, why, fix }) => [
      '',
      `${marks[severity]} ${code}  ${what}`,
      `    where  ${where}`,
      `    why    ${why}`,
      `    fix    ${fix}`,
    ]),
    '',
    exit === 0 ? `Nothing has to be done first. Next: storeloom upgrade apply --to ${to}` : 'Nothing was changed.',
  ];
}
