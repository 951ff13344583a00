import type { Command } from 'commander';
import { type Example, examples, guarded } from '../command.ts';

/** Commands that load neither core nor plugins of the installation. */
export function releaseCommands(program: Command): void {
  const common = (command: Command, ...list: readonly Example[]): Command =>
    examples(command, ...list)
      .option('--folder <dir>', 'folder of snapshots (default: var/snapshots)')
      .option('--data <dir>', 'data directory (STORELOOM_DATA)')
      .option('--database-url <url>', 'owner of the database (DATABASE_URL); without one the embedded PostgreSQL')
      .option('--dir <dir>', 'folder of the installation', process.cwd())
      .option('--json', 'output as JSON');
  const snapshot = program.command('snapshot').description('verified snapshots of the database');
  common(snapshot.command('create'), ['snapshot create', 'before an upgrade'])
    .description('take a snapshot while the shops run, and verify it')
    .action(guarded(async () => (await import('./snapshot.ts')).snapshotCreate));
  common(
    snapshot.command('verify'),
    ['snapshot verify', 'compare the newest with its record'],
    ['snapshot verify --deep', 'restore it into a scratch database'],
  )
    .argument('[id]', 'the newest by default')
    .description('compare files, data and rows of a snapshot with its record')
    .option('--deep', 'restore a dump into a scratch database')
    .action(guarded(async () => (await import('./snapshot.ts')).snapshotVerify));
  common(snapshot.command('list'), ['snapshot list', 'list snapshots'])
    .description('list snapshots, the newest first')
    .action(guarded(async () => (await import('./snapshot.ts')).snapshotList));
  common(snapshot.command('prune'), ['snapshot prune --keep 10', 'keep the ten newest'])
    .description('delete old snapshots, and remains of interrupted ones after a day')
    .option('--keep <number>', 'number of the newest to keep', '5')
    .action(guarded(async () => (await import('./snapshot.ts')).snapshotPrune));
  common(program.command('reload'), ['reload', 'after an update in the same folder'])
    .description('replace the processes of start --workers one after the other, without losing a request')
    .action(guarded(async () => (await import('../processes/reload.ts')).reload));
  const upgrade = program.command('upgrade').description('upgrade the installation to another release');
  common(
    upgrade.command('plan'),
    ['upgrade plan --to 1.5.0', 'what has to be done first'],
    ['upgrade plan --from . --json', 'in CI: the next commit of the shop'],
  )
    .description('what an upgrade would do, and what has to be done before; changes nothing')
    .option('--to <version>', 'version of the product')
    .option('--from <folder>', 'folder with package.json and lock file of the target, such as the next commit of the shop')
    .option('--manifest <file>', 'release manifest of the target; default: of an earlier plan, or from the package registry')
    .action(guarded(async () => (await import('./plan/plan.ts')).upgradePlan));
  common(
    upgrade.command('check'),
    ['upgrade check', 'can an upgrade run now?'],
    ['upgrade check --to 1.5.0 --json', 'with the demands of the target'],
  )
    .description('check services, disk, database and snapshot programs before an upgrade; changes nothing')
    .option('--to <version>', 'version of the product')
    .option('--from <folder>', 'folder with the packages of the target')
    .option('--manifest <file>', 'release manifest of the target')
    .action(guarded(async () => (await import('./check/check.ts')).upgradeCheck));
  common(
    upgrade.command('apply'),
    ['upgrade apply --to 1.5.0', 'upgrade, with a snapshot to go back to'],
    ['upgrade apply --resume', 'after an interruption'],
  )
    .description('install a release beside the present one, migrate, reload, verify; each step is recorded')
    .option('--to <version>', 'version of the product, from the package registry')
    .option('--from <folder>', 'folder with package.json and lock file of the target, such as the next commit of the shop')
    .option('--manifest <file>', 'release manifest of the target')
    .option('--resume', 'go on with the unfinished upgrade')
    .option('--abort', 'put the unfinished upgrade back')
    .option('--accept-loss', 'with --abort: lose the rows written since the snapshot')
    .option('--yes', 'ask nothing')
    .action(guarded(async () => (await import('./apply/apply.ts')).upgradeApply));
  common(upgrade.command('verify'), ['upgrade verify', 'the smoke test after an upgrade'])
    .description('health, plugins compared with those before the upgrade, a route of the admin and one of the storefront')
    .action(guarded(async () => (await import('./verify.ts')).upgradeVerify));
  common(
    program.command('rollback'),
    ['rollback', 'print what would be lost'],
    ['rollback --accept-loss', 'restore the newest snapshot'],
  )
    .description('print the rows written since a snapshot; with --accept-loss, stop, restore it, and switch to its release')
    .option('--snapshot <id>', 'the newest by default')
    .option('--accept-loss', 'lose the rows written since the snapshot')
    .action(guarded(async () => (await import('./rollback.ts')).rollback));
}
