import { version } from '@storeloom/core';
import { Command } from 'commander';
import { auditAnchors, auditVerify } from './audit.ts';
import { dev } from './dev.ts';
import { exitCodeOf, explain } from './exit.ts';
import { migrateCommand, migrateStatus } from './migrate.ts';
import { openapi } from './openapi.ts';
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
  return program;
}
