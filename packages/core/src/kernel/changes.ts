import { type Listener, listen } from '@storeloom/data';
import type { LicenceKeeper } from '@storeloom/licence';
import { pauseChannel } from '../jobs/pause.ts';
import type { KernelLog } from '../observability/log.ts';
import type { TenantMemory } from './tenant-memory.ts';

/** Listens for changes of other processes and drops the affected caches. */
export function listenToChanges(
  url: string,
  {
    memory,
    licence,
    log,
    onJobs,
  }: {
    memory: TenantMemory;
    licence: LicenceKeeper;
    log: KernelLog;
    /** The jobs may have been paused or resumed. */
    onJobs(): void;
  },
): Promise<Listener> {
  const { cache, forget } = memory;
  const reloadLicence = (): void =>
    void licence.reload().catch((error: Error) => log.warn({ err: error }, 'the licence could not be reloaded'));
  return listen(
    url,
    {
      storeloom_tenant: (id) => forget(id || undefined),
      storeloom_licence: reloadLicence,
      [pauseChannel]: onJobs,
      storeloom_cache: (payload) => {
        const { tenant, tags } = JSON.parse(payload) as { tenant: string | null; tags: string[] };
        cache.drop(tenant, tags);
      },
    },
    () => {
      forget(undefined);
      reloadLicence();
      onJobs();
    },
    (error) => log.warn({ err: error }, 'the listening connection was lost'),
  );
}
