import type { PricingLine } from '@storeloom/commerce';
import { blankLine } from '../pricing/sink.ts';
import type { CartLine } from './table.ts';

/** More lines make a cart that nobody can read and every price run dear. */
export const maxLines = 200;

export type LineInput = Pick<CartLine, 'kind' | 'variantId' | 'data' | 'quantity' | 'options' | 'custom'>;

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

/** Lines with the same key are merged: same kind and variant, same options, same custom text. */
export function lineKey(line: Pick<LineInput, 'kind' | 'variantId' | 'data' | 'options' | 'custom'>): string {
  return JSON.stringify(sorted([line.kind, line.variantId, line.data, line.options, line.custom]));
}

/** Adds to the equal line, or at the end under the given id. */
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

/** 0 removes. Undefined: the cart has no such line. */
export function setQuantity(lines: readonly CartLine[], id: string, quantity: number): CartLine[] | undefined {
  if (!lines.some((line) => line.id === id)) return undefined;
  return quantity === 0
    ? lines.filter((line) => line.id !== id)
    : lines.map((line) => (line.id === id ? { ...line, quantity } : line));
}

/** Lines of another cart added, equal ones together, in their order. New lines keep their ids. */
export function mergeLines(into: readonly CartLine[], from: readonly CartLine[]): CartLine[] {
  return from.reduce<CartLine[]>((lines, line) => addLine(lines, line, line.id).lines, [...into]);
}

/** As the pipeline takes them; `id` gives each its id there. */
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

/** Units of one variant over all lines: what quantity rules and tiers count. */
export function unitsOf(lines: readonly { variantId?: string | null; quantity: number }[], variantId: string): number {
  return lines.reduce((sum, line) => sum + (line.variantId === variantId ? line.quantity : 0), 0);
}
