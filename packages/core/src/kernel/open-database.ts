import { asRefusal, createDatabase, type Database, type DatabaseOptions } from '@storeloom/data';
import type { KernelLog } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';

export interface OpenOptions {
  connection: Omit<DatabaseOptions, 'onError' | 'onTx' | 'onRetry'>;
  log: KernelLog;
  metrics: Metrics;
  /** True once the kernel stops: closed connections aren't logged then. */
  ending(): boolean;
  /** Receives the function that closes the pool, before its first query. */
  opened(close: () => unknown): void;
}

export interface OpenDatabase {
  database: Database;
  /** Stops reading the database's time. */
  stopSampling(): void;
}

/** Opens the connection pool and reads the database's time twice a minute. @throws Error with the reason if it can't be reached */
export async function openDatabase({ connection, log, metrics, ending, opened }: OpenOptions): Promise<OpenDatabase> {
  const database = createDatabase({
    ...connection,
    onError(error) {
      if (!ending()) log.warn({ err: error }, 'a database connection was lost');
    },
    onTx: (kind, seconds) => metrics.tx(kind, seconds),
    onRetry: (sqlstate) => metrics.txRetry(sqlstate),
  });
  opened(() => database.close());
  await patiently(() => database.sampleClock()).catch((error: unknown) => {
    throw asRefusal(error, connection.url);
  });
  const sampling = setInterval(
    () => void database.sampleClock().catch((error: Error) => log.warn({ err: error }, 'the database clock could not be read')),
    30_000,
  );
  sampling.unref();
  const stopSampling = (): void => clearInterval(sampling);
  opened(stopSampling);
  return { database, stopSampling };
}

/** Retries the first connection: a process that is still loading can exceed the timeout. */
async function patiently<T>(fn: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + 60_000; ; ) {
    try {
      return await fn();
    } catch (error) {
      if (performance.now() > end || !/timeout/i.test((error as Error).message)) throw error;
    }
  }
}
