import type { Database } from '@storeloom/data';
import type { Keyring } from '@storeloom/keys';
import type { InstallationLicence } from '@storeloom/licence';
import { ResponseCache } from '../http/response-cache.ts';
import type { KernelLog } from '../observability/log.ts';
import type { Registry } from '../plugins/registry.ts';
import { createSettings, type SettingsService } from '../settings/settings.ts';
import { decide } from '../tenancy/decide.ts';
import { TenantDirectory } from '../tenancy/directory.ts';

export interface MemoryOptions {
  database: Database;
  registry: Registry;
  keyring: Keyring;
  licence: InstallationLicence;
  log: KernelLog;
}

/** This process's caches of tenants. */
export interface TenantMemory {
  readonly tenants: TenantDirectory;
  readonly settings: SettingsService;
  /** Public responses. */
  readonly cache: ResponseCache;
  /** Drops the cached data of a tenant, or of all tenants. */
  forget(tenantId: string | undefined): void;
}

export function createTenantMemory({ database, registry, keyring, licence, log }: MemoryOptions): TenantMemory {
  const cache = new ResponseCache();
  const settings = createSettings({
    registry,
    seal: keyring.seal,
    unseal: keyring.unseal,
    onChange: (tenantId) => forget(tenantId),
    warn: (fields, message) => log.warn(fields, message),
  });
  const tenants = new TenantDirectory(
    database,
    (facts) => decide(registry.states(), licence, facts),
    async (tenantId) => {
      // Read after the tenant's revision, so that they are never older than it.
      settings.invalidate(tenantId);
      await database.withTenant(tenantId, (tx) => settings.load(tx.db, tenantId), { readOnly: true });
    },
  );
  function forget(tenantId: string | undefined): void {
    settings.invalidate(tenantId);
    tenants.invalidate(tenantId);
    cache.drop(tenantId ?? null, []);
  }
  return { tenants, settings, cache, forget };
}
