import type { OrderView, RefundInput } from '@storeloom/plugin-orders/contract';
import { allocate, mulRatio } from '@storeloom/plugin-sdk/money';
import type { OssEntry, SupplyType } from './oss-tables.ts';

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
    corrections.push(...takeShares(shipping, left.filter(({ part }) => part.startsWith('shipping:'))));
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

/**
 * What an edit changed: the order's lines as they stand, and delivery and fees as the rest of its total, against what was recorded of
 * sale and edits. Delivery and fees keep the mix of their rates.
 */
export function editParts(entries: readonly OssEntry[], order: { total: number; lines: readonly LineFigures[] }): Part[] {
  const recorded = partsOf(entries.filter(({ kind }) => kind === 'sale' || kind === 'edit'));
  const counted = recorded.filter(({ supplyType }) => supplyType !== 'other');
  const whole = counted.reduce((sum, { base }) => sum + base, 0);
  const wholeEur = counted.reduce<number | null>((sum, { eur }) => (sum === null || eur === null ? null : sum + eur), 0);
  const usual: SupplyType = counted.some(({ supplyType }) => supplyType === 'goods') ? 'goods' : 'services';
  const eurOf = (base: number, supplyType: SupplyType): number | null =>
    supplyType === 'other' || whole === 0 ? 0 : wholeEur === null ? null : mulRatio(wholeEur, base, whole);
  const change = (part: string, ratePpm: number, supplyType: SupplyType, base: number, tax: number): Part => ({
    part,
    ratePpm,
    supplyType,
    base,
    tax,
    eur: eurOf(base, supplyType),
  });

  const changes: Part[] = [];
  const seen = new Set<Part>();
  for (const line of order.lines) {
    const ratePpm = line.taxLines.reduce((sum, rate) => sum + rate.ratePpm, 0);
    const before = recorded.find((one) => one.part === line.id && one.ratePpm === ratePpm);
    if (before) seen.add(before);
    const supplyType = before?.supplyType ?? recorded.find((one) => one.part === line.id)?.supplyType ?? usual;
    const base = line.total - line.tax;
    changes.push(change(line.id, ratePpm, supplyType, base - (before?.base ?? 0), line.tax - (before?.tax ?? 0)));
  }
  for (const gone of recorded.filter((one) => !isCharge(one) && !seen.has(one)))
    changes.push(change(gone.part, gone.ratePpm, gone.supplyType, 0 - gone.base, 0 - gone.tax));

  const charges = recorded.filter(isCharge);
  const rest = order.total - order.lines.reduce((sum, line) => sum + line.total, 0);
  const difference = rest - charges.reduce((sum, one) => sum + paid(one), 0);
  const mix = charges.some((one) => paid(one) > 0) ? charges : recorded;
  for (const [i, share] of allocate(difference, mix.map((one) => Math.max(0, paid(one)))).entries()) {
    const of = mix[i] as Part;
    if (share === 0) continue;
    const tax = mulRatio(of.tax, share, paid(of));
    changes.push(change(isCharge(of) ? of.part : 'surcharge:edit', of.ratePpm, of.supplyType, share - tax, tax));
  }
  return changes.filter(({ base, tax }) => base !== 0 || tax !== 0);
}
