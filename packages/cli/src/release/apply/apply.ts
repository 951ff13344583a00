import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Finding } from '../../doctor/finding.ts';
import { Interrupted, type Lifetime } from '../../lifetime.ts';
import { print, say } from '../../output.ts';
import { UsageError } from '../../usage-error.ts';
import { checkUpgrade } from '../check/check.ts';
import { releasesOf, servingRelease } from '../current.ts';
import { planUpgrade } from '../plan/plan.ts';
import type { ReleaseOptions } from '../source.ts';
import { findingLine, isClean } from '../verify.ts';
import { endOrphan } from './child.ts';
import { openContext } from './context.ts';
import { appliedMigrations } from './database.ts';
import { Journal, journals, lockUpgrades, upgradesOf } from './journal.ts';
import { restoreStopped } from './restore.ts';
import { lockFileOf } from './stage.ts';
import { type ApplyPlan, migrationSteps, type Step, type StepContext, steps, targetFolder } from './steps.ts';
import { UpgradeError } from './upgrade-error.ts';

export interface ApplyOptions extends ReleaseOptions {
  readonly to?: string;
  readonly from?: string;
  readonly manifest?: string;
  readonly resume?: boolean;
  readonly abort?: boolean;
  readonly acceptLoss?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/**
 * Upgrades the installation step by step, each recorded in a journal. A failure before the schema changes puts everything back; a later
 * one leaves the previous release serving, and `--resume` or `--abort` completes. Exit codes: 0 · 1 refused, failed or put back · 3 done,
 * but a plugin's migration failed or the smoke test has findings · 4 the licence or the registry refused · 5 a restore failed, or the
 * database is unreachable.
 */
export async function upgradeApply(options: ApplyOptions, life: Lifetime): Promise<number> {
  const given = [options.to, options.from, options.resume, options.abort].filter((value) => value !== undefined);
  if (given.length !== 1) throw new UsageError('Name one of --to <version>, --from <folder>, --resume and --abort.');
  const project = resolve(options.dir);
  const unlock = lockUpgrades(project);
  life.onEnd(async () => unlock());
  const open = journals(project).find(({ ended }) => ended === undefined);
  if (options.abort) {
    if (!open) throw new UpgradeError('There is no unfinished upgrade to abort.');
    const context = await stepContext(open, options, life);
    return abort(context, options);
  }
  if (options.resume) {
    if (!open) throw new UpgradeError('There is no unfinished upgrade to resume.');
    return runSteps(await stepContext(open, options, life), options);
  }
  if (open)
    throw new UpgradeError(
      `The upgrade in ${open.dir} is unfinished: complete it with storeloom upgrade apply --resume, or put it back with --abort.`,
    );
  return runSteps(await begin(project, options, life), options);
}

/** Checks the target and creates the journal. */
async function begin(project: string, options: ApplyOptions, life: Lifetime): Promise<StepContext> {
  lockFileOf(options.from === undefined ? project : resolve(options.from));
  // Opened first, so that the plan can read the embedded database.
  const context = await openContext(options, life);
  const planned = await planUpgrade(options, life.signal);
  const { from, to, manifest, findings } = planned;
  for (const { severity, what, where, fix } of findings) if (severity !== 'info') say(`${severity}: ${what} (${where}) ${fix}`);
  if (findings.some(({ severity }) => severity === 'blocker'))
    throw new UpgradeError(`${from} isn't upgraded to ${to}: see above.`, planned.exit === 4 ? 4 : 1);
  const faults = (await checkUpgrade(context, manifest)).filter(({ state }) => state === 'error');
  if (faults.length > 0) throw new UpgradeError(faults.map(findingLine).join('\n'));
  const plan: ApplyPlan = {
    from,
    to,
    manifest,
    folder: options.from === undefined ? null : resolve(options.from),
    release: unusedRelease(project, to),
    previous: servingRelease(project),
    migrations: await appliedMigrations(context.ownerUrl),
  };
  const time = new Date()
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');
  const journal = new Journal(join(upgradesOf(project), time));
  writeFileSync(join(journal.dir, 'plan.json'), `${JSON.stringify(plan, null, 2)}\n`, { mode: 0o600, flush: true });
  return { ...context, logs: journal.dir, plan, journal, target: targetFolder(project, plan) };
}

function unusedRelease(project: string, version: string): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? version : `${version}-${number}`;
    if (!existsSync(join(releasesOf(project), name))) return name;
  }
}

async function stepContext(journal: Journal, options: ApplyOptions, life: Lifetime): Promise<StepContext> {
  await endOrphan(journal.dir);
  const context = await openContext(options, life, journal.dir);
  const plan = JSON.parse(readFileSync(join(journal.dir, 'plan.json'), 'utf8')) as ApplyPlan;
  return { ...context, plan, journal, target: targetFolder(context.project, plan) };
}

async function runSteps(context: StepContext, options: ApplyOptions): Promise<number> {
  const { journal, plan, project } = context;
  if (!options.json) say(`upgrade ${plan.from} → ${plan.to} (${journal.dir})`);
  // Steps after one that isn't done build on it: an abort that was cut undid some of them.
  const first = steps.findIndex(({ name }) => journal.stateOf(name) !== 'done');
  for (const step of first < 0 ? [] : steps.slice(first)) {
    journal.begin(step.name);
    if (options.json) print({ step: step.name, event: 'begin' });
    else say(`· ${step.name}`);
    try {
      context.signal.throwIfAborted();
      const data = await step.do(context);
      journal.done(step.name, data);
      if (options.json) print({ step: step.name, event: 'done', ...(data === undefined ? {} : { data }) });
    } catch (error) {
      throw await failed(context, step, context.signal.aborted ? context.signal.reason : error);
    }
  }
  journal.end('finished');
  const failures = journal.dataOf<{ failed: readonly unknown[] }>('plugin-migrations')?.failed ?? [];
  const findings = journal.dataOf<{ findings: readonly Finding[] }>('verify')?.findings ?? [];
  const exit = failures.length > 0 || !isClean(findings) ? 3 : 0;
  if (options.json) print({ upgraded: true, from: plan.from, to: plan.to, release: plan.release, failed: failures, findings });
  else {
    say(`${plan.to} serves. Commit package.json and the lock file of ${project}.`);
    if (exit === 3) say('with findings: see above');
  }
  return exit;
}

/** Puts everything back while the schema is unchanged. Returns the error to report. */
async function failed(context: StepContext, step: Step, error: unknown): Promise<Error> {
  const { journal, plan } = context;
  const reason = error as Error;
  try {
    recordFailure(journal, step, reason);
    if (!(await isSchemaChanged(context))) {
      await putBack(context);
      journal.end('aborted');
      return withNote(reason, `Everything was put back: ${plan.from} serves.`);
    }
    // The present schema also suits the previous release, which keeps serving.
    const reload = steps.find(({ name }) => name === 'reload');
    if (step.name === 'reload') await reload?.undo?.(context);
  } catch (undo) {
    return withNote(
      reason,
      `It could not be put back (${(undo as Error).message}). Repeat with storeloom upgrade apply --abort, or go on with --resume.`,
    );
  }
  return withNote(
    reason,
    'The migrations are applied. Correct the cause and go on with storeloom upgrade apply --resume, or put the snapshot back with --abort --accept-loss.',
  );
}

/** The disk can be full, until the files of the target are removed. */
function recordFailure(journal: Journal, step: Step, reason: Error): void {
  try {
    journal.failed(step.name, reason.message);
  } catch (error) {
    say(`the journal can't be written: ${(error as Error).message}`);
  }
}

function withNote(error: Error, note: string): Error {
  const { exitCode } = error as { exitCode?: unknown };
  // An interrupted command keeps the exit code of its signal.
  if (error instanceof Interrupted) {
    error.message += `. ${note}`;
    return error;
  }
  return new UpgradeError(`${error.message}\n${note}`, exitCode === 4 || exitCode === 5 ? exitCode : 1, { cause: error });
}

/** Whether migrations were applied since the upgrade began. */
async function isSchemaChanged({ ownerUrl, plan }: StepContext): Promise<boolean> {
  const before = new Set(plan.migrations);
  return (await appliedMigrations(ownerUrl)).some((name) => !before.has(name));
}

/** Undoes the steps that began, the last first. */
async function putBack(context: StepContext): Promise<void> {
  const { journal } = context;
  for (const step of [...steps].reverse()) {
    const state = journal.stateOf(step.name);
    if (state === undefined || state === 'undone' || !step.undo) continue;
    await step.undo(context);
    journal.undone(step.name);
  }
}

async function abort(context: StepContext, options: ApplyOptions): Promise<number> {
  const { journal, plan } = context;
  let snapshot: string | undefined;
  if (await isSchemaChanged(context)) {
    snapshot = journal.dataOf<{ id: string }>('snapshot')?.id;
    if (options.acceptLoss !== true || snapshot === undefined)
      throw new UpgradeError(
        `Migrations of ${plan.to} are applied. To put the snapshot ${snapshot} back, which loses the rows written since, stop all processes and repeat with --accept-loss. Or go on with --resume.`,
      );
    await restoreStopped(context, snapshot);
    for (const name of migrationSteps) if (journal.stateOf(name) !== undefined) journal.undone(name);
  }
  await putBack(context);
  journal.end('aborted');
  if (options.json) print({ aborted: true, from: plan.from, to: plan.to, restored: snapshot ?? null });
  else say(`aborted: ${plan.from} serves${snapshot === undefined ? '' : `, with the data of ${snapshot}`}`);
  return 0;
}
