import { draftMigration } from '@storeloom/migration-draft';
import { type InstallationOptions, open } from './installation.ts';
import type { Lifetime } from './lifetime.ts';
import { say } from './output.ts';
import { licenceLine, unreadyLines } from './unready.ts';
import { UsageError } from './usage-error.ts';

interface MigrateOptions extends InstallationOptions {
  json?: boolean;
  phase?: string;
  atomicCore?: boolean;
}

function phaseOf(text: string | undefined): 'core' | 'plugins' | undefined {
  if (text === undefined || text === 'core' || text === 'plugins') return text;
  throw new UsageError(`--phase is "${text}", must be core or plugins`);
}

/** Exit codes: 0 success · 1 a core migration failed, nothing further ran · 3 a plugin's migration failed or a plugin can't load; the others continued. */
export async function migrateCommand(options: MigrateOptions, life: Lifetime): Promise<number> {
  const phase = phaseOf(options.phase);
  const prepared = await open(options, life, say, { logToStderr: true });
  const report = await prepared.migrate(options.json ? undefined : say, life.signal, {
    ...(phase === undefined ? {} : { phase }),
    atomicCore: options.atomicCore === true,
  });
  const unready = prepared.registry.states().filter((state) => state.state !== 'ready' && state.state !== 'not_installed');
  if (options.json) process.stdout.write(`${JSON.stringify({ ...report, plugins: unready })}\n`);
  else {
    for (const failed of report.failed) {
      const blocked = report.blocked.filter(({ because }) => because === failed.owner).map(({ owner }) => owner);
      say(
        `failed: ${failed.owner} ${failed.name} ${failed.message}${blocked.length > 0 ? `\n  blocked by it: ${blocked.join(', ')}` : ''}`,
      );
    }
    const licence = unready.length > 0 ? licenceLine(prepared) : undefined;
    if (licence !== undefined) say(licence);
    for (const line of unreadyLines(prepared.registry.states())) say(line);
    say(`${report.applied.length} applied, ${report.failed.length} failed`);
  }
  return report.exitCode === 0 && unready.length > 0 ? 3 : report.exitCode;
}

export async function migrateStatus(options: MigrateOptions, life: Lifetime): Promise<number> {
  const prepared = await open(options, life, say, { logToStderr: true });
  const status = await prepared.migrationStatus();
  if (options.json) process.stdout.write(`${JSON.stringify(status)}\n`);
  else for (const row of status) process.stdout.write(`${row.status.padEnd(8)} ${row.owner.padEnd(16)} ${row.name}\n`);
  return status.every((row) => row.status === 'done') ? 0 : 3;
}

/**
 * Prints the SQL that the plugin's tables lack in the database. Exit codes: 0, also where nothing is missing · 1 pending migrations ·
 * 4 not licensed.
 */
export async function migrateDiff(plugin: string, options: MigrateOptions, life: Lifetime): Promise<number> {
  const prepared = await open(options, life, say, { logToStderr: true });
  const found = prepared.registry.states().find(({ name }) => name === plugin);
  if (found?.state === 'unlicensed') {
    say(`The licence doesn't cover ${plugin}. To draft migrations without one, set STORELOOM_ENV=development.`);
    return 4;
  }
  const pending = (await prepared.migrationStatus()).filter(({ owner, status }) => owner === plugin && status !== 'done');
  if (pending.length > 0) {
    say(`${plugin} has migrations that haven't run: ${pending.map(({ name }) => name).join(', ')}. Run storeloom migrate first.`);
    return 1;
  }
  const draft = await draftMigration(prepared.ownerUrl, prepared.tablesOf(plugin));
  if (options.json) process.stdout.write(`${JSON.stringify({ plugin, sql: draft })}\n`);
  else if (draft === '') say(`${plugin}: the database has all that its tables declare`);
  else process.stdout.write(draft);
  return 0;
}
