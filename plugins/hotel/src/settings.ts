import { type Ctx, f, type RowOf, type Shape, type ValueFault } from '@storeloom/plugin-sdk';

const policy = f.object({
  /** Free until so many hours before `checkInFrom` of the arrival date; null: always. */
  freeUntilHours: f.int({ min: 0, max: 8760 }).optional(),
  /** Part of the total that is due afterwards. */
  feeBp: f.bp().default(0),
  /** Part of the total that is due at booking. */
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
/** A rule that holds on no day, or that no stay could keep to, is a slip. */
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
    /** Price of a night; without it what was said before it. The last rule that has one wins. */
    rate: f.money({ min: 0, own: true }).optional(),
    minStay: f.int({ min: 1, max: 90 }).optional(),
    maxStay: f.int({ min: 1, max: 90 }).optional(),
    minStayArrival: f.int({ min: 1, max: 90 }).optional(),
    maxStayArrival: f.int({ min: 1, max: 90 }).optional(),
    closed: f.bool().default(false),
    closedToArrival: f.bool().default(false),
    closedToDeparture: f.bool().default(false),
    /** Rooms that may be sold a night. */
    quota: f.int({ min: 0 }).optional(),
    /** Rooms that are offered at a time. */
    maxAvail: f.int({ min: 0 }).optional(),
  })
  .check(ruleFaults);
const roomType = f.object({
  code: f.text({ max: 60 }),
  name: f.text(),
  photos: f.list(f.text({ max: 2000 }), { max: 50 }).default([]),
  capacity: f.object({ adults: f.int({ min: 1, max: 50 }), children: f.int({ min: 0, max: 50 }).default(0) }).optional(),
  policy: policy.optional(),
  rules: f.list(rateRule, { max: 400 }).default([]),
});
/** A room names its type by the code: of two with one code the second would never be found. */
const eachOnce = (types: readonly { code: string }[]): ValueFault[] =>
  types.flatMap(({ code }, i) =>
    types.findIndex((other) => other.code === code) < i
      ? [{ path: [i, 'code'], code: 'duplicate', message: `is duplicated: ${code}` }]
      : [],
  );
export type RateRule = RowOf<{ rule: typeof rateRule }>['rule'];
export type RoomType = RowOf<{ type: typeof roomType }>['type'];

/** Guests' members that may be wanted at check-in. */
const guestData = ['email', 'phone', 'nationality', 'birthDate', 'idDocType', 'idDocNumber', 'address'] as const;

export const settings = {
  timezone: f.timeZone().optional().describe("Zone of the house; the shop's without it"),
  roomTypes: f.list(roomType, { max: 200 }).check(eachOnce).default([]).describe('Room types with their rates and restrictions'),
  checkInFrom: f.time().default('14:00').describe('Rooms are ready from'),
  checkOutBy: f.time().default('11:00').describe('Rooms are left by'),
  noShowAt: f.time().default('23:00').describe('From then on who has not come is a no-show'),
  guestDataRequired: f.list(f.oneOf(guestData)).default([]).describe('What is wanted of a guest at check-in'),
  taxCategoryId: f.ref('taxes.category').optional().describe('Tax category of stays'),
  approvalHoldHours: f
    .int({ min: 1, max: 720 })
    .default(24)
    .describe('Hours for which an unconfirmed reservation keeps its room'),
  fewLeft: f.int({ min: 1, max: 100 }).default(3).describe('Rooms left from which the storefront says that there are few'),
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
