import { type Ctx, domainError, type Problem, problem } from '@storeloom/plugin-sdk';
import { contains, type Hours, hours, type Interval } from '@storeloom/plugin-sdk/time';
import { settings, zoneOf } from './settings.ts';
import type { Staff } from './staff-fields.ts';

/** Working hours of a member of staff, without breaks, time off and closed days of the shop. */
export function workingHours(ctx: Ctx, row: Staff): Hours {
  return hours({
    ...ownHours(row),
    timeOff: row.timeOff,
    closedDays: ctx.settings(settings).closedDays,
    closedDaysZone: zoneOf(ctx),
  });
}
const ownHours = ({ timezone, weeklyHours, breaks, overrides }: Staff) => ({
  timeZone: timezone,
  weeklyHours,
  breaks,
  overrides,
});

export const isWithin = (within: Hours, wanted: Interval): boolean =>
  within.between(wanted.start, wanted.end).some((window) => contains(window, wanted));

/** The problem: 409 `staff_unavailable` during time off and closed days, 422 `outside_hours` outside of working hours. */
export function notWorkingProblem(row: Staff, wanted: Interval): Problem {
  return isWithin(hours(ownHours(row)), wanted)
    ? problem('staff_unavailable', { detail: 'The member of staff is away at this time.' })
    : domainError('/startsAt', 'outside_hours', 'is outside of the working hours');
}
