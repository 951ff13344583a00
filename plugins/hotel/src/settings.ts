import { type Ctx, f, type RowOf, type Shape, type ValueFault } from '@storeloom/plugin-sdk';
import { linkField } from '@storeloom/plugin-sdk/public';

const policy = f.object({
  /** Cancellation is free until so many hours before `checkInFrom` of the arrival; null: always. */
  freeUntilHours: f.int({ min: 0, max: 8760 }).optional(),
  /** Fee after that, as a share of the total. */
  feeBp: f.bp().default(0),
  /** Due at booking, as a share of the total. */
  depositBp: f.bp().default(0),
  text: f.text({ max: 1000 }).optional(),
});
export const freePolicy: RowOf<{ policy: typeof policy }>['policy'] = {
  freeUntilHours: null,
  feeBp: 0,
  depositBp: 0,
  text: null,
};

type Limit = 'minStay' | 'maxStay' | 'minStayArrival' | 'maxStayArrival';
/** Refuses rules that apply to no day, and those that no stay can meet. */
function ruleFaults(rule: Record<'from' | 'to', string> & Record<Limit, number | null>): ValueFault[] {
  const faults: ValueFault[] = [];
  if (rule.to < rule.from) faults.push({ path: ['to'], code: 'invalid_interval', message: 'must not be before from' });
  const inOrder = (least: Limit, most: Limit): void => {
    const [min, max] = [rule[least], rule[most]];
    if (min !== null && max !== null && max < min)
      faults.push({ path: [most], code: 'too_small', message: `is less than ${least}` });
  };
  inOrder('minStay', 'maxStay');
  inOrder('minStayArrival', 'maxStayArrival');
  return faults;
}

const rateRule = f
  .object({
    /** Civil dates, both included. */
    from: f.date(),
    to: f.date(),
    /** Price of a night. The last rule with a rate wins. */
    rate: f.money({ min: 0, own: true }).optional(),
    minStay: f.int({ min: 1, max: 90 }).optional(),
    maxStay: f.int({ min: 1, max: 90 }).optional(),
    minStayArrival: f.int({ min: 1, max: 90 }).optional(),
    maxStayArrival: f.int({ min: 1, max: 90 }).optional(),
    closed: f.bool().default(false),
    closedToArrival: f.bool().default(false),
    closedToDeparture: f.bool().default(false),
    /** Rooms that may be sold per night. */
    quota: f.int({ min: 0 }).optional(),
    /** Rooms offered per request. */
    maxAvail: f.int({ min: 0 }).optional(),
  })
  .check(ruleFaults);
const roomType = f.object({
  code: f.text({ max: 60 }),
  name: f.text(),
  photos: f.list(linkField(), { max: 50 }).default([]),
  capacity: f.object({ adults: f.int({ min: 1, max: 50 }), children: f.int({ min: 0, max: 50 }).default(0) }).optional(),
  policy: policy.optional(),
  rules: f.list(rateRule, { max: 400 }).default([]),
});
/** Rooms refer to their type by its code. */
const eachOnce = (types: readonly { code: string }[]): ValueFault[] =>
  types.flatMap(({ code }, i) =>
    types.findIndex((other) => other.code === code) < i
      ? [{ path: [i, 'code'], code: 'duplicate', message: `is used by another type: ${code}` }]
      : [],
  );
export type RateRule = RowOf<{ rule: typeof rateRule }>['rule'];
export type RoomType = RowOf<{ type: typeof roomType }>['type'];

/** Fields that check-in may require of a guest. */
const guestData = ['email', 'phone', 'nationality', 'birthDate', 'idDocType', 'idDocNumber', 'address'] as const;

export const settings = {
  timezone: f.timeZone().optional().describe('Time zone of the hotel; default that of the shop'),
  roomTypes: f.list(roomType, { max: 200 }).check(eachOnce).default([]).describe('Room types with their rates and restrictions'),
  checkInFrom: f.time().default('14:00').describe('Guests check in from'),
  checkOutBy: f.time().default('11:00').describe('Guests check out by'),
  noShowAt: f.time().default('23:00').describe('From then on a guest who has not arrived is a no-show'),
  guestDataRequired: f.list(f.oneOf(guestData)).default([]).describe('Guest data required at check-in'),
  taxCategoryId: f.ref('taxes.category').optional().describe('Tax category of stays'),
  approvalHoldHours: f.int({ min: 1, max: 720 }).default(24).describe('Hours until a pending reservation lapses'),
  fewLeft: f.int({ min: 1, max: 100 }).default(3).describe('The storefront shows "few left" from this number of rooms'),
} satisfies Shape;

export const zoneOf = (ctx: Ctx): string => ctx.settings(settings).timezone ?? ctx.tenant.timezone;

export function roomTypeOf(ctx: Ctx, code: string): RoomType {
  return (
    ctx.settings(settings).roomTypes.find((type) => type.code === code) ?? {
      code,
      name: code,
      photos: [],
      capacity: null,
      policy: null,
      rules: [],
    }
  );
}
