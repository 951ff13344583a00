import { f, type ValueFault } from '../field.ts';
import type { OpenInterval } from './hours.ts';

/** Rejects hours without a length. Overlaps are allowed; an end before its start is on the next day. */
function checkInterval({ start, end }: OpenInterval): ValueFault[] {
  return start === end
    ? [{ path: ['end'], code: 'invalid_interval', message: 'must differ from the start; a whole day is 00:00 to 24:00' }]
    : [];
}

/** Field `[{start, end}]` of wall times, at most 20 a day; an `end` before `start` crosses midnight, `24:00` is allowed. */
export const openIntervalsField = f.list(f.object({ start: f.time(), end: f.time({ endOfDay: true }) }).check(checkInterval), {
  max: 20,
});

/** Field `{mon..sun: [{start, end}]}`; a missing day is closed. Also the shape of `breaks`. */
export const weeklyHoursField = f.object({
  mon: openIntervalsField.default([]),
  tue: openIntervalsField.default([]),
  wed: openIntervalsField.default([]),
  thu: openIntervalsField.default([]),
  fri: openIntervalsField.default([]),
  sat: openIntervalsField.default([]),
  sun: openIntervalsField.default([]),
});

/** Field `[{date, closed, intervals}]`: opening hours of single dates; one entry for each date (422 `duplicate`). */
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
        ? [{ path: [i, 'date'], code: 'duplicate', message: 'is duplicated' }]
        : [],
    ),
  );

/** Field `[{from, to}]` of instants, half-open; 422 `invalid_interval` unless `to` is after `from`. */
export const timeOffField = f.list(
  f
    .object({ from: f.instant(), to: f.instant() })
    .check(({ from, to }): ValueFault[] =>
      to > from ? [] : [{ path: ['to'], code: 'invalid_interval', message: 'must be after from' }],
    ),
  { max: 1000 },
);

/** Field `[{from, to}]` of civil dates, both included; 422 `invalid_interval` if `to` is before `from`. */
export const daysOffField = f.list(
  f
    .object({ from: f.date(), to: f.date() })
    .check(({ from, to }): ValueFault[] =>
      to >= from ? [] : [{ path: ['to'], code: 'invalid_interval', message: 'must not be before from' }],
    ),
  { max: 1000 },
);
