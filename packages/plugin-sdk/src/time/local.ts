import { domainError, invalid } from '../problem.ts';
import { type CivilDate, civilDay, isCivilDate, type WallTime, wallMinutes } from './civil.ts';
import { dayMs, epoch, type Instant, instant, minuteMs } from './instant.ts';
import { offsetAt, readWall } from './zone.ts';

/*
 * The one policy for clock changes. Somebody who names a point of time says an offset or, where they can't, names a wall time that
 * exists once; nothing is guessed for them. Opening hours are no point of time but a rule for every day: they are never refused.
 */

/** Why a time without an offset is no instant. `offset_required`: it exists once, only the offset isn't there. */
export type LocalFault = 'invalid_local_time' | 'ambiguous_local_time' | 'offset_required';

const instantPattern = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:\d{2})$/;
const localPattern = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?$/;
export const offsetPattern = /^(?:[Zz]|[+-](?:0\d|1[0-8]):[0-5]\d)$/;

/** Any RFC 3339 instant with an offset → UTC with milliseconds; undefined when it is none. */
export function normalizeInstant(value: string): Instant | undefined {
  if (!instantPattern.test(value) || !isCivilDate(value.slice(0, 10))) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : instant(ms);
}

/** A wall clock reading as if it were UTC, in milliseconds; undefined when it is none. */
function wallOf(value: string): number | undefined {
  const match = localPattern.exec(value);
  if (!match || !isCivilDate(match[1] as string)) return undefined;
  const ms = Date.parse(`${value.replace(' ', 'T').toUpperCase()}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

const faultMessages: Readonly<Record<LocalFault, string>> = {
  invalid_local_time: 'does not exist that day: the clock is put forward over it',
  ambiguous_local_time: 'exists twice that day: say which with an offset',
  offset_required: 'needs an offset or Z',
};

/** Why an instant without an offset is none, read as wall time of a zone; undefined when the value isn't even a wall clock reading. */
export function localFault(value: string, timeZone: string): LocalFault | undefined {
  const wall = wallOf(value);
  if (wall === undefined) return undefined;
  const { instants } = readWall(wall, timeZone);
  return instants.length === 0 ? 'invalid_local_time' : instants.length > 1 ? 'ambiguous_local_time' : 'offset_required';
}

/** The message that belongs to a code, for `errors[]`. */
export function localFaultMessage(fault: LocalFault): string {
  return faultMessages[fault];
}

/**
 * An instant of a body (`f.localInstant()`) → UTC with milliseconds. An explicit offset is taken at its word; without one 422
 * `invalid_local_time`, `ambiguous_local_time` or else `offset_required`, read as wall time of the resource's zone.
 */
export function parseInstant(value: string | LocalInstant, timeZone: string, pointer: string): Instant {
  const text = value as unknown as string;
  const known = normalizeInstant(text);
  if (known !== undefined) return known;
  const fault = localFault(text, timeZone);
  if (!fault) throw invalid(pointer, 'invalid', 'is no instant with an offset');
  throw domainError(pointer, fault, faultMessages[fault], { timezone: timeZone });
}

/** What `f.localInstant()` gives: not an instant yet, so that no column takes it before `parseInstant` did. */
export interface LocalInstant {
  readonly local: 'instant';
}

/** `date` + `time` of a body, and `offset` (`+03:00`, `Z`), which settles a doubled hour. */
export interface LocalDateTime {
  date: CivilDate;
  time: WallTime;
  offset?: string | null;
}

/**
 * A wall time of a zone → the instant. 422 `invalid_local_time` where the clock skips it, `ambiguous_local_time` where it stands there
 * twice and no `offset` says which. An offset is taken at its word, whatever the zone. `pointer` is that of the object: `''` for the body.
 */
export function parseLocalDateTime({ date, time, offset }: LocalDateTime, timeZone: string, pointer = ''): Instant {
  const wall = civilDay(date) * dayMs + wallMinutes(time) * minuteMs;
  if (offset !== undefined && offset !== null) {
    if (!offsetPattern.test(offset)) throw invalid(`${pointer}/offset`, 'invalid', 'is no offset (Z, or +03:00)');
    return instant(epoch(`${instant(wall).slice(0, -1)}${offset}`));
  }
  const { instants } = readWall(wall, timeZone);
  if (instants.length === 1) return instant(instants[0] as number);
  const fault = instants.length === 0 ? 'invalid_local_time' : 'ambiguous_local_time';
  throw domainError(`${pointer}/time`, fault, faultMessages[fault], { timezone: timeZone });
}

/**
 * A bound of opening hours on a civil date, in milliseconds since 1970. Inside a gap it moves to the first instant after it; of a
 * doubled hour a start takes the earlier, an end the later instant. Minutes count from 00:00 and may pass 24 h, into the next date.
 */
export function openingBound(day: number, minutes: number, timeZone: string, bound: 'start' | 'end'): number {
  const wall = day * dayMs + minutes * minuteMs;
  // Where the offset is the same a day before and after, the reading exists once.
  const before = offsetAt(wall - dayMs, timeZone);
  if (before === offsetAt(wall + dayMs, timeZone) && before === offsetAt(wall - before, timeZone)) return wall - before;
  const { instants, afterGap } = readWall(wall, timeZone);
  return (instants.length === 0 ? afterGap : bound === 'start' ? instants[0] : instants.at(-1)) as number;
}

/**
 * A rule's wall time on a date, never refused: `checkInFrom`, `noShowAt`, a last seating. In a gap the first instant after it; of a
 * doubled hour the earlier for a `start`, the later for an `end`.
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

/** An instant as a zone's clock shows it, with its offset: `2026-03-29T09:00:00.000+03:00`. */
export function formatWithOffset(at: Instant | number, timeZone: string): string {
  const ms = typeof at === 'number' ? at : epoch(at);
  const offset = offsetAt(ms, timeZone);
  return instant(ms + offset).slice(0, -1) + suffixOf(offset);
}
