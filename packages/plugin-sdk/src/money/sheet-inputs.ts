import type { DiscountBase, DiscountInput, DiscountTarget, UnitDiscount } from './discount-types.ts';
import { checkQuantity } from './parts.ts';
import { checkAmount, checkPositive } from './rounding.ts';
import type { PriceState } from './sheet-price.ts';
import type { SheetContext, SheetLine, ShippingInput, SurchargeInput, TenderInput } from './sheet-types.ts';
import { groupRoom } from './units.ts';

/**
 * Copies the known properties of an input. The trace is stored with orders: it must not contain other data of the caller's object (a
 * buyer's e-mail), nor change when the caller changes the object.
 */
function pickDefined<T extends object, K extends keyof T>(from: T, members: readonly K[]): Pick<T, K> {
  const copy: Partial<Pick<T, K>> = {};
  for (const member of members) if (from[member] !== undefined && from[member] !== null) copy[member] = plainCopy(from[member]);
  return copy as Pick<T, K>;
}

/** Copies plain data, ten times as fast as `structuredClone` on the few properties of an input. */
export function plainCopy<V>(value: V): V {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plainCopy) as V;
  return Object.fromEntries(Object.entries(value).map(([member, one]) => [member, plainCopy(one)])) as V;
}

export function contextInput(context: SheetContext): SheetContext {
  return pickDefined(context, [
    'currency',
    'priceMode',
    'taxRoundingLevel',
    'shippingTaxMode',
    'shippingTaxCategoryId',
    'defaultTaxCategoryId',
    'percentStacking',
    'trace',
  ]);
}

export function lineInput(line: SheetLine): SheetLine {
  return pickDefined(line, [
    'id',
    'quantity',
    'unitPrice',
    'listPrice',
    'minPrice',
    'taxCategoryId',
    'taxShares',
    'ships',
    'locked',
  ]);
}

export function shippingInput(input: ShippingInput): ShippingInput {
  return pickDefined(input, ['id', 'code', 'name', 'methodId', 'amount', 'taxCategoryId']);
}

export function surchargeInput(input: SurchargeInput): SurchargeInput {
  return pickDefined(input, ['id', 'code', 'name', 'amount', 'taxCategoryId', 'of']);
}

export function tenderInput(input: TenderInput): TenderInput {
  return pickDefined(input, ['type', 'reference', 'amount', 'label']);
}

type AnyDiscount = DiscountBase & {
  amount?: number;
  percentBp?: number;
  across?: boolean;
  each?: UnitDiscount;
  shares?: readonly { lineId: string; amount: number }[];
};

/** Copies a discount; throws a `RangeError` unless it has exactly one value. */
export function discountInput(input: DiscountInput): DiscountInput {
  const copy = pickDefined(input as AnyDiscount, [
    'source',
    'code',
    'name',
    'target',
    'lineIds',
    'maxDiscount',
    'bought',
    'amount',
    'percentBp',
    'across',
    'each',
    'shares',
  ]);
  const values = (['amount', 'percentBp', 'each', 'shares'] as const).filter((member) => member in copy);
  if (values.length !== 1) throw new RangeError('a discount must have exactly one of amount, percentBp, each and shares');
  return copy as DiscountInput;
}

export function lineState(line: SheetLine): PriceState {
  const quantity = checkQuantity(line.quantity);
  const minPrice = checkPositive(line.minPrice ?? 0, 'a minimum price');
  checkAmount(checkPositive(line.listPrice ?? 0, 'a list price') * quantity);
  for (const { weight } of line.taxShares ?? []) checkPositive(weight, 'the weight of a tax share');
  return priceState(line.id, quantity, checkPositive(line.unitPrice, 'a price') * quantity, minPrice);
}

/** Returns the state of a shipping line or surcharge: one unit, no minimum price. */
export function chargeState(id: string, amount: number): PriceState {
  return priceState(id, 1, checkPositive(amount, 'a charge'), 0);
}

function priceState(id: string, quantity: number, subtotal: number, minPrice: number): PriceState {
  const units = [{ count: quantity, total: checkAmount(subtotal), percentOff: 0, inSet: false }];
  return { id, quantity, subtotal, minPrice, units, discountTotal: 0, discounts: [] };
}

/** Returns the amount after the discounts so far. */
export function running(state: PriceState): number {
  return state.subtotal - state.discountTotal;
}

/** Returns the largest further discount (R17). */
export function room({ units, minPrice }: PriceState): number {
  return units.reduce((sum, group) => sum + groupRoom(group, minPrice), 0);
}

export function discountTarget(state: PriceState): DiscountTarget {
  const { id, quantity, minPrice, units } = state;
  const percentOff = units.reduce((sum, group) => sum + group.percentOff, 0);
  return { id, quantity, running: running(state), percentOff, room: room(state), minPrice, units };
}

/** Throws a `RangeError` for a duplicate id. */
export function checkUnique(states: readonly PriceState[]): void {
  const seen = new Set<string>();
  for (const { id } of states) {
    if (seen.has(id)) throw new RangeError(`the id ${id} is duplicated on the sheet`);
    seen.add(id);
  }
}
