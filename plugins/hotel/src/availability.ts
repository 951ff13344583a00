import { type Ctx, f, invalidParameter, listOf, type RowOf, route } from '@storeloom/plugin-sdk';
import { maxAmount } from '@storeloom/plugin-sdk/money';
import { nights as nightsBetween } from '@storeloom/plugin-sdk/time';
import { todayOf } from './nights.ts';
import { mostOffered, type Violation, violationsOf } from './restrictions.ts';
import { type RoomType, roomTypeOf, settings } from './settings.ts';
import { isFree, readSnapshot } from './snapshot.ts';
import { fits, type NightlyRate, ratesOf } from './stay.ts';
import { leftOf, type StockRoom, soldOf } from './stock.ts';

const query = {
  checkIn: f.date().example('2030-06-03'),
  checkOut: f.date().example('2030-06-05'),
  adults: f.int({ min: 1, max: 50 }).default(1),
  children: f.int({ min: 0, max: 50 }).default(0),
  roomType: f.text({ max: 60 }).optional(),
};
type Query = RowOf<typeof query>;

interface Offer {
  type: RoomType;
  rooms: readonly StockRoom[];
  available: number;
  free: StockRoom[];
  nightly: NightlyRate[];
  total: { amount: number; currency: string };
  violations: Violation[];
}

/** Offers for the stay, one per room type. Reads only; nothing is reserved. */
async function offersOf(ctx: Ctx, { checkIn, checkOut, adults, children, roomType }: Query): Promise<Offer[]> {
  if (checkOut <= checkIn) throw invalidParameter('checkOut', 'must be after checkIn');
  const nights = nightsBetween(checkIn, checkOut);
  if (nights.length > 90) throw invalidParameter('checkOut', 'a stay has at most 90 nights');
  if (checkIn < todayOf(ctx)) throw invalidParameter('checkIn', 'is in the past');
  const snapshot = await readSnapshot(ctx, roomType === null ? null : [roomType], nights);
  const codes = [...snapshot.inventory.byType.keys()].filter((code) => roomType === null || code === roomType);
  return codes.sort().flatMap((code) => {
    const ofType = snapshot.inventory.byType.get(code) ?? [];
    const fitting = ofType.filter((room) => fits(room, { adults, children }));
    if (fitting.length === 0) return [];
    const type = roomTypeOf(ctx, code);
    const violations = violationsOf(type.rules, { checkIn, checkOut, nights }, (night) => soldOf(snapshot, code, night));
    const free = fitting.filter((room) => isFree(snapshot, room, nights));
    const left = Math.min(leftOf(snapshot, code, nights), mostOffered(type.rules, nights) ?? Number.MAX_SAFE_INTEGER);
    const nightly = ratesOf(ctx, snapshot.inventory, { roomType: code, nights, adults, children }, null);
    const amount = nightly.reduce((sum, { rate }) => sum + rate.amount, 0);
    // Beyond the range of money: it can't be booked.
    if (amount > maxAmount) return [];
    const total = { amount, currency: ctx.tenant.currency };
    return [{ type, rooms: ofType, available: violations.length > 0 ? 0 : left, free, nightly, total, violations }];
  });
}

const violation = f.object({ rule: f.text(), date: f.date(), limit: f.int().optional() });

export const roomAvailability = route(
  'GET',
  '/rooms/availability',
  {
    summary: 'Free rooms for a stay, per room type',
    permission: 'hotel.room.read',
    query,
    response: {
      roomType: f.text(),
      available: f.int(),
      roomIds: f.list(f.id()),
      nightly: f.list(f.object({ date: f.date(), rate: f.money() })),
      total: f.money(),
      violations: f.list(violation),
    },
    list: true,
  },
  async (ctx, req) =>
    listOf(
      (await offersOf(ctx, req.query)).map(({ type, available, free, nightly, total, violations }) => ({
        roomType: type.code,
        available,
        roomIds: free.map(({ id }) => id),
        nightly,
        total,
        violations: violations.map(({ rule, date, limit = null }) => ({ rule, date, limit })),
      })),
    ),
);

/** For guests: the restrictions by name, no counts. */
export const publicAvailability = route(
  'GET',
  '/availability',
  {
    summary: 'Room types for a stay',
    query,
    response: {
      roomType: f.text(),
      name: f.text(),
      photos: f.list(f.text()),
      capacity: f.object({ adults: f.int(), children: f.int() }),
      available: f.bool(),
      fewLeft: f.bool(),
      total: f.money(),
      taxesIncluded: f.bool(),
      policy: f
        .object({ freeUntilHours: f.int().optional(), feeBp: f.bp(), depositBp: f.bp(), text: f.text().optional() })
        .optional(),
      restrictions: f.list(f.object({ rule: f.text(), limit: f.int().optional() })),
    },
    list: true,
    rateLimit: { points: 120, seconds: 60 },
  },
  async (ctx, req) => {
    const few = ctx.settings(settings).fewLeft;
    return listOf(
      (await offersOf(ctx, req.query)).map(({ type, rooms, available, total, violations }) => ({
        roomType: type.code,
        name: type.name,
        photos: type.photos,
        capacity: type.capacity ?? {
          adults: Math.max(...rooms.map(({ maxAdults }) => maxAdults)),
          children: Math.max(...rooms.map(({ maxChildren }) => maxChildren)),
        },
        available: available > 0,
        fewLeft: available > 0 && available <= few,
        total,
        taxesIncluded: ctx.tenant.priceMode === 'gross',
        policy: type.policy,
        restrictions: publicRules(violations),
      })),
    );
  },
);

/** Limits of the length of stay are public; quotas aren't. */
function publicRules(violations: readonly Violation[]): { rule: string; limit: number | null }[] {
  const shown = new Map<string, number | null>();
  for (const { rule, limit } of violations)
    if (rule !== 'quota' && rule !== 'max_avail') shown.set(rule, rule.includes('stay') ? (limit ?? null) : null);
  return [...shown].map(([rule, limit]) => ({ rule, limit }));
}
