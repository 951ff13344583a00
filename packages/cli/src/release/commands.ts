import type { Command } from 'commander';
import { guarded, releaseOptions } from '../command.ts';

/** Commands that load neither core nor plugins of the installation. */
export function releaseCommands(program: Command): void {
  const snapshot = program.command('snapshot').description('verified snapshots of the database');
  releaseOptions(snapshot.command('create'), ['snapshot create', 'before an upgrade'])
    .description('take a snapshot while the shops run, and verify it')
    .action(guarded(async () => (await import('./snapshot.ts')).snapshotCreate));
  releaseOptions(
    snapshot.command('verify'),
    ['snapshot verify', 'compare the newest with its record'],
    ['snapshot verify --deep', 'restore it into a scratch database'],
  )
    .argument('[id]', 'the newest by default')
    .description('compare files, data and rows of a snapshot with its record')
    .option('--deep', 'restore a dump into a scratch database')
    .action(guarded(async () => (await import('./snapshot.ts')).snapshotVerify));
  releaseOptions(snapshot.command('list'), ['snapshot list', 'list snapshots'])
    .description('list snapshots, the newest first')
    .action(guarded(async () => (await import('./snapshot.ts')).snapshotList));
  releaseOptions(snapshot.command('prune'), ['snapshot prune --keep 10', 'keep the ten newest'])
    .description('delete old snapshots, and remains of interrupted ones after a day')
    .option('--keep <number>', 'number of the newest to keep', '5')
    .action(guarded(async () => (await import('./snapshot.ts')).snapshotPrune));
  releaseOptions(program.command('reload'), ['reload', 'after an update in the same folder'])
    .description('replace the processes of start --workers one after the other, without losing a request')
    .action(guarded(async () => (await import('../processes/reload.ts')).reload));
  const upgrade = program.command('upgrade').description('upgrade the installation to another release');
  releaseOptions(
    upgrade.command('plan'),
    ['upgrade plan --to 1.5.0', 'what has to be done first'],
    ['upgrade plan --from . --json', 'in CI: the next commit of the shop'],
  )
    .description('what an upgrade would do, and what has to be done before; changes nothing')
    .option('--to <version>', 'version of the product')
    .option('--from <folder>', 'folder with package.json and lock file of the target, such as the next commit of the shop')
    .option('--manifest <file>', 'release manifest of the target; default: of an earlier plan, or from the package registry')
    .action(guarded(async () => (await import('./plan/plan.ts')).upgradePlan));
  releaseOptions(
    upgrade.command('check'),
    ['upgrade check', 'can an upgrade run now?'],
    ['upgrade check --to 1.5.0 --json', 'with the demands of the target'],
  )
    .description('check services, disk, database and snapshot programs before an upgrade; changes nothing')
    .option('--to <version>', 'version of the product')
    .option('--from <folder>', 'folder with the packages of the target')
    .option('--manifest <file>', 'release manifest of the target')
    .action(guarded(async () => (await import('./check/check.ts')).upgradeCheck));
  releaseOptions(
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
  releaseOptions(upgrade.command('verify'), ['upgrade verify', 'the smoke test after an upgrade'])
    .description('health, plugins compared with those before the upgrade, a route of the admin and one of the storefront')
    .action(guarded(async () => (await import('./verify.ts')).upgradeVerify));
  releaseOptions(
    program.command('rollback'),
    ['rollback', 'print what would be lost'],
    ['rollback --accept-loss', 'restore the newest snapshot'],
  )
    .description('print the rows written since a snapshot; with --accept-loss, stop, restore it, and switch to its release')
    .option('--snapshot <id>', 'the newest by default')
    .option('--accept-loss', 'lose the rows written since the snapshot')
    .action(guarded(async () => (await import('./rollback.ts')).rollback));
}
