import type { Database } from '@storeloom/data';
import type { InstallationLicence } from '@storeloom/licence';
import type { CoreState } from '../http/core-routes.ts';
import { version } from '../installation/version.ts';
import type { KernelLog } from '../observability/log.ts';
import type { Registry } from '../plugins/registry.ts';

export interface HealthOptions {
  database: Database;
  registry: Registry;
  licence: InstallationLicence;
  log: KernelLog;
  draining(): boolean;
}

/** Readiness: 503 while the database is unreachable or the process is draining. Plugins that aren't ready are listed, but don't affect it. */
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
      // Logged once, since probes run every few seconds.
      if (reached) log.error({ err: error }, 'the database is unreachable');
      reached = false;
    }
    const leaving = draining();
    if (!reached || leaving) return { status: 503, body: { ok: false, checks: { database: reached, draining: leaving } } };
    return { status: 200, body: { ok: true, version, degraded, licence: licence.state() } };
  };
}
