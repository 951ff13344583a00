import cluster from 'node:cluster';
import module from 'node:module';
import { version } from '@storeloom/core';
import { type InstallationOptions, open } from './installation.ts';
import type { Lifetime } from './lifetime.ts';
import { releaseStartupMemory } from './memory.ts';
import { print, say } from './output.ts';
import type { Ready } from './processes/crew.ts';
import { registerSingle } from './processes/single.ts';
import { groupOf } from './processes/state.ts';
import { restartProcess } from './release/current.ts';
import { licenceLine, unreadyLines } from './unready.ts';

/**
 * Serves. Never migrates: a pending core migration prevents the start, a plugin's makes that plugin `failed`. `service`: `api` runs no
 * jobs, `worker` runs jobs only, also where the environment turns workers off.
 */
export async function start(
  options: InstallationOptions & { service?: string; json?: boolean },
  life: Lifetime,
): Promise<number> {
  const { service, json = false, ...rest } = options;
  const listens = service !== 'worker';
  // A worker beside the API shares its embedded database.
  const prepared = await open(rest, life, say, {
    serves: true,
    listens,
    beside: !listens,
    logToStderr: json,
  });
  const kernel = await prepared.start(service === undefined ? {} : { workers: !listens, listens });
  life.onEnd(() => kernel.stop());
  life.signal.throwIfAborted();
  // Before the process counts as started: a database that is away from then on must not end it.
  const isEmpty = listens && (await kernel.tenants.ids()).length === 0;
  const { dataDir } = prepared.config;
  const single = cluster.isWorker ? undefined : registerSingle({ dataDir, group: groupOf(service), port: kernel.port, version });
  if (single) life.onEnd(async () => single.remove());
  if (cluster.isWorker) process.send?.({ storeloom: 'ready', port: kernel.port, version } satisfies Ready);
  else if (json) print({ port: kernel.port, pid: process.pid, workers: 1 });
  else say(listens ? `listening on port ${kernel.port}` : 'running jobs');
  // Normally written at exit, which a killed process doesn't reach.
  module.flushCompileCache?.();
  // Not in the first moments, when waiting clients connect.
  setTimeout(releaseStartupMemory, 3000).unref();
  // One of several processes is enough to say it.
  if (!cluster.isWorker || cluster.worker?.id === 1) {
    if (isEmpty) say(firstShop(kernel.port, prepared.dataDir.file('setup-token.json')));
    const licence = licenceLine(prepared);
    if (licence !== undefined) say(licence);
    for (const line of unreadyLines(kernel.registry.states())) say(line);
  }
  await Promise.race([life.asked, single?.restart ?? life.asked]);
  if (life.signal.aborted) return 0;
  say('restarting …');
  single?.restarting();
  await kernel.stop({ restarts: true });
  await prepared.stop();
  return life.signal.aborted ? 0 : restartProcess();
}

/** The remaining steps of a new installation. */
function firstShop(port: number, tokenFile: string): string {
  const post = (path: string, body: object): string =>
    `curl -X POST http://localhost:${port}${path} -H "X-Setup-Token: $TOKEN" -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return `
There is no shop yet. With the setup token (SETUP_TOKEN, or else in ${tokenFile}), once each:

  1  the operator        ${post('/api/internal/setup-super-admin', { email: 'operator@shop.example', password: '…' })}
  2  the first shop      ${post('/api/internal/setup', {
    tenant: { name: 'Shop', slug: 'shop', host: 'shop.example' },
    owner: { email: 'owner@shop.example', password: '…' },
  })}
  3  what it may use     as the operator: POST /api/super-admin/plans, PATCH …/plans/<id>/permissions {"plugins": ["*"]},
                         PATCH /api/super-admin/tenants/<id>/plan {"planId"}
`;
}
