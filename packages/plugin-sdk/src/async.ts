import pLimit from 'p-limit';

/** Options of a limiter. */
export interface LimiterOptions {
  /** Maximum number of simultaneous calls. */
  concurrency: number;
  /** Maximum number of waiting calls. Default: unlimited. */
  maxWaiting?: number;
  /** Returns the error for a call beyond `maxWaiting`. */
  refuse?: () => Error;
}
/** Runs a function once it is its turn, in the order of the calls. */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Limits how many asynchronous calls of a process run at a time.
 *
 * @example const hashing = createLimiter({ concurrency: 4, maxWaiting: 50, refuse: () => problem('rate_limited') });
 */
export function createLimiter({ concurrency, maxWaiting = Number.POSITIVE_INFINITY, refuse }: LimiterOptions): Limiter {
  const limit = pLimit(concurrency);
  return async (work) => {
    if (limit.activeCount + limit.pendingCount >= concurrency + maxWaiting)
      throw refuse?.() ?? new Error(`${maxWaiting} calls are waiting already`);
    return limit(work);
  };
}

/**
 * The result of `work`, or that of `onTimeout` after `ms` milliseconds; an error that `onTimeout` throws rejects. The work itself goes on:
 * who starts it aborts it or handles its late error. No timer is left behind.
 */
export async function withTimeout<T, L>(work: Promise<T>, ms: number, onTimeout: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<L>((resolve, reject) => {
    timer = setTimeout(() => {
      try {
        resolve(onTimeout());
      } catch (error) {
        reject(error as Error);
      }
    }, ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
