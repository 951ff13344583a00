import type { OrderView, RefundInput } from '@storeloom/commerce';
import { allocate, mulRatio } from '@storeloom/plugin-sdk/money';
import type { OssEntry, SupplyType } from './tables.ts';

/**
 * A part of an order at one rate. Base and tax in minor units of the order's currency; `eur`: the base that counts towards the
 * threshold, in minor units of EUR.
 */
export interface OrderPart {
  part: string;
  supplyType: SupplyType;
  ratePpm: number;
  base: number;
  tax: number;
  /** Null until an exchange rate is known. */
  eur: number | null;
}
type LineFigures = Pick<OrderView['lines'][number], 'id' | 'total' | 'tax' | 'taxLines'>;

const grossOf = ({ base, tax }: Pick<OrderPart, 'base' | 'tax'>): number => base + tax;
const isCharge = ({ part }: OrderPart): boolean => part.startsWith('shipping:') || part.startsWith('surcharge:');

/** Sums the entries by line or charge and rate. */
export function partsOf(entries: readonly OssEntry[]): OrderPart[] {
  const parts = new Map<string, OrderPart>();
  for (const { part, ratePpm, supplyType, base, tax, eur } of entries) {
    const key = `${part} ${ratePpm}`;
    const sum = parts.get(key) ?? { part, supplyType, ratePpm, base: 0, tax: 0, eur: 0 };
    sum.base += base.amount;
    sum.tax += tax.amount;
    sum.eur = sum.eur === null || eur === null ? null : sum.eur + eur.amount;
    parts.set(key, sum);
  }
  return [...parts.values()];
}

/**
 * Subtracts base and tax from a part, with the proportional EUR amount; the last subtraction takes exactly the rest. Returns the
 * correction.
 */
function subtract(remaining: OrderPart, base: number, tax: number): OrderPart {
  const eur =
    remaining.eur === null
      ? null
      : base === remaining.base || remaining.base === 0
        ? remaining.eur
        : mulRatio(remaining.eur, base, remaining.base);
  remaining.base -= base;
  remaining.tax -= tax;
  remaining.eur = remaining.eur === null || eur === null ? null : remaining.eur - eur;
  return { ...remaining, base: 0 - base, tax: 0 - tax, eur: eur === null ? null : 0 - eur };
}

/** Subtracts a gross amount from parts, in proportion to what remains of them. */
function subtractShares(amount: number, parts: readonly OrderPart[]): OrderPart[] {
  const limits = parts.map((part) => Math.max(0, grossOf(part)));
  return allocate(amount, limits, limits).flatMap((share, i) => {
    const remaining = parts[i] as OrderPart;
    if (share === 0) return [];
    const tax = mulRatio(remaining.tax, share, grossOf(remaining));
    return [subtract(remaining, share - tax, tax)];
  });
}

/** Corrections of a refund at the rates of the sale: its lines, its shipping, and the rest of the amount over the whole order. */
export function refundParts(
  entries: readonly OssEntry[],
  { lines, shipping, amount, overpaid = 0 }: Pick<RefundInput, 'lines' | 'shipping' | 'amount' | 'overpaid'>,
): OrderPart[] {
  const remaining = partsOf(entries);
  const corrections: OrderPart[] = [];
  for (const line of lines) {
    const part = remaining.find((one) => one.part === line.lineId);
    if (part && line.amount > 0) corrections.push(subtract(part, line.amount - line.tax, line.tax));
  }
  if (shipping > 0)
    corrections.push(
      ...subtractShares(
        shipping,
        remaining.filter(({ part }) => part.startsWith('shipping:')),
      ),
    );
  const unallocated = amount - overpaid - shipping - lines.reduce((sum, line) => sum + line.amount, 0);
  if (unallocated > 0) corrections.push(...subtractShares(unallocated, remaining));
  return corrections;
}

/** Corrections that cancel the remaining amounts of an order. */
export function cancelParts(entries: readonly OssEntry[]): OrderPart[] {
  return partsOf(entries)
    .filter((part) => part.base !== 0 || part.tax !== 0)
    .map((part) => subtract(part, part.base, part.tax));
}

export type UnconvertedPart = Omit<OrderPart, 'eur'>;

/**
 * An order's amounts by part: its lines, and shipping and fees as the rest of its total. A recorded line keeps its supply type.
 * Shipping and fees keep the mix of their rates, or use that of the lines if none is recorded.
 */
function orderParts(order: { total: number; lines: readonly LineFigures[] }, recorded: readonly OrderPart[]): UnconvertedPart[] {
  const counted = recorded.filter(({ supplyType }) => supplyType !== 'other');
  const defaultType: SupplyType =
    counted.length === 0 || counted.some(({ supplyType }) => supplyType === 'goods') ? 'goods' : 'services';
  const lines = order.lines.map(
    (line): UnconvertedPart => ({
      part: line.id,
      supplyType: recorded.find((one) => one.part === line.id)?.supplyType ?? defaultType,
      ratePpm: line.taxLines.reduce((sum, rate) => sum + rate.ratePpm, 0),
      base: line.total - line.tax,
      tax: line.tax,
    }),
  );
  const charges = recorded.filter((one) => isCharge(one) && grossOf(one) > 0);
  const mix: readonly UnconvertedPart[] = charges.length > 0 ? charges : lines;
  const rest = order.total - lines.reduce((sum, line) => sum + grossOf(line), 0);
  const weights = mix.map((one) => Math.max(0, grossOf(one)));
  const shares = allocate(rest, weights).flatMap((share, i): UnconvertedPart[] => {
    const source = mix[i] as UnconvertedPart;
    if (share === 0) return [];
    const tax = mulRatio(source.tax, share, grossOf(source));
    const part = charges.length > 0 ? source.part : 'surcharge:edit';
    return [{ part, supplyType: defaultType, ratePpm: source.ratePpm, base: share - tax, tax }];
  });
  return [...lines, ...shares];
}

/** The changes of an edit against the recorded sale and earlier edits in the same country. Refunds count on neither side. */
export function editParts(
  entries: readonly OssEntry[],
  order: { total: number; lines: readonly LineFigures[] },
): { changes: UnconvertedPart[]; recorded: OrderPart[] } {
  const recorded = partsOf(entries.filter(({ kind }) => kind === 'sale' || kind === 'edit'));
  const changes = new Map<string, UnconvertedPart>();
  const add = (one: UnconvertedPart, sign: 1 | -1): void => {
    const key = `${one.part} ${one.ratePpm}`;
    const known = changes.get(key) ?? { ...one, base: 0, tax: 0 };
    changes.set(key, { ...known, base: known.base + sign * one.base, tax: known.tax + sign * one.tax });
  };
  for (const one of orderParts(order, recorded)) add(one, 1);
  for (const { eur: _, ...one } of recorded) add(one, -1);
  return { changes: [...changes.values()].filter(({ base, tax }) => base !== 0 || tax !== 0), recorded };
}

/** Adds the EUR amounts to changes, at the ratio of the recorded amounts; `first` is used if nothing is recorded yet. */
export function withEur(
  changes: readonly UnconvertedPart[],
  recorded: readonly OrderPart[],
  first: { base: number; eur: number | null },
): OrderPart[] {
  const counted = recorded.filter(({ supplyType, base }) => supplyType !== 'other' && base !== 0);
  const base = counted.length === 0 ? first.base : counted.reduce((sum, part) => sum + part.base, 0);
  const eur =
    counted.length === 0
      ? first.eur
      : counted.reduce<number | null>((sum, part) => (sum === null || part.eur === null ? null : sum + part.eur), 0);
  return changes.map((change) => ({
    ...change,
    eur: change.supplyType === 'other' || base === 0 ? 0 : eur === null ? null : mulRatio(eur, change.base, base),
  }));
}

export const countedBase = (parts: readonly UnconvertedPart[]): number =>
  parts.reduce((sum, { supplyType, base }) => sum + (supplyType === 'other' ? 0 : base), 0);
