/**
 * A point in time. In the API: UTC with milliseconds, `2026-11-27T20:12:00.000Z`; in calculations: milliseconds since 1970. A
 * civil date or a wall time is not an instant: passing one is a `RangeError`.
 */
export type Instant = string;

/** Milliseconds in a second. */
export const secondMs = 1000;
/** Milliseconds in a minute. */
export const minuteMs = 60_000;
/** Milliseconds in an hour. */
export const hourMs = 3_600_000;
/** Milliseconds in 24 hours. A civil day can have 23 or 25 hours. */
export const dayMs = 86_400_000;

const withOffsetPattern = /T.*(?:Z|[+-]\d{2}:\d{2})$/i;

/**
 * Returns an instant in milliseconds since 1970. Any offset is accepted.
 *
 * @throws RangeError for a value without an offset
 */
export function epoch(instant: Instant): number {
  const ms = withOffsetPattern.test(instant) ? Date.parse(instant) : Number.NaN;
  if (Number.isNaN(ms)) throw new RangeError(`${instant} is not an instant with an offset`);
  return ms;
}

/** The last formatted day, since the slots of a list are mostly on the same day. */
let lastDay = Number.NaN;
let lastDate = '';
const twoDigits = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));

/**
 * Returns the instant of milliseconds since 1970. Several times as fast as `toISOString`, for responses with thousands of slots.
 */
export function instant(ms: number): Instant {
  const day = Math.floor(ms / dayMs);
  if (day !== lastDay) {
    lastDate = new Date(ms).toISOString().split('T')[0] as string;
    lastDay = day;
  }
  const rest = ms - day * dayMs;
  const seconds = Math.floor(rest / secondMs);
  const minutes = Math.floor(seconds / 60);
  const fraction = Math.floor(rest - seconds * secondMs);
  return `${lastDate}T${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}.${
    fraction === 0 ? '000' : String(fraction).padStart(3, '0')
  }Z`;
}

/** Returns the instant `minutes` of elapsed time later, across clock changes. */
export function addMinutes(from: Instant, minutes: number): Instant {
  return instant(epoch(from) + minutes * minuteMs);
}

/** Returns the elapsed minutes from `start` to `end`, with fractions; negative if `end` is earlier. */
export function minutesBetween(start: Instant, end: Instant): number {
  return (epoch(end) - epoch(start)) / minuteMs;
}

/** Returns the elapsed seconds from `start` to `end`, with fractions; negative if `end` is earlier. */
export function secondsBetween(start: Instant, end: Instant): number {
  return (epoch(end) - epoch(start)) / secondMs;
}
