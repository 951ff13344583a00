import { type BaseRow, f, type RowOf, type Shape } from '@storeloom/plugin-sdk';
import { entryInput } from './folio.ts';
import { guestFields } from './guest.ts';

const { firstName, lastName, ...more } = guestFields;
/** A guest in a reservation's body: an id, or the data of one. */
const named = f.object({
  id: f.id().optional(),
  firstName: firstName.optional(),
  lastName: lastName.optional(),
  ...more,
  vip: f.bool().optional(),
  consent: f.bool().optional(),
});
export type NamedGuest = RowOf<{ guest: typeof named }>['guest'];

const sources = ['direct', 'phone', 'walkin', 'web', 'agency', 'shop'] as const;

export const reservationFields = {
  roomId: f.ref('hotel.room').optional().filter(),
  /** Code of the room type; default that of the room. */
  roomType: f.text({ max: 60 }).optional().filter(),
  guestId: f.ref('hotel.guest').optional().filter(),
  guest: named.optional().virtual(),
  checkIn: f.date().filter().sort(),
  checkOut: f.date().filter().sort(),
  adults: f.int({ min: 1, max: 50 }),
  children: f.int({ min: 0, max: 50 }).default(0),
  /** Further guests; with the booker at most adults + children. */
  guests: f.list(named, { max: 100 }).default([]).virtual(),
  guestIds: f.list(f.id()).default([]).readonly().hidden(),
  deposit: f.money({ min: 0, own: true }).optional(),
  source: f.oneOf(sources).default('direct').filter(),
  /** Internal. */
  notes: f.text({ max: 4000 }).optional().hidden().private().personal(),
  /** Creates it `pending`, with a hold that lapses. */
  hold: f.bool().default(false).writeOnly(),
  /** Appended to the folio. */
  folioAdd: f.list(f.object(entryInput), { max: 100 }).default([]).writeOnly(),
  cancelReason: f.text({ max: 500 }).optional().private().personal(),
  reference: f.text().readonly().search().filter(),
  nights: f.int().readonly().virtual(),
  nightlyRates: f
    .list(f.object({ date: f.date(), rate: f.money() }))
    .readonly()
    .hidden(),
  /** With VAT. */
  total: f.money().readonly(),
  /** VAT in the total; null without plugin taxes. */
  tax: f.money().optional().readonly(),
  taxLines: f
    .list(f.object({ ratePpm: f.ppm(), base: f.money(), tax: f.money() }))
    .default([])
    .readonly()
    .hidden(),
  /** Charged in place of the total after a cancellation or no-show. */
  fee: f.money().optional().readonly(),
  paid: f.money().readonly().virtual(),
  charges: f.money().readonly().virtual(),
  balance: f.money().readonly().virtual(),
  policy: f.json().readonly().hidden().describe('Cancellation and payment terms at the time of booking.'),
  holdExpiresAt: f.instant().optional().readonly(),
  cancelledAt: f.instant().optional().readonly(),
  actualCheckInAt: f.instant().optional().readonly(),
  actualCheckOutAt: f.instant().optional().readonly(),
  /** Order and order line that bought the stay. */
  orderId: f.id().optional().readonly().filter(),
  orderLineId: f.id().optional().readonly().hidden(),
  /** Price of the room in the order, in the order's currency. Changes at the desk don't change it. */
  orderPrice: f.money().optional().readonly().hidden(),
  /** `orderPrice` in the shop's currency. */
  orderTotal: f.money().optional().readonly().hidden(),
  /** SEQUENCE of the calendar entry: raised by each change that the guest is notified of. */
  calendarSequence: f.int().default(0).readonly().hidden(),
  /** Of the guest's e-mails. */
  locale: f.text({ max: 20 }).readonly().hidden(),
  guestName: f.text().readonly().virtual(),
  folio: f
    .list(f.object({ id: f.id(), at: f.instant(), ...entryInput }))
    .readonly()
    .virtual()
    .hidden(),
  history: f
    .list(
      f.object({
        from: f.text().optional(),
        to: f.text(),
        at: f.instant(),
        actor: f.object({ type: f.text(), id: f.text().optional() }),
        reason: f.text().optional(),
      }),
    )
    .readonly()
    .virtual()
    .hidden(),
} satisfies Shape;

export const statuses = ['pending', 'confirmed', 'expired', 'cancelled', 'checked_in', 'checked_out', 'no_show'] as const;
export type Status = (typeof statuses)[number];
export type ReservationRow = RowOf<typeof reservationFields> & BaseRow & { status: Status };
