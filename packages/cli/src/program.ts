import { keyFamilies, version } from '@storeloom/core';
import { Command } from 'commander';
import { auditAnchors, auditVerify } from './audit.ts';
import { dev } from './dev.ts';
import { exitCodeOf, explain } from './exit.ts';
import { rotateCommand } from './keys.ts';
import { licenseActivate, licenseDeactivate, licenseHeartbeat, licenseIssuer, licenseRotate, licenseShow } from './license.ts';
import { withLifetime } from './lifetime.ts';
import { migrateCommand, migrateStatus } from './migrate.ts';
import { openapi } from './openapi.ts';
import { licenceToken, listTokens, publisherToken, revokeToken } from './registry-tokens.ts';
import { start } from './start.ts';

/**
 * Every command ends with one of the documented exit codes; what went wrong goes to stderr. commander calls with the arguments, the
 * options and itself; `run` takes the arguments, the options and the lifetime of the command.
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

/** An empty value is a variable that was not set, never a wish: `--data=` would be the folder that one stands in. */
function refuseEmpty(command: Command): void {
  const empty = command.options.find((option) => command.getOptionValue(option.attributeName()) === '');
  if (empty) command.error(`error: ${empty.long} is empty: give it a value, or leave it out`);
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
  // An option behind `migrate status` is that command's, not `migrate`'s, which has one of the same name.
  program.enablePositionalOptions();
  program.hook('preAction', (_, command) => refuseEmpty(command));
  installationOptions(program.command('dev'))
    .description('migrate, seed the demo and serve, for trying and developing')
    .option('--no-demo', 'without the demo shops')
    .option('--json', 'one line of JSON on stdout once ready, and nothing else')
    .action(guarded(dev));
  installationOptions(program.command('start')).description('serve; migrations must have run').action(guarded(start));
  const migrate = installationOptions(program.command('migrate'))
    .description('run the pending migrations: core, then plugins')
    .option('--json', 'the report as JSON')
    .action(guarded(migrateCommand));
  installationOptions(migrate.command('status'))
    .description('what has run and what is pending')
    .option('--json', 'as JSON')
    .action(guarded(migrateStatus));
  installationOptions(program.command('openapi'))
    .description('print the OpenAPI document of every mounted route')
    .action(guarded(openapi));
  const license = program
    .command('license')
    .description('the licence of the installation, and the keys of one that issues licences');
  const own = (name: string, description: string): Command =>
    installationOptions(license.command(name)).description(description).option('--json', 'as JSON');
  own('show', 'state, plan, limits and end').action(guarded(licenseShow));
  own('activate <key>', 'activate by a key, or by a certificate that was made for this installation').action(
    guarded(licenseActivate),
  );
  own('heartbeat', 'ask the licence server now').action(guarded(licenseHeartbeat));
  own('deactivate', 'give the licence back').action(guarded(licenseDeactivate));
  installationOptions(license.command('issuer'))
    .description('print what others name in their configuration to take licences of this installation')
    .action(guarded(licenseIssuer));
  installationOptions(license.command('rotate'))
    .description('sign with the next key from now on, and announce another next one')
    .option('--compromised', 'drop the present key at once; what it signed is no licence any more where it is not written down')
    .action(guarded(licenseRotate));
  program
    .command('keys')
    .description('the keys of the installation')
    .command('rotate')
    .argument('<family>', keyFamilies.join(', '))
    .description('use a new key from now on; what runs follows within seconds')
    .option('--compromised', 'tokens of the old keys are refused at once')
    .option('--data <dir>', 'data directory (STORELOOM_DATA)')
    .option('--dir <dir>', 'folder of the installation', process.cwd())
    .option('--json', 'the answer as JSON')
    .action(guarded(rotateCommand));
  const audit = program.command('audit').description('the hash-chained log of what was changed, and by whom');
  installationOptions(audit.command('verify'))
    .description('read every chain from its beginning and name each row that was tampered with')
    .option('--tenant <slug>', 'one tenant only')
    .option('--anchors <file>', 'anchors that were kept elsewhere, besides those of the database')
    .option('--json', 'as JSON')
    .action(guarded(auditVerify));
  installationOptions(audit.command('anchors'))
    .description('print where each chain ended, hour by hour, to be kept elsewhere')
    .action(guarded(auditAnchors));
  const tokens = license.command('token').description('tokens of the package registry');
  const tokenCommand = (name: string, description: string): Command =>
    installationOptions(tokens.command(name)).description(description).option('--json', 'as JSON');
  tokenCommand('show <licence-id>', 'the token that installs what a licence covers').action(guarded(licenceToken));
  tokenCommand('publisher <packages...>', 'make a token that publishes these packages, or whole scopes (@acme/*)')
    .requiredOption('--name <name>', 'whose it is')
    .action(guarded(publisherToken));
  tokenCommand('list', 'every token, without its secret').action(guarded(listTokens));
  tokenCommand('revoke <id>', 'end a token').action(guarded(revokeToken));
  return program;
}
