const minute = 60;
const hour = 60 * minute;
/** Seconds before each attempt, counted from the one before it: about 75 hours in all. */
export const waits: readonly number[] = [
  0,
  5,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];
const spread = 0.2;
const maxRetryAfter = 24 * hour;
/** A round that takes `fromMs` makes its endpoint slow. After each round it pauses for `pauseMs`; others ask every `askMs` for the turn. */
export const slow = { fromMs: 5000, pauseMs: 5000, askMs: 2000 };
/** Answers of a receiver that has too much to do. */
const busy = new Set([429, 502, 503, 504]);

export interface Received {
  /** Null where nothing came. */
  statusCode: number | null;
  retryAfter?: string | undefined;
}
export interface Outcome {
  status: 'succeeded' | 'retrying' | 'dead';
  /** Seconds until the next attempt; null after the last. */
  wait: number | null;
  /** The receiver says that the address is no more. */
  gone: boolean;
  /** Seconds in which nothing else is sent there either. */
  quiet: number;
}

/**
 * What follows from an answer. Only 2xx is success. `step` is the number of attempts before this one, `chance` a number in [0, 1),
 * `now` milliseconds.
 */
export function outcomeOf(received: Received, step: number, now: number, chance: number): Outcome {
  const { statusCode } = received;
  if (statusCode !== null && statusCode >= 200 && statusCode < 300)
    return { status: 'succeeded', wait: null, gone: false, quiet: 0 };
  const gone = statusCode === 410;
  const next = waits[step + 1];
  const requested = retryAfter(received.retryAfter, now);
  const planned = next === undefined ? null : next * (1 - spread + 2 * spread * chance);
  const wait = planned === null ? null : Math.max(planned, requested);
  const quiet =
    statusCode !== null && busy.has(statusCode) ? Math.max(requested, Math.min(planned ?? 5 * minute, 5 * minute)) : 0;
  return { status: wait === null ? 'dead' : 'retrying', wait, gone, quiet };
}

/** Seconds that the header asks for: a number, or an HTTP date. A day at most; 0 where it says nothing. */
function retryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const seconds = /^\d{1,9}$/.test(header.trim()) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), maxRetryAfter) : 0;
}
