import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { exitCodeOf, explain } from './exit.ts';
import { withLifetime } from './lifetime.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };

/**
 * Ends every command with a documented exit code and writes errors to stderr. commander passes the arguments, the options and the
 * command; the command's function takes the arguments, the options and the lifetime. It is loaded when it is called, so that a rollback
 * works where a package of the release can't be loaded.
 */
function guarded<A extends unknown[]>(
  load: () => Promise<(...args: A) => Promise<number>>,
): (...args: unknown[]) => Promise<void> {
  return async (...given) => {
    try {
      const run = await load();
      process.exitCode = await withLifetime((life) => run(...([...given.slice(0, -1), life] as A)));
    } catch (error) {
      process.stderr.write(`${explain(error)}\n`);
      process.exitCode = exitCodeOf(error);
    }
  };
}

/** An empty value comes from an unset shell variable: `--data=` would mean the current folder. */
function refuseEmpty(command: Command): void {
  const empty = command.options.find((option) => command.getOptionValue(option.attributeName()) === '');
  if (empty) command.error(`error: ${empty.long} is empty: set a value, or omit it`);
  if (command.args.includes('')) command.error('error: an argument is empty');
}

function installationOptions(command: Command): Command {
  return command
    .option('--port <number>', 'port of the API (PORT, default 4000)')
    .option('--data <dir>', 'data directory (STORELOOM_DATA)')
    .option('--database-url <url>', 'owner of the database (DATABASE_URL); without one the embedded PostgreSQL runs')
    .option('--dir <dir>', 'folder of the installation', process.cwd());
}

export function createProgram(): Command {
  const program = new Command('storeloom').version(version).exitOverride((error) => {
    process.exit(error.exitCode === 0 ? 0 : 2);
  });
  // Both commands have --json; after `migrate status` it belongs to the subcommand.
  program.enablePositionalOptions();
  program.hook('preAction', (_, command) => refuseEmpty(command));
  installationOptions(program.command('dev'))
    .description('migrate, seed the demo and serve, for evaluation and development')
    .option('--no-demo', 'without the demo shops')
    .option('--json', 'a single line of JSON on stdout when ready')
    .action(guarded(async () => (await import('./dev.ts')).dev));
  installationOptions(program.command('start'))
    .description('serve; requires migrated databases')
    .option('--workers <number>', 'serve with several processes on one port; auto: one per processor')
    .action(guarded(async () => (await import('./serve.ts')).serve));
  const migrate = installationOptions(program.command('migrate'))
    .description('run pending migrations: core, then plugins')
    .option('--json', 'output as JSON')
    .action(guarded(async () => (await import('./migrate.ts')).migrateCommand));
  installationOptions(migrate.command('status'))
    .description('list applied and pending migrations')
    .option('--json', 'as JSON')
    .action(guarded(async () => (await import('./migrate.ts')).migrateStatus));
  installationOptions(migrate.command('diff'))
    .description('draft the SQL that the tables of a plugin lack in the database')
    .argument('<plugin>', 'short name, such as hotel')
    .option('--json', 'as JSON')
    .action(guarded(async () => (await import('./migrate.ts')).migrateDiff));
  installationOptions(program.command('openapi'))
    .description('print the OpenAPI document of all mounted routes')
    .action(guarded(async () => (await import('./openapi.ts')).openapi));
  program
    .command('client')
    .description('write the client slice of a plugin, which its package exports as ./client')
    .argument('<plugin>', 'short name, such as hotel')
    .option('--out <file>', 'file to write; default: src/client.ts in the folder of the plugin')
    .option('--check', 'write nothing; exit code 1 if the file is stale')
    .option('--dir <dir>', 'folder of the installation', process.cwd())
    .action(guarded(async () => (await import('./client.ts')).client));
  installationOptions(program.command('doctor'))
    .description('check configuration, packages, database, migrations, plugins, licence, service and snapshots; changes nothing')
    .option('--registry', 'ask the package registry and print its answer')
    .option('--json', 'as JSON')
    .action(guarded(async () => (await import('./doctor/doctor.ts')).doctor));
  const license = program.command('license').description('licence of the installation, and keys for issuing licences');
  const own = (name: string, description: string): Command =>
    installationOptions(license.command(name)).description(description).option('--json', 'as JSON');
  own('show', 'show state, plan, limits and expiry').action(guarded(async () => (await import('./license.ts')).licenseShow));
  own('activate <key>', 'activate a key, or a certificate issued for this installation').action(
    guarded(async () => (await import('./license.ts')).licenseActivate),
  );
  own('heartbeat', 'contact the licence server now').action(guarded(async () => (await import('./license.ts')).licenseHeartbeat));
  own('deactivate', 'return the licence').action(guarded(async () => (await import('./license.ts')).licenseDeactivate));
  installationOptions(license.command('issuer'))
    .description('print the issuer entry for the configuration of other installations')
    .action(guarded(async () => (await import('./license.ts')).licenseIssuer));
  installationOptions(license.command('rotate'))
    .description('switch to the next signing key and announce a new next key')
    .option('--compromised', 'drop the current key immediately; unrecorded licences signed with it become invalid')
    .action(guarded(async () => (await import('./license.ts')).licenseRotate));
  program
    .command('keys')
    .description('keys of the installation')
    .command('rotate')
    .argument('<family>', 'family of keys; an unknown one lists all')
    .description('switch to a new key; running processes follow within seconds')
    .option('--compromised', 'refuse tokens of the old keys immediately')
    .option('--data <dir>', 'data directory (STORELOOM_DATA)')
    .option('--dir <dir>', 'folder of the installation', process.cwd())
    .option('--json', 'output as JSON')
    .action(guarded(async () => (await import('./keys.ts')).rotateCommand));
  const audit = program.command('audit').description('hash-chained audit log');
  installationOptions(audit.command('verify'))
    .description('verify all chains and list manipulated rows')
    .option('--tenant <slug>', 'only this tenant')
    .option('--anchors <file>', 'externally stored anchors, in addition to those in the database')
    .option('--json', 'as JSON')
    .action(guarded(async () => (await import('./audit.ts')).auditVerify));
  installationOptions(audit.command('anchors'))
    .description('print the hourly anchors of all chains, for external storage')
    .action(guarded(async () => (await import('./audit.ts')).auditAnchors));
  const tokens = license.command('token').description('tokens of the package registry');
  const tokenCommand = (name: string, description: string): Command =>
    installationOptions(tokens.command(name)).description(description).option('--json', 'as JSON');
  tokenCommand('show <licence-id>', 'show the token for installing the packages of a licence').action(
    guarded(async () => (await import('./registry-tokens.ts')).licenceToken),
  );
  tokenCommand('publisher <packages...>', 'create a token for publishing packages or scopes (@acme/*)')
    .requiredOption('--name <name>', 'name of the publisher')
    .action(guarded(async () => (await import('./registry-tokens.ts')).publisherToken));
  tokenCommand('list', 'list tokens without secrets').action(
    guarded(async () => (await import('./registry-tokens.ts')).listTokens),
  );
  tokenCommand('revoke <id>', 'revoke a token').action(guarded(async () => (await import('./registry-tokens.ts')).revokeToken));
  releaseCommands(program);
  return program;
}

/** Commands that load neither core nor plugins of the installation. */
function releaseCommands(program: Command): void {
  const common = (command: Command): Command =>
    command
      .option('--folder <dir>', 'folder of snapshots (default: var/snapshots)')
      .option('--data <dir>', 'data directory (STORELOOM_DATA)')
      .option('--database-url <url>', 'owner of the database (DATABASE_URL); without one the embedded PostgreSQL')
      .option('--dir <dir>', 'folder of the installation', process.cwd())
      .option('--json', 'output as JSON');
  const snapshot = program.command('snapshot').description('verified snapshots of the database');
  common(snapshot.command('create'))
    .description('take a snapshot while the shops run, and verify it')
    .action(guarded(async () => (await import('./release/snapshot.ts')).snapshotCreate));
  common(snapshot.command('verify'))
    .argument('[id]', 'the newest by default')
    .description('compare files, data and rows of a snapshot with its record')
    .option('--deep', 'restore a dump into a scratch database')
    .action(guarded(async () => (await import('./release/snapshot.ts')).snapshotVerify));
  common(snapshot.command('list'))
    .description('list snapshots, the newest first')
    .action(guarded(async () => (await import('./release/snapshot.ts')).snapshotList));
  common(snapshot.command('prune'))
    .description('delete old snapshots, and remains of interrupted ones after a day')
    .option('--keep <number>', 'number of the newest to keep', '5')
    .action(guarded(async () => (await import('./release/snapshot.ts')).snapshotPrune));
  common(program.command('reload'))
    .description('replace the processes of start --workers one after the other, without losing a request')
    .action(guarded(async () => (await import('./processes/reload.ts')).reload));
  common(program.command('rollback'))
    .description('print the rows written since a snapshot, and restore it with --accept-loss')
    .option('--snapshot <id>', 'the newest by default')
    .option('--accept-loss', 'lose the rows written since the snapshot')
    .action(guarded(async () => (await import('./release/rollback.ts')).rollback));
}
