import { Command } from 'commander';
import { examples, guarded, installationOptions } from './command.ts';
import { completionCommands } from './completion/commands.ts';
import { explain } from './exit.ts';
import { exitCodeHelp } from './exit-codes.ts';
import { licenseCommands } from './license/commands.ts';
import { ownVersion } from './own-version.ts';
import { pluginCommands } from './plugin/commands.ts';
import { releaseCommands } from './release/commands.ts';
import { enterCurrent } from './release/current.ts';
import { tenantCommands } from './tenant/commands.ts';

/** An empty value comes from an unset shell variable: `--data=` would mean the current folder. */
function refuseEmpty(command: Command): void {
  const empty = command.options.find((option) => command.getOptionValue(option.attributeName()) === '');
  if (empty) command.error(`error: ${empty.long} is empty: set a value, or omit it`);
  if (command.args.includes('')) command.error('error: an argument is empty');
}

/** Commands with `--dir` run in the code of the serving release. */
function enterRelease(command: Command): void {
  const { dir, workers } = command.opts<{ dir?: string; workers?: string }>();
  if (dir === undefined) return;
  const names: string[] = [];
  for (let each: Command | null = command; each?.parent; each = each.parent) names.unshift(each.name());
  try {
    enterCurrent(names, dir, workers !== undefined);
  } catch (error) {
    command.error(`error: ${explain(error)}`);
  }
}

export function createProgram(): Command {
  const program = new Command('storeloom').version(ownVersion()).exitOverride((error) => {
    process.exit(error.exitCode === 0 ? 0 : 2);
  });
  // Both commands have --json; after `migrate status` it belongs to the subcommand.
  program.enablePositionalOptions();
  program.addHelpText('after', exitCodeHelp());
  program.hook('preAction', (_, command) => {
    refuseEmpty(command);
    enterRelease(command);
  });
  examples(
    installationOptions(program.command('dev')),
    ['dev', 'serve the demo shops on port 4000'],
    ['dev --port 5000 --no-demo', 'serve on another port, without demo shops'],
  )
    .description('migrate, seed the demo and serve, for evaluation and development')
    .option('--no-demo', 'without the demo shops')
    .option('--json', 'a single line of JSON on stdout when ready')
    .action(guarded(async () => (await import('./dev/dev.ts')).dev));
  examples(
    installationOptions(program.command('start')),
    ['start --port 4000', 'serve in one process'],
    ['start --workers auto', 'serve with a process per processor'],
  )
    .description('serve; requires migrated databases')
    .option('--service <name>', 'api: requests only; worker: jobs only, without a port; default: both')
    .option('--workers <number>', 'serve with several processes on one port; auto: one per processor')
    .option('--json', 'a single line of JSON on stdout when ready')
    .action(guarded(async () => (await import('./serve.ts')).serve));
  const migrate = examples(
    installationOptions(program.command('migrate')),
    ['migrate', 'run pending migrations'],
    ['migrate --json', 'for a script: applied, failed and blocked'],
  )
    .description('run pending migrations: core, then plugins')
    .option('--phase <name>', 'core or plugins; default: both')
    .option('--atomic-core', 'apply all pending migrations of the core or none, without a record of a failure')
    .option('--json', 'output as JSON')
    .action(guarded(async () => (await import('./migrate.ts')).migrateCommand));
  examples(
    installationOptions(migrate.command('status')),
    ['migrate status', 'list all migrations'],
    ['migrate status --json | jq length', 'count them'],
  )
    .description('list applied and pending migrations')
    .option('--json', 'output as JSON')
    .action(guarded(async () => (await import('./migrate.ts')).migrateStatus));
  examples(installationOptions(migrate.command('diff')), [
    'migrate diff hotel',
    'print the SQL of the next migration of plugin hotel',
  ])
    .description('draft the SQL that the tables of a plugin lack in the database')
    .argument('<plugin>', 'short name, such as hotel')
    .option('--json', 'output as JSON')
    .action(guarded(async () => (await import('./migrate.ts')).migrateDiff));
  examples(program.command('build'), ['build', 'before a start, and in CI'])
    .description('build the plugins in the folder of the installation, and load all modules; repeatable')
    .option('--dir <dir>', 'folder of the installation', process.cwd())
    .option('--json', 'output as JSON')
    .action(guarded(async () => (await import('./build.ts')).build));
  // For upgrades, which run it in the release that they install.
  installationOptions(program.command('probe', { hidden: true }))
    .option('--sign-in', 'with a token of an owner')
    .action(guarded(async () => (await import('./probe.ts')).probe));
  examples(installationOptions(program.command('openapi')), ['openapi > openapi.json', 'write the document to a file'])
    .description('print the OpenAPI document of all mounted routes')
    .option('--json', 'on a single line')
    .action(guarded(async () => (await import('./openapi.ts')).openapi));
  examples(
    program.command('client'),
    ['client hotel', 'write src/client.ts of plugin hotel'],
    ['client hotel --check', 'in CI: is the committed file up to date?'],
  )
    .description('write the client slice of a plugin, which its package exports as ./client')
    .argument('<plugin>', 'short name, such as hotel')
    .option('--out <file>', 'file to write; default: src/client.ts in the folder of the plugin')
    .option('--check', 'write nothing; exit code 1 if the file is stale')
    .option('--dir <dir>', 'folder of the installation', process.cwd())
    .option('--json', 'output as JSON')
    .action(guarded(async () => (await import('./client.ts')).client));
  examples(
    installationOptions(program.command('doctor')),
    ['doctor', 'check everything on this machine'],
    ['doctor --registry --json', 'for a script, with the answer of the package registry'],
  )
    .description('check configuration, packages, database, migrations, plugins, licence, service and snapshots; changes nothing')
    .option('--registry', 'ask the package registry and print its answer')
    .option('--json', 'output as JSON')
    .action(guarded(async () => (await import('./doctor/doctor.ts')).doctor));
  pluginCommands(program);
  tenantCommands(program);
  licenseCommands(program);
  examples(
    program.command('keys').description('keys of the installation').command('rotate'),
    ['keys rotate admin', 'sign access tokens of the admin with a new key'],
    ['keys rotate admin --compromised', 'and refuse the tokens of the old keys'],
  )
    .argument('<family>', 'family of keys; an unknown one lists all')
    .description('switch to a new key; running processes follow within seconds')
    .option('--compromised', 'refuse tokens of the old keys immediately')
    .option('--data <dir>', 'data directory (STORELOOM_DATA)')
    .option('--dir <dir>', 'folder of the installation', process.cwd())
    .option('--json', 'output as JSON')
    .action(guarded(async () => (await import('./keys.ts')).rotateCommand));
  const audit = program.command('audit').description('hash-chained audit log');
  examples(
    installationOptions(audit.command('verify')),
    ['audit verify', 'verify the chains of all tenants'],
    ['audit verify --tenant nord --anchors anchors.json', 'compare a tenant with anchors stored elsewhere'],
  )
    .description('verify all chains and list manipulated rows')
    .option('--tenant <slug>', 'only this tenant')
    .option('--anchors <file>', 'externally stored anchors, in addition to those in the database')
    .option('--json', 'output as JSON')
    .action(guarded(async () => (await import('./audit.ts')).auditVerify));
  examples(installationOptions(audit.command('anchors')), [
    'audit anchors > anchors.json',
    'store the anchors outside the installation',
  ])
    .description('print the hourly anchors of all chains, for external storage')
    .option('--json', 'the output is JSON with and without it')
    .action(guarded(async () => (await import('./audit.ts')).auditAnchors));
  releaseCommands(program);
  completionCommands(program);
  return program;
}
