import { embeddedCluster, startEmbedded } from '@storeloom/embedded-postgres';
import type { Say } from './source.ts';

interface Urls {
  readonly superuserUrl: string;
  readonly ownerUrl: string;
}

/** Runs work on the embedded database: beside the process that runs it, or on a server that is started and stopped for it. */
export async function withRunning<T>(
  dataDir: string,
  say: Say,
  work: (urls: Urls) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { running } = embeddedCluster(dataDir);
  if (running) return work(running);
  const log = { info: () => undefined, warn: say, error: say };
  const server = await startEmbedded({ dataDir, log, ...(signal ? { signal } : {}) });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}
