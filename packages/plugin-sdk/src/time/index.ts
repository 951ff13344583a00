export {
  addDays,
  addMonths,
  addYears,
  type CivilDate,
  civilDate,
  dayBounds,
  daysBetween,
  eachDay,
  isCivilDate,
  monthBounds,
  nextAnniversary,
  nights,
  quarterBounds,
  type WallTime,
  type Weekday,
  wallMinutes,
  wallTime,
  weekBounds,
  weekday,
  weekdays,
  yearBounds,
} from './civil.ts';
export { formatWithZone } from './format.ts';
export { type Holiday, type HolidayCalendar, holidayCalendar, orthodoxEaster, romanianHolidays } from './holidays.ts';
export {
  type DateOverride,
  type Hours,
  type HoursDefinition,
  hours,
  type OpenInterval,
  type WeeklyHours,
  type Window,
} from './hours.ts';
export { dateOverridesField, daysOffField, openIntervalsField, timeOffField, weeklyHoursField } from './hours-fields.ts';
export {
  addMinutes,
  dayMs,
  epoch,
  hourMs,
  type Instant,
  instant,
  minuteMs,
  minutesBetween,
  secondMs,
  secondsBetween,
} from './instant.ts';
export {
  type Buffers,
  blockedRange,
  clamp,
  contains,
  coveredDuration,
  type Interval,
  intersect,
  interval,
  merge,
  overlaps,
  parseInterval,
  type Span,
  span,
  subtract,
} from './interval.ts';
export {
  formatWithOffset,
  type LocalDateTime,
  type LocalInstant,
  normalizeInstant,
  parseInstant,
  parseLocalDateTime,
  resolveBound,
} from './local.ts';
export {
  type RecurringDays,
  type RecurringInstants,
  recurrenceField,
  recurringDays,
  recurringInstants,
} from './recurrence.ts';
export { checkNotice, findSlots, groupByDate, type NoticeViolation, type SlotRules } from './slots.ts';
export { omitStart, parseStart, requireStart, type StartInput, startFields } from './start.ts';
export { type WorkDays, workDays } from './work-days.ts';
export { isTimeZone, offsetAt } from './zone.ts';
