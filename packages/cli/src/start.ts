import cluster from 'node:cluster';
import module from 'node:module';
import { version } from '@storeloom/core';
import { type InstallationOptions, open } from './installation.ts';
import type { Lifetime } from './lifetime.ts';
import { releaseStartupMemory } from './memory.ts';
import { say } from './output.ts';
import type { Ready } from './processes/crew.ts';
import { licenceLine, unreadyLines } from './unready.ts';

/** Serves. Never migrates: a pending core migration prevents the start, a plugin's makes that plugin `failed`. */
export async function start(options: InstallationOptions, life: Lifetime): Promise<number> {
  const prepared = await open(options, life, say, { serves: true });
  const kernel = await prepared.start();
  life.onEnd(() => kernel.stop());
  life.signal.throwIfAborted();
  // Before the process counts as started: a database that is away from then on must not end it.
  const isEmpty = (await kernel.tenants.ids()).length === 0;
  if (cluster.isWorker) process.send?.({ storeloom: 'ready', port: kernel.port, version } satisfies Ready);
  else say(`listening on port ${kernel.port}`);
  // Normally written at exit, which a killed process doesn't reach.
  module.flushCompileCache?.();
  // Not in the first moments, when waiting clients connect.
  setTimeout(releaseStartupMemory, 3000).unref();
  // One of several processes is enough to say it.
  if (cluster.isWorker && cluster.worker?.id !== 1) {
    await life.asked;
    return 0;
  }
  if (isEmpty) say(firstShop(kernel.port, prepared.dataDir.file('setup-token.json')));
  const licence = licenceLine(prepared);
  if (licence !== undefined) say(licence);
  for (const line of unreadyLines(kernel.registry.states())) say(line);
  await life.asked;
  return 0;
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
