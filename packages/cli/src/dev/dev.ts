import { relative, resolve } from 'node:path';
import { type Kernel, type Prepared, prepare, readInstallation } from '@storeloom/core';
import pc from 'picocolors';
import { type DemoLogins, seedDemo } from '../demo/demo.ts';
import { drivers } from '../drivers.ts';
import { type InstallationOptions, open } from '../installation.ts';
import type { Lifetime } from '../lifetime.ts';
import { failWithoutMigration } from '../missing-migrations.ts';
import { say } from '../output.ts';
import { switchOf } from '../switches.ts';
import { unreadyLines } from '../unready.ts';
import { Reloads } from './reload.ts';

interface DevOptions extends InstallationOptions {
  demo: boolean;
  json?: boolean;
}

/** Starts database, migrations, demo and API, serves until it is stopped, and follows changes of sources. */
export async function dev(options: DevOptions, life: Lifetime): Promise<number> {
  const started = performance.now();
  const demo = options.demo && switchOf('STORELOOM_DEMO') !== false;
  const json = options.json ?? switchOf('STORELOOM_JSON') ?? false;
  process.env.STORELOOM_ENV ||= 'development';
  process.env.LOG_LEVEL ||= 'warn';
  const prepared = await open(options, life, say, {
    logToStderr: json,
    serves: true,
  });
  const report = await prepared.migrate((line) => say(pc.dim(line)), life.signal);
  for (const failed of report.failed) say(`failed: ${failed.owner} ${failed.name} ${failed.message}`);
  if (report.exitCode === 1) return 1;
  await failWithoutMigration(prepared);
  const kernel = await prepared.start();
  // Before it is ready, only the demo sends requests, and that continues on the next start.
  let ready = false;
  let reloads: Reloads | undefined;
  life.onEnd(async () => ((await reloads?.stop())?.kernel ?? kernel).stop({ immediately: !ready }));
  life.signal.throwIfAborted();
  for (const line of unreadyLines(kernel.registry.states())) say(pc.yellow(line));
  let logins: DemoLogins | undefined;
  if (demo) logins = await seedDemo(kernel, prepared.installation, prepared.dataDir, say, life.signal);
  life.signal.throwIfAborted();
  ready = true;
  const seconds = (performance.now() - started) / 1000;
  if (json) process.stdout.write(`${JSON.stringify(summary(kernel, prepared, logins))}\n`);
  else print(kernel, prepared, logins, seconds);
  reloads = new Reloads(
    { prepared, kernel },
    {
      say,
      async prepare(onImportError) {
        const installation = await readInstallation(options.dir);
        return prepare(prepared.config, installation, {
          drivers,
          say,
          log: prepared.log,
          ownerUrl: prepared.ownerUrl,
          onImportError,
          signal: life.signal,
        });
      },
      async started(version) {
        for (const line of unreadyLines(version.kernel.registry.states())) say(pc.yellow(line));
        if (demo) await seedDemo(version.kernel, version.prepared.installation, version.prepared.dataDir, say, life.signal);
      },
    },
  );
  await life.asked;
  return 0;
}

/** The folders that a backup must contain; the embedded database may be outside the data directory. */
function dataOf({ config: { dataDir }, databaseFolder }: Prepared): string {
  const elsewhere = databaseFolder !== undefined && relative(resolve(dataDir), databaseFolder).startsWith('..');
  return elsewhere ? `${dataDir}, the database in ${databaseFolder}` : dataDir;
}

function summary(kernel: Kernel, prepared: Prepared, logins: DemoLogins | undefined): Record<string, unknown> {
  return {
    api: `http://127.0.0.1:${kernel.port}`,
    database: prepared.ownerUrl,
    tenants: logins?.tenants ?? [],
    superAdmin: logins?.superAdmin ?? null,
    setupToken: prepared.setupToken.value,
  };
}

function print(kernel: Kernel, prepared: Prepared, logins: DemoLogins | undefined, seconds: number): void {
  const line = (text = ''): void => void process.stdout.write(`${text}\n`);
  const { port } = kernel;
  // Not every shop sells products; `tenant-config` exists in all of them.
  const products = '/api/storefront/products';
  const shown = kernel.routes.some(({ path }) => path === products) ? products : '/api/storefront/tenant-config';
  line();
  line(`${pc.bold('Storeloom')} is ready in ${seconds.toFixed(1)} s`);
  line();
  line(`  API            http://localhost:${port}    health: /health   document: /openapi.json`);
  for (const tenant of logins?.tenants ?? []) {
    line();
    line(`  Shop ${pc.bold(tenant.slug)}`);
    line(`    storefront   http://${tenant.host}:${port}${shown}/`);
    line(`    owner        ${tenant.owner.email}   ${tenant.owner.password}`);
  }
  line();
  if (logins) line(`  Super-admin    ${logins.superAdmin.email}   ${logins.superAdmin.password}`);
  line(`  Setup token    ${prepared.setupToken.value}`);
  line(`  Data           ${dataOf(prepared)}`);
  line();
  line(pc.dim('  Ctrl-C stops everything that this command started.'));
}
