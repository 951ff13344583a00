import { version } from '@storeloom/core';
import { Command } from 'commander';
import { dev } from './dev.ts';
import { exitCodeOf, explain } from './exit.ts';
import { migrateCommand, migrateStatus } from './migrate.ts';
import { openapi } from './openapi.ts';
import { licenceToken, listTokens, publisherToken, revokeToken } from './registry-tokens.ts';
import { start } from './start.ts';

/** Every command ends with one of the documented exit codes; what went wrong goes to stderr. */
function guarded<A extends unknown[]>(run: (...args: A) => Promise<number>): (...args: A) => Promise<void> {
  return async (...args) => {
    try {
      process.exitCode = await run(...args);
    } catch (error) {
      process.stderr.write(`${explain(error)}\n`);
      process.exitCode = exitCodeOf(error);
    }
  };
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
  const tokens = program
    .command('license')
    .description('licences that this installation issues')
    .command('token')
    .description('tokens of the package registry');
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
