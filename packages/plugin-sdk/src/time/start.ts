import { f, type Shape } from '../field.ts';
import { invalid } from '../problem.ts';
import type { CivilDate, WallTime } from './civil.ts';
import type { Instant } from './instant.ts';
import { type LocalInstant, offsetPattern, parseInstant, parseLocalDateTime } from './local.ts';

/** Noon in a week: bookings are limited to a number of days ahead. */
const nextWeek = (): string => `${new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10)}T12:00:00.000Z`;

/**
 * Fields of a start in a request body: `startsAt`, or `date` and `time` in the local time zone, with `offset` in a repeated hour.
 */
export const startFields = {
  startsAt: f.localInstant().optional().example(nextWeek),
  date: f.date().optional().example(null),
  time: f.time().optional().example(null),
  offset: f.text({ max: 6, pattern: offsetPattern }).optional().example(null),
} satisfies Shape;

/** The values of `startFields`. */
export interface StartInput {
  /** Instant. */
  startsAt?: string | LocalInstant | null;
  /** Civil date. */
  date?: CivilDate | null;
  /** Wall time `HH:mm`. */
  time?: WallTime | null;
  /** UTC offset, `+03:00` or `Z`. */
  offset?: string | null;
}

/**
 * Returns the start given by `startFields`; undefined if there is none.
 *
 * @throws Problem 422 for a date without a time, a time without a date, or both forms; and those of `parseInstant` and
 * `parseLocalDateTime`
 */
export function parseStart({ startsAt, date, time, offset }: StartInput, timeZone: string): Instant | undefined {
  const given = [date, time, offset].some((member) => member !== undefined && member !== null);
  if (startsAt !== undefined && startsAt !== null) {
    if (given) throw invalid('/startsAt', 'invalid', 'excludes date and time');
    return parseInstant(startsAt, timeZone, '/startsAt');
  }
  if (!given) return undefined;
  if (!date) throw invalid('/date', 'required', 'is required with a time');
  if (!time) throw invalid('/time', 'required', 'is required with a date');
  return parseLocalDateTime({ date, time, offset: offset ?? null }, timeZone);
}

/** As `parseStart`, and 422 `required` at `/startsAt` for a body without a start. */
export function requireStart(body: StartInput, timeZone: string): Instant {
  const start = parseStart(body, timeZone);
  if (start === undefined) throw invalid('/startsAt', 'required', 'is required');
  return start;
}

/** The body without the fields of `startFields`. */
export function omitStart<B extends StartInput>({
  startsAt: _,
  date: __,
  time: ___,
  offset: ____,
  ...rest
}: B): Omit<B, keyof StartInput> {
  return rest;
}
