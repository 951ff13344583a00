import { type BaseRow, f, type RowOf, type Shape } from '@storeloom/plugin-sdk';
import { dateOverridesField, timeOffField, weeklyHoursField } from '@storeloom/plugin-sdk/time';

const closed = { mon: [], tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] };

export const staffFields = {
  name: f.text().search().sort(),
  email: f.email().optional().search().private().personal(),
  phone: f.phone().optional().private().personal(),
  /** Their user of the administration. */
  userId: f.ref('identity.user').optional(),
  /** Kept free after every appointment. */
  turnoverMin: f.int({ min: 0, max: 1440 }).default(0),
  timezone: f.timeZone(),
  serviceIds: f.list(f.ref('booking.service'), { max: 500 }).default([]),
  weeklyHours: weeklyHoursField.default(closed),
  breaks: weeklyHoursField.default(closed),
  overrides: dateOverridesField.default([]),
  timeOff: timeOffField.default([]),
  /** For bookings of any staff: the lowest comes first. */
  priority: f.int({ min: 0, max: 1000 }).default(0).sort(),
  isActive: f.bool().default(true).filter(),
  /** With `isActive: false`: the member of staff who takes over the future appointments. */
  reassignTo: f.ref('booking.staff').optional().writeOnly(),
} satisfies Shape;
export type Staff = RowOf<typeof staffFields> & BaseRow;
