import { prorate, unitsTotal } from '@storeloom/plugin-sdk/money';

export interface ShareLine {
  id: string;
  /** Ordered units, including cancelled ones. */
  quantity: number;
  quantityCancelled: number;
  /** The price of all units. */
  total: number;
  ships: boolean;
}
export interface ShippedLine {
  lineId: string;
  quantity: number;
}

/** The cumulative value shipped up to and including a shipment, of the total value. */
export interface ShipmentShare {
  to: number;
  total: number;
  /** It is the last shipment. */
  last: boolean;
}

/**
 * The share of all shipments up to and including `now` (R4, by cumulative rounding). Lines are weighted by price, or by units if
 * all are free. Lines that don't ship are excluded: their amount is captured with the goods.
 */
export function shareOf(lines: readonly ShareLine[], before: readonly ShippedLine[], now: readonly ShippedLine[]): ShipmentShare {
  const shipped = new Map<string, number>();
  for (const { lineId, quantity } of [...before, ...now]) shipped.set(lineId, (shipped.get(lineId) ?? 0) + quantity);
  const shippable = lines
    .filter((line) => line.ships)
    .map((line) => {
      const units = Math.max(0, line.quantity - line.quantityCancelled);
      return { ...line, units, done: Math.min(units, shipped.get(line.id) ?? 0) };
    });
  const last = shippable.every((line) => line.done === line.units);
  const valueBy = (field: 'units' | 'done'): number =>
    shippable.reduce((sum, line) => sum + (line.quantity > 0 ? unitsTotal(line.total, line.quantity, 0, line[field]) : 0), 0);
  const countBy = (field: 'units' | 'done'): number => shippable.reduce((sum, line) => sum + line[field], 0);
  const total = valueBy('units');
  return total > 0 ? { to: valueBy('done'), total, last } : { to: countBy('done'), total: countBy('units'), last };
}

/** The part of `amount` to capture by then, less what was requested already. */
export function shareAmount(amount: number, { to, total }: ShipmentShare, requested: number): number {
  return total === 0 ? 0 : Math.max(0, prorate(amount, 0, Math.min(to, total), total) - requested);
}
