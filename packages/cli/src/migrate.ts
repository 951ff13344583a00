import { type InstallationOptions, open } from './installation.ts';

interface MigrateOptions extends InstallationOptions {
  json?: boolean;
}

/** Exit 0 all done · 1 a core migration failed, nothing further ran · 3 a plugin's failed or can't load, the others went on. */
export async function migrateCommand(options: MigrateOptions): Promise<number> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const prepared = await open(options, say, { logToStderr: true });
  try {
    const report = await prepared.migrate(options.json ? undefined : say);
    const unready = prepared.registry.states().filter((state) => state.state !== 'ready' && state.state !== 'not_installed');
    if (options.json) process.stdout.write(`${JSON.stringify({ ...report, plugins: unready })}\n`);
    else {
      for (const failed of report.failed)
        say(
          `\nfailed: ${failed.owner} ${failed.name}\n  ${failed.message}${failed.owner === 'core' ? '\n  restore: storeloom rollback' : ''}`,
        );
      for (const blocked of report.blocked) say(`blocked: ${blocked.owner}, because ${blocked.because} failed`);
      for (const state of unready) say(`${state.state}: ${state.name} ${state.reason?.message ?? ''}`);
      say(`${report.applied.length} applied, ${report.failed.length} failed`);
    }
    return report.exitCode === 0 && unready.length > 0 ? 3 : report.exitCode;
  } finally {
    await prepared.stop();
  }
}

export async function migrateStatus(options: MigrateOptions): Promise<number> {
  const prepared = await open(options, (line) => process.stderr.write(`${line}\n`), { logToStderr: true });
  try {
    const status = await prepared.migrationStatus();
    if (options.json) process.stdout.write(`${JSON.stringify(status)}\n`);
    else for (const row of status) process.stdout.write(`${row.status.padEnd(8)} ${row.owner.padEnd(16)} ${row.name}\n`);
    return status.every((row) => row.status === 'done') ? 0 : 3;
  } finally {
    await prepared.stop();
  }
}
