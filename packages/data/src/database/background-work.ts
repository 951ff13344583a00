import { AsyncLocalStorage } from 'node:async_hooks';

const background = new AsyncLocalStorage<true>();

/** Runs work for which no client waits, such as a job. Its units of work leave connections to requests. */
export const inBackground = <T>(work: () => T): T => background.run(true, work);
/** Runs work whose result requests share, such as a load that they all await, also if a job began it. */
export const asRequest = <T>(work: () => T): T => background.exit(work);
export const isInBackground = (): boolean => background.getStore() === true;
