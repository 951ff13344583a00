import { type BaseRow, f, type RowOf, type Shape } from '@storeloom/plugin-sdk';

export const reservationFields = {
  name: f.text({ max: 200 }).search().personal().private(),
  phone: f.phone().optional().search().personal().private(),
  email: f.email().optional().search().personal().private(),
  partySize: f.int({ min: 1, max: 1000 }).sort(),
  startsAt: f.instant().readonly().filter().sort(),
  durationMin: f.int().readonly(),
  endsAt: f.instant().readonly(),
  tableIds: f.list(f.ref('restaurant.table'), { max: 12 }).default([]).private(),
  area: f.text({ max: 60 }).optional().filter(),
  occasion: f.text({ max: 200 }).optional().personal().private(),
  notes: f.text({ max: 2000 }).optional().personal().private(),
  source: f.oneOf(['web', 'phone', 'walkin']).default('phone').filter(),
  reference: f.text().readonly().search().filter(),
  holdExpiresAt: f.instant().optional().readonly(),
  cancelReason: f.text({ max: 500 }).optional().personal().private(),
  slotAt: f.instant().readonly().hidden(),
  seatedAt: f.instant().optional().readonly(),
  completedAt: f.instant().optional().readonly(),
  /** Of the guest's e-mails. */
  locale: f.text({ max: 20 }).readonly().hidden(),
  /** Raised by each change that the guest is notified of. */
  calendarSequence: f.int().readonly().hidden(),
} satisfies Shape;

export const statuses = ['pending', 'confirmed', 'declined', 'expired', 'cancelled', 'seated', 'completed', 'no_show'] as const;
export type Status = (typeof statuses)[number];
export type Reservation = RowOf<typeof reservationFields> & BaseRow & { status: Status };
