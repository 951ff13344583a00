/**
 * A point of time, on nobody's wall: `2026-11-27T20:12:00.000Z` on the wire (UTC, milliseconds), milliseconds since 1970 inside a
 * calculation. A civil date or a wall time is none: the functions here refuse them with a RangeError, a fault of the program.
 */
export type Instant = string;

export const secondMs = 1000;
export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;

const withOffsetPattern = /T.*(?:Z|[+-]\d{2}:\d{2})$/i;

/** Instant → milliseconds since 1970. Takes any offset. */
export function epoch(instant: Instant): number {
  const ms = withOffsetPattern.test(instant) ? Date.parse(instant) : Number.NaN;
  if (Number.isNaN(ms)) throw new RangeError(`${instant} is no instant with an offset`);
  return ms;
}

/** The day formatted last: a list of slots says the same one again and again. */
let lastDay = Number.NaN;
let lastDate = '';
const twoDigits = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));

/** Milliseconds since 1970 → instant. Several times as quick as `toISOString`, which answers of thousands of slots feel. */
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

/** Elapsed time: an hour later is an hour later, also over a clock change. */
export function addMinutes(from: Instant, minutes: number): Instant {
  return instant(epoch(from) + minutes * minuteMs);
}

/** Elapsed minutes from `start` to `end`, negative where `end` is the earlier; parts of a minute count as such. */
export function minutesBetween(start: Instant, end: Instant): number {
  return (epoch(end) - epoch(start)) / minuteMs;
}

/** Elapsed seconds from `start` to `end`. */
export function secondsBetween(start: Instant, end: Instant): number {
  return (epoch(end) - epoch(start)) / secondMs;
}
