import type { Log } from '@storeloom/plugin-sdk';
import type { FileStore } from '../files/store.ts';
import type { MailTransport } from '../mail/transport.ts';

/**
 * Drivers for what runs outside the process. The installation chooses them (`@storeloom/cli` has one of each kind); the kernel
 * opens a driver only where the configuration asks for it.
 */
export interface Drivers {
  /** PostgreSQL on the data directory, where no `DATABASE_URL` is set. */
  readonly database?: () => Promise<DatabaseDriver>;
  /** Storage of uploaded files, for `FILES_URL`. */
  readonly files?: (url: string, log: Log) => Promise<FileStore>;
  /** Transport of e-mails: a server for `MAIL_URL`; without one, outside production, a folder. */
  readonly mail?: (target: { url: string } | { folder: string }) => Promise<MailTransport>;
}

/** A PostgreSQL server that belongs to a data directory. */
export interface DatabaseDriver {
  /** True if a live process holds the data directory. */
  isLocked(dataDir: string): boolean;
  /** Returns the owner URL of the server that another process keeps running; undefined where none is ready. */
  running(dataDir: string): string | undefined;
  /** Starts the server, or adopts one that a killed process left. */
  start(options: {
    dataDir: string;
    /** Called once the directory belongs to this process, before the server starts. */
    before(): Promise<void>;
    signal?: AbortSignal;
    log: Record<'info' | 'warn' | 'error', (message: string) => void>;
  }): Promise<{ ownerUrl: string; place: string; stop(): Promise<void> }>;
}
