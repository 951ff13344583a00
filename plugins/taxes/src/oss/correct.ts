import type { OrderView, RefundInput } from '@storeloom/commerce';
import { allocate, mulRatio } from '@storeloom/plugin-sdk/money';
import type { OssEntry, SupplyType } from './tables.ts';

/** A part of an order at one rate. Minor units: base and tax in the order's currency, `eur` what of the base counts for the limit. */
export interface Part {
  part: string;
  supplyType: SupplyType;
  ratePpm: number;
  base: number;
  tax: number;
  /** Null while no exchange rate is known. */
  eur: number | null;
}
type LineFigures = Pick<OrderView['lines'][number], 'id' | 'total' | 'tax' | 'taxLines'>;

const paid = ({ base, tax }: Pick<Part, 'base' | 'tax'>): number => base + tax;
const isCharge = ({ part }: Part): boolean => part.startsWith('shipping:') || part.startsWith('surcharge:');

/** The entries added up, one part a line or charge and rate. */
export function partsOf(entries: readonly OssEntry[]): Part[] {
  const parts = new Map<string, Part>();
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

/** Takes base and tax off a part, with its share of what counts; the last of it takes exactly what is left. Gives the correction. */
function take(left: Part, base: number, tax: number): Part {
  const eur = left.eur === null ? null : base === left.base || left.base === 0 ? left.eur : mulRatio(left.eur, base, left.base);
  left.base -= base;
  left.tax -= tax;
  left.eur = left.eur === null || eur === null ? null : left.eur - eur;
  return { ...left, base: 0 - base, tax: 0 - tax, eur: eur === null ? null : 0 - eur };
}

/** An amount with tax off parts, in proportion to what is left of them. */
function takeShares(amount: number, parts: readonly Part[]): Part[] {
  const rooms = parts.map((part) => Math.max(0, paid(part)));
  return allocate(amount, rooms, rooms).flatMap((share, i) => {
    const left = parts[i] as Part;
    if (share === 0) return [];
    const tax = mulRatio(left.tax, share, paid(left));
    return [take(left, share - tax, tax)];
  });
}

/** A refund at the rates of its sale: its lines, its shipping, and what is left of a free amount over the whole order. */
export function refundParts(
  entries: readonly OssEntry[],
  { lines, shipping, amount }: Pick<RefundInput, 'lines' | 'shipping' | 'amount'>,
): Part[] {
  const left = partsOf(entries);
  const corrections: Part[] = [];
  for (const line of lines) {
    const part = left.find((one) => one.part === line.lineId);
    if (part && line.amount > 0) corrections.push(take(part, line.amount - line.tax, line.tax));
  }
  if (shipping > 0)
    corrections.push(
      ...takeShares(
        shipping,
        left.filter(({ part }) => part.startsWith('shipping:')),
      ),
    );
  const free = amount - shipping - lines.reduce((sum, line) => sum + line.amount, 0);
  if (free > 0) corrections.push(...takeShares(free, left));
  return corrections;
}

/** Everything that is left of a cancelled order. */
export function cancelParts(entries: readonly OssEntry[]): Part[] {
  return partsOf(entries)
    .filter((part) => part.base !== 0 || part.tax !== 0)
    .map((part) => take(part, part.base, part.tax));
}

export type BarePart = Omit<Part, 'eur'>;

/**
 * An order's figures by part: its lines, and delivery and fees as the rest of its total. What is recorded of a line keeps its supply type;
 * delivery and fees keep the mix of their rates, and have that of the lines where nothing is recorded of them.
 */
function orderParts(order: { total: number; lines: readonly LineFigures[] }, recorded: readonly Part[]): BarePart[] {
  const counted = recorded.filter(({ supplyType }) => supplyType !== 'other');
  const usual: SupplyType =
    counted.length === 0 || counted.some(({ supplyType }) => supplyType === 'goods') ? 'goods' : 'services';
  const lines = order.lines.map(
    (line): BarePart => ({
      part: line.id,
      supplyType: recorded.find((one) => one.part === line.id)?.supplyType ?? usual,
      ratePpm: line.taxLines.reduce((sum, rate) => sum + rate.ratePpm, 0),
      base: line.total - line.tax,
      tax: line.tax,
    }),
  );
  const charges = recorded.filter((one) => isCharge(one) && paid(one) > 0);
  const mix: readonly BarePart[] = charges.length > 0 ? charges : lines;
  const rest = order.total - lines.reduce((sum, line) => sum + paid(line), 0);
  const weights = mix.map((one) => Math.max(0, paid(one)));
  const shares = allocate(rest, weights).flatMap((share, i): BarePart[] => {
    const of = mix[i] as BarePart;
    if (share === 0) return [];
    const tax = mulRatio(of.tax, share, paid(of));
    const part = charges.length > 0 ? of.part : 'surcharge:edit';
    return [{ part, supplyType: usual, ratePpm: of.ratePpm, base: share - tax, tax }];
  });
  return [...lines, ...shares];
}

/** What an edit changed, against what was recorded of sale and edits at this place. Refunds are no part of either side. */
export function editParts(
  entries: readonly OssEntry[],
  order: { total: number; lines: readonly LineFigures[] },
): { changes: BarePart[]; recorded: Part[] } {
  const recorded = partsOf(entries.filter(({ kind }) => kind === 'sale' || kind === 'edit'));
  const changes = new Map<string, BarePart>();
  const add = (one: BarePart, sign: 1 | -1): void => {
    const key = `${one.part} ${one.ratePpm}`;
    const known = changes.get(key) ?? { ...one, base: 0, tax: 0 };
    changes.set(key, { ...known, base: known.base + sign * one.base, tax: known.tax + sign * one.tax });
  };
  for (const one of orderParts(order, recorded)) add(one, 1);
  for (const { eur: _, ...one } of recorded) add(one, -1);
  return { changes: [...changes.values()].filter(({ base, tax }) => base !== 0 || tax !== 0), recorded };
}

/** Changes with what of them counts, at the ratio that what is recorded was counted by; `first` is for where nothing is recorded yet. */
export function withEur(
  changes: readonly BarePart[],
  recorded: readonly Part[],
  first: { base: number; eur: number | null },
): Part[] {
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

export const countedBase = (parts: readonly BarePart[]): number =>
  parts.reduce((sum, { supplyType, base }) => sum + (supplyType === 'other' ? 0 : base), 0);
