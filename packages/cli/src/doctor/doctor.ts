import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readConfig, readInstallation } from '@storeloom/core';
import { listSnapshots } from '@storeloom/snapshot';
import { explain } from '../exit.ts';
import { type InstallationOptions, open } from '../installation.ts';
import type { Lifetime } from '../lifetime.ts';
import { print } from '../output.ts';
import { readProcessState } from '../processes/state.ts';
import { licenceLine, unreadyLines } from '../unready.ts';
import { checkDatabase } from './database.ts';
import { type Finding, failure, ok, warning } from './finding.ts';
import { checkPackages } from './packages.ts';
import { checkRegistry } from './registry.ts';

interface DoctorOptions extends InstallationOptions {
  readonly json?: boolean;
  readonly registry?: boolean;
}

const day = 86_400_000;

/**
 * Checks the installation and says what to do about each fault. Changes nothing. Exit codes: 0 no error · 2 the configuration can't be
 * used · 3 errors · 5 the database is unreachable.
 */
export async function doctor(options: DoctorOptions, life: Lifetime): Promise<number> {
  const findings: Finding[] = [ok('node', `Node ${process.versions.node}`)];
  const code = await check(options, life, findings);
  const errors = findings.filter(({ state }) => state === 'error').length;
  if (options.json) print({ ok: code === 0 && errors === 0, findings });
  else {
    const marks = { ok: '✓', warning: '!', error: '✗' };
    for (const { check, state, message, fix } of findings) {
      print(`${marks[state]} ${check.padEnd(13)} ${message}`);
      if (fix !== undefined) print(`  ${' '.repeat(13)} fix: ${fix}`);
    }
  }
  return code || (errors > 0 ? 3 : 0);
}

async function check(options: DoctorOptions, life: Lifetime, findings: Finding[]): Promise<number> {
  const { dir, port, data: dataDir, databaseUrl } = options;
  let config: ReturnType<typeof readConfig>;
  let installation: Awaited<ReturnType<typeof readInstallation>>;
  try {
    config = readConfig(process.env, { port, dataDir, databaseUrl });
    installation = await readInstallation(dir);
    findings.push(ok('configuration', `${installation.plugins.length} plugins in ${resolve(dir)}, environment ${config.env}`));
  } catch (error) {
    findings.push(failure('configuration', explain(error), 'correct the stated keys'));
    return 2;
  }
  findings.push(...checkPackages(installation.dir), checkDataDir(config.dataDir));
  if (!existsSync(join(config.dataDir, 'secrets.json'))) return 0;
  try {
    const prepared = await open(options, life, () => undefined, { logToStderr: true, logLevel: 'fatal', beside: true });
    findings.push(...(await checkDatabase(prepared.ownerUrl)));
    const migrations = await prepared.migrationStatus();
    const undone = migrations.filter(({ status }) => status !== 'done');
    findings.push(
      undone.length === 0
        ? ok('migrations', `${migrations.length} applied`)
        : failure(
            'migrations',
            undone.map(({ owner, name, status }) => `${owner} ${name} is ${status}`).join('; '),
            'run storeloom migrate',
          ),
    );
    const states = prepared.registry.states();
    const unready = unreadyLines(states);
    if (unready.length === 0) findings.push(ok('plugins', `${states.filter(({ state }) => state === 'ready').length} are ready`));
    for (const line of unready) findings.push(failure('plugins', line, 'correct the stated cause, then start again'));
    const licence = licenceLine(prepared);
    findings.push(
      licence === undefined
        ? ok('licence', prepared.licence.view().state)
        : warning('licence', licence.replace(/^licence: /, ''), 'see storeloom license show'),
    );
  } catch (error) {
    findings.push(failure('database', explain(error), 'correct the stated cause'));
    return (error as { exitCode?: number }).exitCode === 5 ? 5 : 3;
  }
  findings.push(await checkService(config.port, config.dataDir), checkSnapshots(installation.dir));
  if (options.registry) findings.push(...(await checkRegistry(installation.registry?.url, config.registryToken)));
  return 0;
}

function checkDataDir(path: string): Finding {
  if (!existsSync(join(path, 'secrets.json')))
    return warning(
      'data',
      `${path} has no secrets: the installation was never started`,
      'run storeloom migrate, or set STORELOOM_DATA',
    );
  // The server's user passes through a folder of root.
  const open = statSync(path).mode & 0o066;
  return open === 0 ? ok('data', path) : failure('data', `${path} can be read by other users`, `chmod go-rw ${path}`);
}

async function checkService(port: number, dataDir: string): Promise<Finding> {
  const running = readProcessState(dataDir);
  const count = running?.workers.length ?? 1;
  const what = count === 1 ? 'one process' : `${count} processes of ${running?.pid}`;
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(5000) });
    const { ok: healthy } = (await response.json()) as { ok?: boolean };
    if (response.status === 200 && healthy === true) return ok('api', `${what} on port ${port}`);
    return failure('api', `/health on port ${port} answered ${response.status}`, 'read the log of the process');
  } catch (error) {
    const cause = (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).message;
    return warning(
      'api',
      `nothing answers on port ${port} (${cause})`,
      'start it with storeloom start, or name its port with --port',
    );
  }
}

function checkSnapshots(dir: string): Finding {
  const [newest] = listSnapshots(join(dir, 'var', 'snapshots'));
  const fix = 'take one with storeloom snapshot create';
  if (!newest) return warning('snapshots', 'there is none in var/snapshots', fix);
  const hours = Math.floor((Date.now() - Date.parse(newest.createdAt)) / 3_600_000);
  return hours * 3_600_000 < day
    ? ok('snapshots', `the newest is ${newest.id}`)
    : warning('snapshots', `the newest is ${hours} hours old`, fix);
}
