import type { linesResolve, PlaceInput, PricingContext, PricingLine } from '@storeloom/commerce';
import {
  type Ctx,
  domainError,
  f,
  invalid,
  Problem,
  parseBody,
  problem,
  type RowOf,
  type TapFn,
  withPointers,
} from '@storeloom/plugin-sdk';
import { convert } from '@storeloom/plugin-sdk/money';
import { todayOf } from './nights.ts';
import { violationsOf } from './restrictions.ts';
import { roomTypeOf, settings } from './settings.ts';
import { isFree, readSnapshot } from './snapshot.ts';
import { checkSize, fits, type NightlyRate, nightsOfStay, ratesOf, roomUnavailable, stayNotAllowed } from './stay.ts';
import { capacityOf, type Inventory, loadInventory, soldOf } from './stock.ts';

/** A stay in a cart is a line without a variant, with this `data`; its quantity is a number of rooms. */
const stayKind = 'hotel.stay';
const stayData = {
  roomType: f.text({ max: 60 }),
  checkIn: f.date(),
  checkOut: f.date(),
  adults: f.int({ min: 1, max: 50 }).default(1),
  children: f.int({ min: 0, max: 50 }).default(0),
};
export type StayData = RowOf<typeof stayData>;
const mostRooms = 20;

export const isStay = ({ kind }: Pick<PricingLine, 'kind'>): boolean => kind === stayKind;

/** @throws 422 with pointers into `data`, and at `quantity` */
export async function stayOf(line: Pick<PricingLine, 'data' | 'quantity'>): Promise<StayData & { nights: string[] }> {
  if (line.quantity > mostRooms) throw invalid('/quantity', 'too_many', `must be at most ${mostRooms} rooms`);
  return withPointers('/data', async () => {
    const stay = (await parseBody(stayData, line.data ?? {}, { partial: false })) as StayData;
    return { ...stay, nights: nightsOfStay(stay.checkIn, stay.checkOut) };
  });
}

/** Nightly rates of a priced line, for `place.commit`. */
export const ratesOfLine = ({ facts }: Pick<PricingLine, 'facts'>): NightlyRate[] =>
  (facts.hotel as { rates: NightlyRate[] }).rates;

/**
 * Stage 60 of `lines.resolve`: sets the final price of the nights. Availability is checked when the order is placed.
 * @throws 404 `not_found {lines}` for a room type that is gone and, in a cart, for an arrival in the past; the other lines stay usable
 */
export const resolveStays: TapFn<typeof linesResolve> = async (ctx, value) => {
  const open = value.lines.filter((line) => isStay(line) && !line.locked);
  if (open.length === 0) return value;
  const stays = new Map(await Promise.all(open.map(async (line) => [line, await stayOf(line)] as const)));
  const inventory = await loadInventory(ctx, [...new Set([...stays.values()].map(({ roomType }) => roomType))]);
  checkAvailable(ctx, value, stays, inventory);
  const lines = await Promise.all(
    value.lines.map((line) => {
      const stay = stays.get(line);
      return stay ? withPointers('/data', () => offered(ctx, value.context, line, stay, inventory)) : line;
    }),
  );
  return { ...value, lines };
};

function checkAvailable(
  ctx: Ctx,
  { context, lines }: { context: PricingContext; lines: readonly PricingLine[] },
  stays: ReadonlyMap<PricingLine, StayData>,
  inventory: Inventory,
): void {
  const today = todayOf(ctx);
  // Placing an order refuses it by `past_date`.
  const isOver = ({ checkIn }: StayData): boolean => context.purpose === 'cart' && checkIn < today;
  const gone = lines.flatMap((line, i) => {
    const stay = stays.get(line);
    return stay && (!inventory.byType.has(stay.roomType) || isOver(stay)) ? [{ line, i, over: isOver(stay) }] : [];
  });
  if (gone.length === 0) return;
  throw new Problem('not_found', {
    detail: 'A stay in the cart is no longer available. Remove it to go on.',
    lines: gone.map(({ line }) => line.id),
    errors: gone.map(({ i, over }) => ({
      pointer: `/lines/${i}/data/${over ? 'checkIn' : 'roomType'}`,
      code: 'not_found',
      message: over ? 'the arrival lies in the past' : 'is not the type of a room',
    })),
  });
}

/** The priced line; in a cart with the number of rooms that are still free, since a cart holds none. */
async function offered(
  ctx: Ctx,
  context: PricingContext,
  line: PricingLine,
  stay: StayData & { nights: string[] },
  inventory: Inventory,
): Promise<PricingLine> {
  const result = priced(ctx, context, line, stay, inventory);
  return context.purpose === 'cart' ? { ...result, sellable: await sellableRooms(ctx, stay, line.quantity) } : result;
}

/** Rooms that can be sold for the stay; 0 if a restriction forbids it. */
async function sellableRooms(ctx: Ctx, stay: StayData & { nights: string[] }, quantity: number): Promise<number> {
  const { roomType, nights } = stay;
  const snapshot = await readSnapshot(ctx, [roomType], nights);
  const { rules } = roomTypeOf(ctx, roomType);
  if (violationsOf(rules, stay, (night) => soldOf(snapshot, roomType, night), quantity).length > 0) return 0;
  const left = Math.min(...nights.map((night) => capacityOf(snapshot, roomType, night) - soldOf(snapshot, roomType, night)));
  if (!snapshot.inventory.shared.has(roomType)) return Math.max(0, left);
  const rooms = snapshot.inventory.byType.get(roomType) ?? [];
  return Math.max(0, Math.min(left, rooms.filter((room) => fits(room, stay) && isFree(snapshot, room, nights)).length));
}

function priced(
  ctx: Ctx,
  context: PricingContext,
  line: PricingLine,
  stay: StayData & { nights: string[] },
  inventory: Inventory,
): PricingLine {
  checkSize(inventory.byType.get(stay.roomType) ?? [], stay);
  const rates = ratesOf(ctx, inventory, stay, null);
  const amount = rates.reduce((sum, { rate }) => sum + rate.amount, 0);
  const price = inCurrency(ctx, context, amount);
  const { taxCategoryId } = ctx.settings(settings);
  return {
    ...line,
    title: titleOf(ctx, context.locale, stay),
    listPrice: price,
    unitPrice: price,
    ships: false,
    weightG: 0,
    locked: true,
    ...(taxCategoryId === null ? {} : { taxCategoryId }),
    facts: { ...line.facts, hotel: { rates } },
  };
}

/** Converts the price of the whole stay, not of each night. */
function inCurrency(ctx: Ctx, { currency, fx }: PricingContext, amount: number): number {
  const own = ctx.tenant.currency;
  if (currency === own) return amount;
  if (!fx) throw problem('currency_mismatch', { detail: `There is no exchange rate from ${own} to ${currency}.` });
  return convert({ amount, currency: own }, currency, fx.rate).amount;
}

function titleOf(ctx: Ctx, locale: string, { roomType, checkIn, checkOut }: StayData): string {
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const [from, until] = [checkIn, checkOut].map((date) => new Date(`${date}T00:00:00Z`)) as [Date, Date];
  return `${roomTypeOf(ctx, roomType).name}, ${days.formatRange(from, until)}`;
}

/**
 * Stage 55 of `place.check`: checks the availability of each stay before anything is locked.
 * @throws 422 `past_date`, `too_many_guests`; 409 `stay_not_allowed {violations}`, `room_unavailable {nights}`
 */
export async function checkStays(ctx: Ctx, { priced: { lines } }: PlaceInput): Promise<void> {
  for (const [i, line] of lines.entries())
    if (isStay(line)) await withPointers(`/lines/${i}`, async () => checkOffer(ctx, await stayOf(line), line.quantity));
}

async function checkOffer(ctx: Ctx, stay: StayData & { nights: string[] }, quantity: number): Promise<void> {
  const { roomType, checkIn, nights } = stay;
  if (checkIn < todayOf(ctx)) throw domainError('/data/checkIn', 'past_date', 'is in the past');
  const snapshot = await readSnapshot(ctx, [roomType], nights);
  const rooms = snapshot.inventory.byType.get(roomType) ?? [];
  const { rules } = roomTypeOf(ctx, roomType);
  const violations = violationsOf(rules, stay, (night) => soldOf(snapshot, roomType, night), quantity);
  if (violations.length > 0) throw stayNotAllowed(violations);
  const short = nights.filter((night) => capacityOf(snapshot, roomType, night) - soldOf(snapshot, roomType, night) < quantity);
  if (short.length > 0) throw roomUnavailable(short);
  if (!snapshot.inventory.shared.has(roomType)) return;
  const free = rooms.filter((room) => fits(room, stay) && isFree(snapshot, room, nights));
  if (free.length < quantity) throw roomUnavailable([...nights]);
}
