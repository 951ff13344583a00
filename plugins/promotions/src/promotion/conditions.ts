import { type FieldError, type MoneyValue, uuidPattern } from '@storeloom/plugin-sdk';
import { isMoney } from '@storeloom/plugin-sdk/money';
import type { Condition, ConditionOperator, ConditionType } from './promotion.ts';

const listOps: readonly ConditionOperator[] = ['eq', 'ne', 'in', 'not_in'];
const boundOps: readonly ConditionOperator[] = ['gte', 'lte'];

const isUuid = (value: unknown): boolean => typeof value === 'string' && uuidPattern.test(value);
const isCount = (value: unknown): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= 1_000_000_000;
const isText = (value: unknown): boolean =>
  typeof value === 'string' && value.trim() === value && value.length >= 1 && value.length <= 60;

const channels = ['web', 'pos', 'marketplace', 'draft', 'b2b', 'subscription'] as const;
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

interface ConditionKind {
  ops: readonly ConditionOperator[];
  accepts(value: unknown): boolean;
  /** Description of accepted values, for the message. */
  expected: string;
}
const kinds: Record<Exclude<ConditionType, 'min_subtotal'>, ConditionKind> = {
  min_quantity: { ops: [...boundOps, 'eq', 'ne'], accepts: isCount, expected: 'a whole number from 1' },
  product: { ops: listOps, accepts: isUuid, expected: 'the id of a product' },
  category: { ops: listOps, accepts: isUuid, expected: 'the id of a category' },
  brand: { ops: listOps, accepts: isUuid, expected: 'the id of a brand' },
  customer_group: { ops: listOps, accepts: isUuid, expected: 'the id of a customer group' },
  first_order: { ops: ['eq', 'ne'], accepts: (value) => typeof value === 'boolean', expected: 'true or false' },
  nth_order: { ops: [...listOps, ...boundOps], accepts: isCount, expected: 'a whole number from 1' },
  country: {
    ops: listOps,
    accepts: (value) => typeof value === 'string' && /^[A-Z]{2}$/.test(value),
    expected: 'an ISO 3166-1 country code such as RO',
  },
  channel: { ops: listOps, accepts: (value) => channels.some((one) => one === value), expected: `one of ${channels.join(', ')}` },
  payment_method: { ops: listOps, accepts: isText, expected: 'the code of a payment method' },
  weekday: {
    ops: listOps,
    accepts: (value) =>
      weekdays.some((one) => one === value) || (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 7),
    expected: 'a day of the week: monday to sunday, or 1 (Monday) to 7',
  },
};

/** Entities of conditions whose values are ids. */
export const referenceOf: Partial<Record<ConditionType, string>> = {
  product: 'catalog.product',
  category: 'catalog.category',
  brand: 'catalog.brand',
  customer_group: 'customers.group',
};

/** Conditions allowed for catalogue promotions: their result doesn't depend on a cart. */
export const catalogConditions: readonly ConditionType[] = [
  'product',
  'category',
  'brand',
  'customer_group',
  'channel',
  'weekday',
];

/** The default operator: at least, one of, or equal. */
export function operatorOf({ type, op, value }: Omit<Condition, 'op'> & { op: ConditionOperator | null }): ConditionOperator {
  if (op !== null) return op;
  if (type === 'min_subtotal' || type === 'min_quantity') return 'gte';
  return Array.isArray(value) ? 'in' : 'eq';
}

/** Validates a condition. Returns its errors. */
export function conditionErrors({ type, op, value }: Condition, pointer: string): FieldError[] {
  const valueError = (message: string, code = 'invalid'): FieldError[] => [{ pointer: `${pointer}/value`, code, message }];
  const operatorError = (ops: readonly string[]): FieldError[] => [
    { pointer: `${pointer}/op`, code: 'invalid', message: `${type} allows ${ops.join(', ')}` },
  ];
  if (type === 'min_subtotal') {
    if (!boundOps.includes(op)) return operatorError(boundOps);
    const amounts: unknown[] = Array.isArray(value) ? value : [value];
    if (amounts.length === 0 || amounts.length > 200) return valueError('must be an amount of money, or one a currency');
    if (!amounts.every((one) => isMoney(one) && one.amount >= 0))
      return valueError('must be money of at least 0', 'money_invalid');
    const currencies = new Set((amounts as MoneyValue[]).map(({ currency }) => currency));
    return currencies.size === amounts.length ? [] : valueError('must contain each currency once');
  }
  const { ops, accepts, expected } = kinds[type];
  if (!ops.includes(op)) return operatorError(ops);
  if (op !== 'in' && op !== 'not_in') return accepts(value) ? [] : valueError(`must be ${expected}`);
  if (!Array.isArray(value) || value.length === 0 || value.length > 1000) return valueError('must be a list of 1 to 1000 values');
  const firstInvalid = value.findIndex((one) => !accepts(one));
  return firstInvalid < 0
    ? []
    : [{ pointer: `${pointer}/value/${firstInvalid}`, code: 'invalid', message: `must be ${expected}` }];
}

/** The condition's value as a list. */
export function valuesOf({ value }: Pick<Condition, 'value'>): unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** `eq` and `in` require a match, `ne` and `not_in` exclude it. */
export function isPositive(op: ConditionOperator): boolean {
  return op === 'eq' || op === 'in';
}

export function compare(actual: number, op: ConditionOperator, value: unknown): boolean {
  if (op === 'gte') return actual >= (value as number);
  if (op === 'lte') return actual <= (value as number);
  return valuesOf({ value }).includes(actual) === isPositive(op);
}

/** The amount of a `min_subtotal` in a currency; undefined if it has none. */
export function amountIn(value: unknown, currency: string): number | undefined {
  return (valuesOf({ value }) as MoneyValue[]).find((one) => one.currency === currency)?.amount;
}

/** The known properties of the buyer and the purchase. */
export interface Buyer {
  groupIds: readonly string[];
  /** Number of earlier orders; undefined if no condition needs it. */
  ordersBefore: number | undefined;
  country: string | undefined;
  channel: string;
  paymentMethod: string | undefined;
  /** 1 Monday to 7 Sunday, in the shop's zone. */
  weekday: number;
}

/** Whether a condition on the buyer holds; undefined for conditions on goods. Unknown properties match no value. */
export function holdsForBuyer({ type, op, value }: Condition, buyer: Buyer): boolean | undefined {
  const matchesAny = (...actual: readonly unknown[]): boolean =>
    actual.some((one) => valuesOf({ value }).includes(one)) === isPositive(op);
  switch (type) {
    case 'customer_group':
      return matchesAny(...buyer.groupIds);
    case 'first_order':
      return (buyer.ordersBefore === 0) === ((value === true) === (op === 'eq'));
    case 'nth_order':
      return compare((buyer.ordersBefore ?? 0) + 1, op, value);
    case 'country':
      return matchesAny(buyer.country);
    case 'channel':
      return matchesAny(buyer.channel);
    case 'payment_method':
      return matchesAny(buyer.paymentMethod);
    case 'weekday':
      return matchesAny(buyer.weekday, weekdays[buyer.weekday - 1]);
    default:
      return undefined;
  }
}

/** 1 Monday to 7 Sunday of a civil date. */
export function weekdayOf(date: string): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay() || 7;
}
