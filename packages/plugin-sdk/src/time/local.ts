import { domainError, invalid } from '../problem.ts';
import { type CivilDate, civilDay, isCivilDate, type WallTime, wallMinutes } from './civil.ts';
import { dayMs, epoch, type Instant, instant, minuteMs } from './instant.ts';
import { offsetAt, readWall } from './zone.ts';

/*
 * The policy for clock changes. A point in time needs an offset, or a wall time that exists exactly once; the offset is never guessed.
 * Opening hours are a rule for every day, not a point in time: they are always resolved.
 */

/**
 * Why a local time can't be converted to an instant: clocks skip it, it occurs twice, or (`offset_required`) it is valid but has
 * no offset.
 */
export type LocalFault = 'invalid_local_time' | 'ambiguous_local_time' | 'offset_required';

const instantPattern = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:\d{2})$/;
const localPattern = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?$/;
export const offsetPattern = /^(?:[Zz]|[+-](?:0\d|1[0-8]):[0-5]\d)$/;

/** Converts an RFC 3339 instant with any offset to UTC with milliseconds; returns undefined for anything else. */
export function normalizeInstant(value: string): Instant | undefined {
  if (!instantPattern.test(value) || !isCivilDate(value.slice(0, 10))) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : instant(ms);
}

/** Returns a local date and time in milliseconds as if it were UTC; undefined if it isn't valid. */
function wallOf(value: string): number | undefined {
  const match = localPattern.exec(value);
  if (!match || !isCivilDate(match[1] as string)) return undefined;
  const ms = Date.parse(`${value.replace(' ', 'T').toUpperCase()}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

const faultMessages: Readonly<Record<LocalFault, string>> = {
  invalid_local_time: 'does not exist on this day: clocks go forward',
  ambiguous_local_time: 'occurs twice on this day: add the UTC offset',
  offset_required: 'needs a UTC offset or Z',
};

/**
 * Returns why an instant without an offset isn't accepted, read as wall time of a zone; undefined unless it is a date and time.
 */
export function localFault(value: string, timeZone: string): LocalFault | undefined {
  const wall = wallOf(value);
  if (wall === undefined) return undefined;
  const { instants } = readWall(wall, timeZone);
  return instants.length === 0 ? 'invalid_local_time' : instants.length > 1 ? 'ambiguous_local_time' : 'offset_required';
}

/** Returns the message of a code, for `errors[]`. */
export function localFaultMessage(fault: LocalFault): string {
  return faultMessages[fault];
}

/**
 * Converts the value of an `f.localInstant()` field to UTC with milliseconds. An explicit offset is used as given.
 *
 * @throws Problem 422 `invalid_local_time`, `ambiguous_local_time` or `offset_required` for a value without an offset, checked in
 * the resource's time zone
 */
export function parseInstant(value: string | LocalInstant, timeZone: string, pointer: string): Instant {
  const text = value as string;
  const known = normalizeInstant(text);
  if (known !== undefined) return known;
  const fault = localFault(text, timeZone);
  if (!fault) throw invalid(pointer, 'invalid', 'must be an instant with a UTC offset');
  throw domainError(pointer, fault, faultMessages[fault], { timezone: timeZone });
}

/** The value of an `f.localInstant()` field. Convert it with `parseInstant` before storing it. */
export interface LocalInstant {
  /** Type tag; never present. */
  readonly local: 'instant';
}

/** `date`, `time` and `offset` of a request body. */
export interface LocalDateTime {
  /** Civil date. */
  date: CivilDate;
  /** Wall time `HH:mm`. */
  time: WallTime;
  /** UTC offset, `+03:00` or `Z`, which distinguishes the two instants of a repeated hour. */
  offset?: string | null;
}

/**
 * Converts a wall time of a zone to an instant. An offset is used as given, also if the zone has another. `pointer` refers to the object,
 * `''` for the body.
 *
 * @throws Problem 422 `invalid_local_time` if clocks skip the time, `ambiguous_local_time` if it occurs twice and has no `offset`
 */
export function parseLocalDateTime({ date, time, offset }: LocalDateTime, timeZone: string, pointer = ''): Instant {
  const wall = civilDay(date) * dayMs + wallMinutes(time) * minuteMs;
  if (offset !== undefined && offset !== null) {
    if (!offsetPattern.test(offset)) throw invalid(`${pointer}/offset`, 'invalid', 'must be a UTC offset (Z, or +03:00)');
    return instant(epoch(`${instant(wall).slice(0, -1)}${offset}`));
  }
  const { instants } = readWall(wall, timeZone);
  if (instants.length === 1) return instant(instants[0] as number);
  const fault = instants.length === 0 ? 'invalid_local_time' : 'ambiguous_local_time';
  throw domainError(`${pointer}/time`, fault, faultMessages[fault], { timezone: timeZone });
}

/**
 * Returns a bound of opening hours in milliseconds since 1970. Inside a skipped hour it is the first instant after it; in a
 * repeated hour a start is the earlier and an end the later instant. Minutes count from 00:00 and can exceed 24 h, into the next
 * date.
 */
export function openingBound(day: number, minutes: number, timeZone: string, bound: 'start' | 'end'): number {
  const wall = day * dayMs + minutes * minuteMs;
  // If the offset is the same a day before and after, the wall time exists once.
  const before = offsetAt(wall - dayMs, timeZone);
  if (before === offsetAt(wall + dayMs, timeZone) && before === offsetAt(wall - before, timeZone)) return wall - before;
  const { instants, afterGap } = readWall(wall, timeZone);
  return (instants.length === 0 ? afterGap : bound === 'start' ? instants[0] : instants.at(-1)) as number;
}

/**
 * Returns the instant of a rule's wall time on a date (`checkInFrom`, `noShowAt`, last seating); never an error. Inside a skipped
 * hour it is the first instant after it; in a repeated hour a `start` is the earlier and an `end` the later instant.
 */
export function resolveBound(date: CivilDate, time: WallTime, timeZone: string, bound: 'start' | 'end'): Instant {
  return instant(openingBound(civilDay(date), wallMinutes(time), timeZone, bound));
}

const pad = (n: number): string => String(n).padStart(2, '0');
const suffixes = new Map<number, string>();
function suffixOf(offset: number): string {
  let suffix = suffixes.get(offset);
  if (suffix === undefined) {
    const minutes = Math.abs(Math.round(offset / minuteMs));
    suffix = `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
    suffixes.set(offset, suffix);
  }
  return suffix;
}

/** Formats an instant as the clock of a time zone shows it, with its offset: `2026-03-29T09:00:00.000+03:00`. */
export function formatWithOffset(at: Instant | number, timeZone: string): string {
  const ms = typeof at === 'number' ? at : epoch(at);
  const offset = offsetAt(ms, timeZone);
  return instant(ms + offset).slice(0, -1) + suffixOf(offset);
}
