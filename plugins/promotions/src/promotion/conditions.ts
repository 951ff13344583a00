import { type FieldError, type MoneyValue, uuidPattern } from '@storeloom/plugin-sdk';
import { isMoney } from '@storeloom/plugin-sdk/money';
import type { Condition, ConditionOperator, ConditionType } from './promotion.ts';

const memberOps: readonly ConditionOperator[] = ['eq', 'ne', 'in', 'not_in'];
const boundOps: readonly ConditionOperator[] = ['gte', 'lte'];

const uuid = (value: unknown): boolean => typeof value === 'string' && uuidPattern.test(value);
const count = (value: unknown): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= 1_000_000_000;
const text = (value: unknown): boolean =>
  typeof value === 'string' && value.trim() === value && value.length >= 1 && value.length <= 60;

const channels = ['web', 'pos', 'marketplace', 'draft', 'b2b', 'subscription'] as const;
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

interface Kind {
  ops: readonly ConditionOperator[];
  fits(value: unknown): boolean;
  /** What `fits` takes, for the message. */
  what: string;
}
const kinds: Record<Exclude<ConditionType, 'min_subtotal'>, Kind> = {
  min_quantity: { ops: [...boundOps, 'eq', 'ne'], fits: count, what: 'a whole number from 1' },
  product: { ops: memberOps, fits: uuid, what: 'the id of a product' },
  category: { ops: memberOps, fits: uuid, what: 'the id of a category' },
  brand: { ops: memberOps, fits: uuid, what: 'the id of a brand' },
  customer_group: { ops: memberOps, fits: uuid, what: 'the id of a customer group' },
  first_order: { ops: ['eq', 'ne'], fits: (value) => typeof value === 'boolean', what: 'true or false' },
  nth_order: { ops: [...memberOps, ...boundOps], fits: count, what: 'a whole number from 1' },
  country: {
    ops: memberOps,
    fits: (value) => typeof value === 'string' && /^[A-Z]{2}$/.test(value),
    what: 'a country of ISO 3166-1, as RO',
  },
  channel: { ops: memberOps, fits: (value) => channels.some((one) => one === value), what: `one of ${channels.join(', ')}` },
  payment_method: { ops: memberOps, fits: text, what: 'the code of a payment method' },
  weekday: {
    ops: memberOps,
    fits: (value) =>
      weekdays.some((one) => one === value) || (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 7),
    what: 'a day of the week: monday to sunday, or 1 (Monday) to 7',
  },
};

/** Things that a condition names by id, by the entity they are. */
export const referenceOf: Partial<Record<ConditionType, string>> = {
  product: 'catalog.product',
  category: 'catalog.category',
  brand: 'catalog.brand',
  customer_group: 'customers.group',
};

/** What the price of one thing on a shelf can depend on: conditions of the catalogue stage. */
export const shelfConditions: readonly ConditionType[] = ['product', 'category', 'brand', 'customer_group', 'channel', 'weekday'];

/** The operator that stands for none: at least, one of, equal. */
export function operatorOf({ type, op, value }: Omit<Condition, 'op'> & { op: ConditionOperator | null }): ConditionOperator {
  if (op !== null) return op;
  if (type === 'min_subtotal' || type === 'min_quantity') return 'gte';
  return Array.isArray(value) ? 'in' : 'eq';
}

/** What is wrong with a condition. */
export function conditionFaults({ type, op, value }: Condition, pointer: string): FieldError[] {
  const wrong = (message: string, code = 'invalid'): FieldError[] => [{ pointer: `${pointer}/value`, code, message }];
  const wrongOp = (ops: readonly string[]): FieldError[] => [
    { pointer: `${pointer}/op`, code: 'invalid', message: `${type} takes ${ops.join(', ')}` },
  ];
  if (type === 'min_subtotal') {
    if (!boundOps.includes(op)) return wrongOp(boundOps);
    const amounts: unknown[] = Array.isArray(value) ? value : [value];
    if (amounts.length === 0 || amounts.length > 200) return wrong('must be an amount of money, or one a currency');
    if (!amounts.every((one) => isMoney(one) && one.amount >= 0)) return wrong('must be money of at least 0', 'money_invalid');
    const currencies = new Set((amounts as MoneyValue[]).map(({ currency }) => currency));
    return currencies.size === amounts.length ? [] : wrong('names a currency twice');
  }
  const { ops, fits, what } = kinds[type];
  if (!ops.includes(op)) return wrongOp(ops);
  if (op !== 'in' && op !== 'not_in') return fits(value) ? [] : wrong(`must be ${what}`);
  if (!Array.isArray(value) || value.length === 0 || value.length > 1000) return wrong('must be a list of 1 to 1000 values');
  const bad = value.findIndex((one) => !fits(one));
  return bad < 0 ? [] : [{ pointer: `${pointer}/value/${bad}`, code: 'invalid', message: `must be ${what}` }];
}

/** The values of a condition that compares with one or several. */
export function valuesOf({ value }: Pick<Condition, 'value'>): unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** `eq` and `in` say what must be, `ne` and `not_in` what must not. */
export function isPositive(op: ConditionOperator): boolean {
  return op === 'eq' || op === 'in';
}

/** Compares numbers: bounds, equality, membership. */
export function compare(actual: number, op: ConditionOperator, value: unknown): boolean {
  if (op === 'gte') return actual >= (value as number);
  if (op === 'lte') return actual <= (value as number);
  return valuesOf({ value }).includes(actual) === isPositive(op);
}

/** The amount of a `min_subtotal` in a currency; undefined: it says nothing about it. */
export function amountIn(value: unknown, currency: string): number | undefined {
  return (valuesOf({ value }) as MoneyValue[]).find((one) => one.currency === currency)?.amount;
}

/** Who buys and how, as far as it is known. */
export interface Buyer {
  groupIds: readonly string[];
  /** Orders before this one; undefined where no condition asks. */
  ordersBefore: number | undefined;
  country: string | undefined;
  channel: string;
  paymentMethod: string | undefined;
  /** 1 Monday to 7 Sunday, in the shop's zone. */
  weekday: number;
}

/** Whether a condition on the buyer holds; undefined for conditions on the goods. What isn't known yet is nothing. */
export function holdsForBuyer({ type, op, value }: Condition, buyer: Buyer): boolean | undefined {
  const among = (...actual: readonly unknown[]): boolean =>
    actual.some((one) => valuesOf({ value }).includes(one)) === isPositive(op);
  switch (type) {
    case 'customer_group':
      return among(...buyer.groupIds);
    case 'first_order':
      return (buyer.ordersBefore === 0) === ((value === true) === (op === 'eq'));
    case 'nth_order':
      return compare((buyer.ordersBefore ?? 0) + 1, op, value);
    case 'country':
      return among(buyer.country);
    case 'channel':
      return among(buyer.channel);
    case 'payment_method':
      return among(buyer.paymentMethod);
    case 'weekday':
      return among(buyer.weekday, weekdays[buyer.weekday - 1]);
    default:
      return undefined;
  }
}

/** 1 Monday to 7 Sunday of a civil date. */
export function weekdayOf(date: string): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay() || 7;
}
