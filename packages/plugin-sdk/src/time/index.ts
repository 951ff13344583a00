export {
  addDays,
  addMonths,
  type CivilDate,
  civilDate,
  dayBounds,
  daysBetween,
  eachDay,
  isTimeZone,
  monthBounds,
  quarterBounds,
  wallTime,
} from './civil.ts';
