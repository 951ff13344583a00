import { version } from '@storeloom/core';
import { keyFamilies } from '@storeloom/keys';
import { Command } from 'commander';
import { auditAnchors, auditVerify } from './audit.ts';
import { dev } from './dev.ts';
import { exitCodeOf, explain } from './exit.ts';
import { rotateCommand } from './keys.ts';
import { licenseActivate, licenseDeactivate, licenseHeartbeat, licenseIssuer, licenseRotate, licenseShow } from './license.ts';
import { withLifetime } from './lifetime.ts';
import { migrateCommand, migrateDiff, migrateStatus } from './migrate.ts';
import { openapi } from './openapi.ts';
import { licenceToken, listTokens, publisherToken, revokeToken } from './registry-tokens.ts';
import { start } from './start.ts';

/**
 * Ends every command with a documented exit code and writes errors to stderr. commander passes the arguments, the options and the
 * command; `run` takes the arguments, the options and the lifetime.
 */
function guarded(run: (...args: never[]) => Promise<number>): (...args: unknown[]) => Promise<void> {
  return async (...given) => {
    try {
      process.exitCode = await withLifetime((life) => run(...([...given.slice(0, -1), life] as never[])));
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
    .action(guarded(dev));
  installationOptions(program.command('start')).description('serve; requires migrated databases').action(guarded(start));
  const migrate = installationOptions(program.command('migrate'))
    .description('run pending migrations: core, then plugins')
    .option('--json', 'output as JSON')
    .action(guarded(migrateCommand));
  installationOptions(migrate.command('status'))
    .description('list applied and pending migrations')
    .option('--json', 'as JSON')
    .action(guarded(migrateStatus));
  installationOptions(migrate.command('diff'))
    .description('draft the SQL that the tables of a plugin lack in the database')
    .argument('<plugin>', 'short name, such as hotel')
    .option('--json', 'as JSON')
    .action(guarded(migrateDiff));
  installationOptions(program.command('openapi'))
    .description('print the OpenAPI document of all mounted routes')
    .action(guarded(openapi));
  const license = program.command('license').description('licence of the installation, and keys for issuing licences');
  const own = (name: string, description: string): Command =>
    installationOptions(license.command(name)).description(description).option('--json', 'as JSON');
  own('show', 'show state, plan, limits and expiry').action(guarded(licenseShow));
  own('activate <key>', 'activate a key, or a certificate issued for this installation').action(guarded(licenseActivate));
  own('heartbeat', 'contact the licence server now').action(guarded(licenseHeartbeat));
  own('deactivate', 'return the licence').action(guarded(licenseDeactivate));
  installationOptions(license.command('issuer'))
    .description('print the issuer entry for the configuration of other installations')
    .action(guarded(licenseIssuer));
  installationOptions(license.command('rotate'))
    .description('switch to the next signing key and announce a new next key')
    .option('--compromised', 'drop the current key immediately; unrecorded licences signed with it become invalid')
    .action(guarded(licenseRotate));
  program
    .command('keys')
    .description('keys of the installation')
    .command('rotate')
    .argument('<family>', keyFamilies.join(', '))
    .description('switch to a new key; running processes follow within seconds')
    .option('--compromised', 'refuse tokens of the old keys immediately')
    .option('--data <dir>', 'data directory (STORELOOM_DATA)')
    .option('--dir <dir>', 'folder of the installation', process.cwd())
    .option('--json', 'output as JSON')
    .action(guarded(rotateCommand));
  const audit = program.command('audit').description('hash-chained audit log');
  installationOptions(audit.command('verify'))
    .description('verify all chains and list manipulated rows')
    .option('--tenant <slug>', 'only this tenant')
    .option('--anchors <file>', 'externally stored anchors, in addition to those in the database')
    .option('--json', 'as JSON')
    .action(guarded(auditVerify));
  installationOptions(audit.command('anchors'))
    .description('print the hourly anchors of all chains, for external storage')
    .action(guarded(auditAnchors));
  const tokens = license.command('token').description('tokens of the package registry');
  const tokenCommand = (name: string, description: string): Command =>
    installationOptions(tokens.command(name)).description(description).option('--json', 'as JSON');
  tokenCommand('show <licence-id>', 'show the token for installing the packages of a licence').action(guarded(licenceToken));
  tokenCommand('publisher <packages...>', 'create a token for publishing packages or scopes (@acme/*)')
    .requiredOption('--name <name>', 'name of the publisher')
    .action(guarded(publisherToken));
  tokenCommand('list', 'list tokens without secrets').action(guarded(listTokens));
  tokenCommand('revoke <id>', 'revoke a token').action(guarded(revokeToken));
  return program;
}
