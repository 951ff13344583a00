import { prorate, unitsTotal } from '@storeloom/plugin-sdk/money';

export interface ShareLine {
  id: string;
  /** Units ordered, those that were cancelled included. */
  quantity: number;
  quantityCancelled: number;
  /** What all its units were paid. */
  total: number;
  ships: boolean;
}
export interface Shipped {
  lineId: string;
  quantity: number;
}

/** Where a shipment stands in what the order ships: worth shipped with it, of the whole worth. */
export interface Share {
  to: number;
  whole: number;
  /** Nothing is left to ship after it. */
  last: boolean;
}

/**
 * The share of all shipments up to and with `now` (R4, by cumulative rounding): lines weigh what their units were paid, or one each where
 * all of them were free. Lines that don't ship weigh nothing: their money comes with the goods.
 */
export function shareOf(lines: readonly ShareLine[], before: readonly Shipped[], now: readonly Shipped[]): Share {
  const shipped = new Map<string, number>();
  for (const { lineId, quantity } of [...before, ...now]) shipped.set(lineId, (shipped.get(lineId) ?? 0) + quantity);
  const ships = lines
    .filter((line) => line.ships)
    .map((line) => {
      const units = Math.max(0, line.quantity - line.quantityCancelled);
      return { ...line, units, done: Math.min(units, shipped.get(line.id) ?? 0) };
    });
  const last = ships.every((line) => line.done === line.units);
  const worth = (of: 'units' | 'done'): number =>
    ships.reduce((sum, line) => sum + (line.quantity > 0 ? unitsTotal(line.total, line.quantity, 0, line[of]) : 0), 0);
  const count = (of: 'units' | 'done'): number => ships.reduce((sum, line) => sum + line[of], 0);
  const whole = worth('units');
  return whole > 0 ? { to: worth('done'), whole, last } : { to: count('done'), whole: count('units'), last };
}

/** What of `amount` should have been taken by then, less what was asked for already. */
export function shareAmount(amount: number, { to, whole }: Share, asked: number): number {
  return whole === 0 ? 0 : Math.max(0, prorate(amount, 0, Math.min(to, whole), whole) - asked);
}
