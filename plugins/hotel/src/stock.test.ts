import fc from 'fast-check';
import { expect, it } from 'vitest';
import { capacityOf, indexRooms, isOut, leftOf, type Stock, type StockRoom, takenFor } from './stock.ts';

const nights = ['2026-07-10', '2026-07-11', '2026-07-12', '2026-07-13'];

/** The same rules read straight from the lists, one room and night at a time. */
function plainly(rooms: readonly StockRoom[], taken: ReadonlyMap<string, string>, sold: ReadonlyMap<string, number>) {
  const bedsOf = (id: string) => rooms.filter(({ parentRoomId }) => parentRoomId === id);
  const unitsOf = (id: string) => rooms.filter((room) => room.id === id || room.parentRoomId === id);
  const holderOf = (id: string, night: string) => taken.get(`${id} ${night}`);
  const isShared = (type: string) =>
    rooms.some((room) => room.roomType === type && (room.parentRoomId !== null || bedsOf(room.id).length > 0));
  const capacity = (type: string, night: string): number =>
    rooms.filter((room) => {
      if (room.roomType !== type || unitsOf(room.id).some((unit) => isOut(unit, night))) return false;
      if (!isShared(type)) return true;
      const holders = unitsOf(room.id)
        .map(({ id }) => holderOf(id, night))
        .filter((holder) => holder !== undefined);
      const own = holderOf(room.id, night);
      const isRooms = room.parentRoomId !== null && holderOf(room.parentRoomId, night) === own;
      return holders.length === 0 || (own !== undefined && holders.every((holder) => holder === own) && !isRooms);
    }).length;
  return {
    capacity,
    taken: (id: string, except?: string) =>
      nights.filter((night) =>
        unitsOf(id).some((unit) => {
          const holder = holderOf(unit.id, night);
          return isOut(unit, night) || (holder !== undefined && holder !== except);
        }),
      ),
    left: (type: string) =>
      Math.max(0, Math.min(...nights.map((night) => capacity(type, night) - (sold.get(`${type} ${night}`) ?? 0)))),
  };
}

const types = ['single', 'dormitory', 'bed'];
const night = fc.constantFrom(...nights);
const room = fc.record({
  roomType: fc.constantFrom(...types),
  parent: fc.option(fc.nat({ max: 7 })),
  status: fc.constantFrom('available' as const, 'available' as const, 'out_of_order' as const),
  outFrom: fc.option(night),
  outTo: fc.option(night),
});
const holders = fc.constantFrom('one', 'two', 'three');

it('answers what the plain rules answer', () => {
  const made = fc.record({
    rooms: fc.array(room, { minLength: 1, maxLength: 8 }),
    taken: fc.array(fc.tuple(fc.nat({ max: 7 }), night, holders), { maxLength: 20 }),
    sold: fc.array(fc.tuple(fc.constantFrom(...types), night, fc.nat({ max: 4 })), { maxLength: 12 }),
  });
  fc.assert(
    fc.property(made, (given) => {
      const rooms = given.rooms.map(({ parent, ...each }, i): StockRoom => {
        const isBed = parent !== null && parent < i && given.rooms[parent]?.parent === null;
        const base = { number: `${i}`, maxAdults: 2, maxChildren: 0, baseRate: { amount: 1, currency: 'RON' } };
        return { ...each, ...base, id: `room-${i}`, parentRoomId: isBed ? `room-${parent}` : null };
      });
      const taken = new Map(given.taken.map(([i, date, holder]) => [`room-${i} ${date}`, holder]));
      const sold = new Map(given.sold.map(([type, date, count]) => [`${type} ${date}`, count]));
      const byKey = <V>(flat: ReadonlyMap<string, V>) => {
        const keys = [...flat].map(([key, value]) => [...key.split(' '), value] as [string, string, V]);
        return new Map(
          [...Map.groupBy(keys, ([first]) => first)].map(([first, all]) => [
            first,
            new Map(all.map(([, date, value]) => [date, value])),
          ]),
        );
      };
      const stock: Stock = { inventory: indexRooms(rooms), taken: byKey(taken), sold: byKey(sold) };
      const plain = plainly(rooms, taken, sold);
      for (const type of types) {
        expect(nights.map((date) => capacityOf(stock, type, date))).toEqual(nights.map((date) => plain.capacity(type, date)));
        expect(leftOf(stock, type, nights)).toBe(plain.left(type));
      }
      for (const { id } of rooms)
        for (const except of [undefined, 'one']) expect(takenFor(stock, id, nights, except)).toEqual(plain.taken(id, except));
    }),
    { numRuns: 1000 },
  );
});
