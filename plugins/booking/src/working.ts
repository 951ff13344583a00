import { type Ctx, domainError, type Problem, problem } from '@storeloom/plugin-sdk';
import { contains, type Hours, hours, type Interval } from '@storeloom/plugin-sdk/time';
import { settings, zoneOf } from './settings.ts';
import type { Staff } from './staff-fields.ts';

/** When somebody works: their hours, less breaks, time off and the days on which the shop is closed. */
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

export const lies = (within: Hours, wanted: Interval): boolean =>
  within.between(wanted.start, wanted.end).some((window) => contains(window, wanted));

/** Why somebody does not work then: 409 `staff_unavailable` where they are away, 422 `outside_hours` where they never would. */
export function whyNotWorking(row: Staff, wanted: Interval): Problem {
  return lies(hours(ownHours(row)), wanted)
    ? problem('staff_unavailable', { detail: 'The member of staff is absent at this time. Choose another start.' })
    : domainError('/startsAt', 'outside_hours', 'is outside working hours');
}
