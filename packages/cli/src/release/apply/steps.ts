import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSnapshot, readRecord } from '@storeloom/snapshot';
import { say } from '../../output.ts';
import { describeReload, reloadAll } from '../../processes/reload.ts';
import { processGroups, readProcessState } from '../../processes/state.ts';
import { releasesOf, servingRelease, switchRelease } from '../current.ts';
import type { ReleaseManifest } from '../manifest.ts';
import type { PluginList } from '../plugin-diff.ts';
import { installedVersion } from '../source.ts';
import { checkHealth, findingLine, isClean, smokeTest } from '../verify.ts';
import { runRelease } from './child.ts';
import type { ApplyContext } from './context.ts';
import { acknowledgeWindow, announceWindow, pauseJobs, resumeJobs } from './database.ts';
import type { Journal } from './journal.ts';
import { copyProject, installPackages, lockFileOf, lockFiles, resolveLock, writeTargetVersions } from './stage.ts';
import { UpgradeError } from './upgrade-error.ts';

/** What an upgrade does, in `plan.json` of its folder: a resumed one does the same. */
export interface ApplyPlan {
  readonly from: string;
  readonly to: string;
  readonly manifest: ReleaseManifest;
  /** Folder with the target's package.json and lock file; null: the project's files with the versions of the manifest. */
  readonly folder: string | null;
  /** Folder name below `releases`. */
  readonly release: string;
  /** The release that served before; null: the project folder. */
  readonly previous: string | null;
  /** Applied migrations before the upgrade. */
  readonly migrations: readonly string[];
}

export interface StepContext extends ApplyContext {
  readonly plan: ApplyPlan;
  readonly journal: Journal;
  /** Folder of the release that is installed. */
  readonly target: string;
}

/** A step of an upgrade. Both actions can be repeated after they were interrupted. */
export interface Step {
  readonly name: string;
  /** What it returns is kept in the journal. */
  do(context: StepContext): Promise<unknown>;
  undo?(context: StepContext): Promise<void>;
}

interface MigrationReport {
  readonly applied: readonly { owner: string; name: string }[];
  readonly failed: readonly { owner: string; name: string; message: string }[];
}

const windowMessage = ({ from, to }: ApplyPlan): string => `Upgrade from ${from} to ${to}`;

const run = (context: StepContext, step: string, args: readonly string[]) =>
  runRelease(context.target, args, {
    cwd: context.project,
    env: context.env,
    log: join(context.logs, `${step}.log`),
    signal: context.signal,
  });

async function migrate(context: StepContext, phase: 'core' | 'plugins'): Promise<MigrationReport> {
  const args = ['migrate', '--json', '--phase', phase, ...(phase === 'core' ? ['--atomic-core'] : [])];
  const { code, stdout, tail } = await run(context, `${phase}-migrations`, args);
  if (stdout.trim() === '') throw new UpgradeError(`The migrations ended with exit code ${code}:\n${tail}`);
  return JSON.parse(stdout) as MigrationReport;
}

const failureLines = ({ failed }: MigrationReport): string =>
  failed.map(({ owner, name, message }) => `${owner} ${name}: ${message}`).join('\n');

/** Steps that a restored snapshot undoes. */
export const migrationSteps = ['core-migrations', 'plugin-migrations'] as const;

/** Files of the project that the target replaces at the end. */
const projectFiles = ['package.json', ...lockFiles];

/** The order of the public interface: nothing is changed before the snapshot, and no process before the migrations. */
export const steps: readonly Step[] = [
  {
    name: 'health',
    async do({ dataDir }) {
      const findings = await checkHealth(dataDir);
      if (!isClean(findings)) throw new UpgradeError(findings.map(findingLine).join('\n'));
      if (findings.length === 0) say('no process of storeloom start runs: only files and the database are upgraded');
    },
  },
  {
    name: 'notes',
    async do({ plan: { manifest } }) {
      for (const note of manifest.notes) say(`note: ${note}`);
      for (const { name, removedIn, replacement } of manifest.deprecations)
        say(`deprecated: ${name}, removed in ${removedIn}${replacement === undefined ? '' : `; use ${replacement}`}`);
      if (manifest.guide !== undefined) say(`guide: ${manifest.guide} of @storeloom/release`);
    },
  },
  {
    name: 'snapshot',
    async do({ source, snapshots, plan, signal }) {
      const { id } = await createSnapshot(source, { folder: snapshots, product: plan.from, say, signal });
      return { id };
    },
  },
  {
    name: 'plugin-list',
    async do({ journal, snapshots }) {
      const { id } = journal.dataOf<{ id: string }>('snapshot') ?? { id: '' };
      const plugins: PluginList = readRecord(snapshots, id).plugins;
      writeFileSync(join(journal.dir, 'plugins.json'), `${JSON.stringify(plugins, null, 2)}\n`, { flush: true });
    },
  },
  {
    name: 'workers-off',
    do: ({ ownerUrl, plan, signal }) => pauseJobs(ownerUrl, windowMessage(plan), signal),
    undo: ({ ownerUrl }) => resumeJobs(ownerUrl),
  },
  {
    name: 'maintenance-window',
    do: ({ ownerUrl, plan }) => announceWindow(ownerUrl, windowMessage(plan)),
    undo: ({ ownerUrl, plan }) => acknowledgeWindow(ownerUrl, windowMessage(plan)),
  },
  {
    name: 'files',
    async do({ project, dataDir, target, plan, logs, env, signal }) {
      copyProject(plan.folder ?? project, target, dataDir);
      if (plan.folder !== null) return;
      writeTargetVersions(target, plan.manifest);
      await resolveLock(target, { env, log: join(logs, 'lock.log'), signal });
    },
    async undo({ target }) {
      rmSync(target, { recursive: true, force: true });
    },
  },
  {
    name: 'install',
    async do({ target, plan, logs, env, signal }) {
      await installPackages(target, { env, log: join(logs, 'install.log'), signal });
      const installed = installedVersion(target);
      if (installed !== plan.to)
        throw new UpgradeError(
          `The lock file of the target installs ${installed ?? 'no core'}, and its release manifest is that of ${plan.to}. Name the manifest with --manifest.`,
        );
    },
  },
  {
    name: 'build',
    async do(context) {
      const { code, tail } = await run(context, 'build', ['build']);
      if (code !== 0 && code !== 3) throw new UpgradeError(`The build ended with exit code ${code}:\n${tail}`);
    },
  },
  {
    name: 'core-migrations',
    async do(context) {
      const report = await migrate(context, 'core');
      if (report.failed.length > 0)
        throw new UpgradeError(`A migration of the core failed; none was applied.\n${failureLines(report)}`);
      return { applied: report.applied };
    },
  },
  {
    name: 'plugin-migrations',
    async do(context) {
      const report = await migrate(context, 'plugins');
      if (report.failed.length > 0) say(`migrations failed:\n${failureLines(report)}`);
      return { applied: report.applied, failed: report.failed };
    },
  },
  {
    name: 'boot',
    async do(context) {
      const { code, tail } = await run(context, 'boot', ['probe']);
      if (code !== 0) throw new UpgradeError(`The release ${context.plan.to} doesn't start (exit code ${code}):\n${tail}`);
    },
  },
  {
    name: 'reload',
    async do({ project, plan, dataDir, signal }) {
      switchRelease(project, plan.release);
      const results = await reloadAll(dataDir, signal);
      for (const result of results) say(describeReload(result));
      const failed = results.filter(({ reload }) => reload !== 'done');
      if (failed.length > 0) throw new UpgradeError(failed.map(describeReload).join('\n'));
      const workers = results.flatMap((result) => result.workers);
      const old = workers.filter(({ version }) => version !== plan.to);
      if (old.length > 0)
        throw new UpgradeError(
          `The processes ${old.map(({ pid }) => pid).join(', ')} still serve ${old[0]?.version}: their command is older than releases in folders. Restart them, then go on with --resume.`,
        );
      return { workers };
    },
    async undo({ project, plan, dataDir }) {
      const isTarget = (): boolean =>
        processGroups.some((group) => readProcessState(dataDir, group)?.workers.some(({ version }) => version === plan.to));
      if (servingRelease(project) === plan.previous && (plan.to === plan.from || !isTarget())) return;
      switchRelease(project, plan.previous);
      const results = await reloadAll(dataDir);
      for (const result of results) say(describeReload(result));
      // Their files are deleted next.
      if (results.some(({ reload }) => reload === 'failed'))
        throw new UpgradeError('Processes still run the release that is put back.');
    },
  },
  {
    name: 'workers-on',
    do: ({ ownerUrl }) => resumeJobs(ownerUrl),
  },
  {
    name: 'verify',
    async do(context) {
      const list = join(context.journal.dir, 'plugins.json');
      const findings = await smokeTest(context, JSON.parse(readFileSync(list, 'utf8')) as PluginList);
      for (const finding of findings) say(findingLine(finding));
      return { findings };
    },
  },
  {
    name: 'acknowledge',
    do: ({ ownerUrl, plan }) => acknowledgeWindow(ownerUrl, windowMessage(plan)),
  },
  {
    name: 'project-files',
    async do({ project, target, journal }) {
      const kept = join(journal.dir, 'project');
      mkdirSync(kept, { recursive: true });
      for (const name of projectFiles) {
        if (!existsSync(join(project, name))) continue;
        if (!existsSync(join(kept, name))) copy(join(project, name), join(kept, name));
      }
      for (const name of ['package.json', lockFileOf(target)]) copy(join(target, name), join(project, name));
    },
    undo: async ({ project, journal }) => restoreProjectFiles(project, journal.dir),
  },
];

/** Puts back the project's package.json and lock file that an upgrade replaced. */
export function restoreProjectFiles(project: string, journalDir: string): void {
  const kept = join(journalDir, 'project');
  for (const name of projectFiles) if (existsSync(join(kept, name))) copy(join(kept, name), join(project, name));
}

function copy(from: string, to: string): void {
  // A full disk must leave the present file.
  writeFileSync(`${to}.new`, readFileSync(from), { flush: true });
  renameSync(`${to}.new`, to);
}

export const targetFolder = (project: string, { release }: Pick<ApplyPlan, 'release'>): string =>
  join(releasesOf(project), release);
