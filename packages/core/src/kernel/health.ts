import type { Database } from '../database/database.ts';
import type { CoreState } from '../http/core-routes.ts';
import { version } from '../installation/version.ts';
import type { InstallationLicence } from '../licence/licence.ts';
import type { KernelLog } from '../observability/log.ts';
import type { Registry } from '../plugins/registry.ts';

export interface HealthOptions {
  database: Database;
  registry: Registry;
  licence: InstallationLicence;
  log: KernelLog;
  draining(): boolean;
}

/** Readiness: 503 while the database is away or the process is draining. Plugins that don't serve are named; they make nothing unready. */
export function createHealth({ database, registry, licence, log, draining }: HealthOptions): CoreState['health'] {
  let reached = true;
  return async () => {
    const degraded = registry
      .states()
      .filter((record) => record.state !== 'ready' && !(record.foundation && record.state === 'not_installed'))
      .map((record) => ({ plugin: record.name, state: record.state, code: record.reason?.code ?? null }));
    try {
      await database.ping();
      reached = true;
    } catch (error) {
      // Said once: probes come every few seconds.
      if (reached) log.error({ err: error }, 'the database is away');
      reached = false;
    }
    const leaving = draining();
    if (!reached || leaving) return { status: 503, body: { ok: false, checks: { database: reached, draining: leaving } } };
    return { status: 200, body: { ok: true, version, degraded, licence: licence.state() } };
  };
}
