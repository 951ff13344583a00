import { f, type ValueFault } from '../field.ts';
import type { OpenInterval } from './hours.ts';

/** 422 `invalid_interval` for hours without any length. Overlapping ones are allowed, and an end before its start is the next day's. */
function checkInterval({ start, end }: OpenInterval): ValueFault[] {
  return start === end
    ? [{ path: ['end'], code: 'invalid_interval', message: 'equals the start; a whole day is 00:00 to 24:00' }]
    : [];
}

/** `[{start, end}]`: wall times, at most 20 a day; `end` before `start` crosses midnight, `24:00` is allowed. */
export const openIntervalsField = f.list(f.object({ start: f.time(), end: f.time({ endOfDay: true }) }).check(checkInterval), {
  max: 20,
});

/** `{mon..sun: [{start, end}]}`; a day that is left out is closed. Also the shape of `breaks`. */
export const weeklyHoursField = f.object({
  mon: openIntervalsField.default([]),
  tue: openIntervalsField.default([]),
  wed: openIntervalsField.default([]),
  thu: openIntervalsField.default([]),
  fri: openIntervalsField.default([]),
  sat: openIntervalsField.default([]),
  sun: openIntervalsField.default([]),
});

/** `[{date, closed, intervals}]`: hours of single dates instead of the weekday's; one entry a date (`duplicate`). */
export const dateOverridesField = f
  .list(
    f
      .object({ date: f.date(), closed: f.bool().default(false), intervals: openIntervalsField.default([]) })
      .check(({ closed, intervals }): ValueFault[] =>
        closed && intervals.length > 0
          ? [{ path: ['intervals'], code: 'invalid', message: 'must be empty on a closed day' }]
          : [],
      ),
    { max: 1000 },
  )
  .check((overrides) =>
    overrides.flatMap(({ date }, i): ValueFault[] =>
      overrides.findIndex((other) => other.date === date) < i
        ? [{ path: [i, 'date'], code: 'duplicate', message: 'stands there twice' }]
        : [],
    ),
  );

/** `[{from, to}]` in instants, half-open; `to` after `from`, else `invalid_interval`. */
export const timeOffField = f.list(
  f
    .object({ from: f.instant(), to: f.instant() })
    .check(({ from, to }): ValueFault[] =>
      to > from ? [] : [{ path: ['to'], code: 'invalid_interval', message: 'must lie after from' }],
    ),
  { max: 1000 },
);

/** `[{from, to}]` in civil dates, both included; `to` not before `from`, else `invalid_interval`. */
export const daysOffField = f.list(
  f
    .object({ from: f.date(), to: f.date() })
    .check(({ from, to }): ValueFault[] =>
      to >= from ? [] : [{ path: ['to'], code: 'invalid_interval', message: 'must not lie before from' }],
    ),
  { max: 1000 },
);
