import type { PricingLine } from '@storeloom/commerce';
import { blankLine } from '../pricing/sink.ts';
import type { CartLine } from './table.ts';

/** Limits the cost of a pricing run. */
export const maxLines = 200;

export type LineInput = Pick<CartLine, 'kind' | 'variantId' | 'data' | 'quantity' | 'options' | 'custom'>;

function sortKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, property]) => [key, sortKeys(property)]),
  );
}

/** Lines with the same key merge: same kind, variant, data, options and custom text. */
export function lineKey(line: Pick<LineInput, 'kind' | 'variantId' | 'data' | 'options' | 'custom'>): string {
  return JSON.stringify(sortKeys([line.kind, line.variantId, line.data, line.options, line.custom]));
}

/** Adds the quantity to an equal line, else appends a line with the given id. */
export function addLine(
  lines: readonly CartLine[],
  input: LineInput,
  id: string,
): { lines: CartLine[]; line: CartLine; merged: boolean } {
  const key = lineKey(input);
  const equal = lines.find((line) => lineKey(line) === key);
  if (!equal) {
    const line: CartLine = { ...input, id, title: '' };
    return { lines: [...lines, line], line, merged: false };
  }
  const line = { ...equal, quantity: equal.quantity + input.quantity };
  return { lines: lines.map((each) => (each === equal ? line : each)), line, merged: true };
}

/** Sets the quantity of a line; 0 removes it. Returns undefined when the cart has no such line. */
export function setQuantity(lines: readonly CartLine[], id: string, quantity: number): CartLine[] | undefined {
  if (!lines.some((line) => line.id === id)) return undefined;
  return quantity === 0
    ? lines.filter((line) => line.id !== id)
    : lines.map((line) => (line.id === id ? { ...line, quantity } : line));
}

/** Adds the lines of another cart in their order. Equal lines merge; new lines keep their ids. */
export function mergeLines(into: readonly CartLine[], from: readonly CartLine[]): CartLine[] {
  return from.reduce<CartLine[]>((lines, line) => addLine(lines, line, line.id).lines, [...into]);
}

/** Converts cart lines to pricing lines; `id` returns the id of each pricing line. */
export function pricingLines(lines: readonly CartLine[], id: (line: CartLine) => string = (line) => line.id): PricingLine[] {
  return lines.map((line) =>
    blankLine({
      id: id(line),
      kind: line.kind,
      quantity: line.quantity,
      ...(line.variantId === null ? {} : { variantId: line.variantId }),
      ...(line.data === null ? {} : { data: line.data }),
      ...(line.options === null ? {} : { options: line.options as Record<string, string> }),
      ...(line.custom === null ? {} : { custom: line.custom }),
    }),
  );
}

/** Units of a variant over all lines. Quantity rules and tier prices use this sum. */
export function unitsOf(lines: readonly { variantId?: string | null; quantity: number }[], variantId: string): number {
  return lines.reduce((sum, line) => sum + (line.variantId === variantId ? line.quantity : 0), 0);
}
