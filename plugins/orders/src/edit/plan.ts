import { notFound, problem, referenceNotFound } from '@storeloom/plugin-sdk';
import type { LineRow } from '../load.ts';
import type { Operation } from './operations.ts';

export interface PlannedLine {
  /** Null for a line added by this edit. */
  id: string | null;
  variantId: string | null;
  quantity: number;
  /** Existing units, which keep their price. */
  kept: number;
  /** Price set by staff, in minor units. */
  unitPrice: number | null;
  options: Record<string, unknown> | null;
  custom: Record<string, unknown> | null;
  /** JSON pointer of the operation in the body. */
  pointer: string;
}
export interface EditPlan {
  lines: PlannedLine[];
  removed: string[];
  shipping: { methodId: string | null; name: string | null; amount: number } | null;
  surcharges: { name: string; amount: number; taxCategoryId: string | null }[];
}

/** The minimum quantity of a line: units in parcels, cancelled and refunded ones. */
function minimumQuantity(line: LineRow): number {
  return Math.max(line.quantityCancelled + line.quantityFulfilled, line.quantityRefunded);
}

function checkMinimum(line: LineRow, quantity: number): void {
  const minimum = minimumQuantity(line);
  if (quantity < minimum)
    throw problem('quantity_below_shipped', {
      detail: `${minimum} units of this line are shipped, in a parcel or refunded. The quantity can't be lower.`,
      minimum,
    });
}

/** Applies the operations to the lines in sequence, without prices. */
export function planEdit(lines: readonly LineRow[], operations: readonly { operation: Operation; pointer: string }[]): EditPlan {
  const planned: PlannedLine[] = lines.map((line) => ({
    id: line.id,
    variantId: line.variantId,
    quantity: line.quantity,
    kept: line.quantity,
    unitPrice: null,
    options: line.options,
    custom: line.custom,
    pointer: '',
  }));
  const removed: string[] = [];
  let shipping: EditPlan['shipping'] = null;
  const surcharges: EditPlan['surcharges'] = [];
  const find = (itemId: string | null, pointer: string): { entry: PlannedLine; line: LineRow } => {
    const entry = planned.find((each) => each.id !== null && each.id === itemId);
    const line = lines.find((each) => each.id === itemId);
    if (!entry || !line) throw pointer === '' ? notFound() : referenceNotFound(`${pointer}/itemId`);
    return { entry, line };
  };
  for (const { operation, pointer } of operations) {
    switch (operation.op) {
      case 'add_item':
        planned.push({
          id: null,
          variantId: operation.variantId,
          quantity: operation.quantity as number,
          kept: 0,
          unitPrice: operation.unitPrice?.amount ?? null,
          options: operation.options,
          custom: operation.custom,
          pointer,
        });
        break;
      case 'change_quantity': {
        const { entry, line } = find(operation.itemId, pointer);
        checkMinimum(line, operation.quantity as number);
        entry.quantity = operation.quantity as number;
        entry.kept = Math.min(line.quantity, entry.quantity);
        entry.pointer = pointer;
        break;
      }
      case 'remove_item': {
        const { entry, line } = find(operation.itemId, pointer);
        checkMinimum(line, 0);
        planned.splice(planned.indexOf(entry), 1);
        removed.push(line.id);
        break;
      }
      case 'set_price': {
        const { entry } = find(operation.itemId, pointer);
        entry.unitPrice = operation.unitPrice?.amount ?? null;
        entry.pointer = pointer;
        break;
      }
      case 'change_shipping':
        shipping = {
          methodId: operation.methodId,
          name: operation.name,
          amount: operation.price?.amount ?? 0,
        };
        break;
      case 'add_surcharge':
        surcharges.push({
          name: operation.name as string,
          amount: operation.amount?.amount ?? 0,
          taxCategoryId: operation.taxCategoryId,
        });
        break;
      case 'cancel_fulfillment':
        break;
    }
  }
  if (planned.length === 0) throw problem('last_line', { detail: 'An order needs at least one line. Cancel the order instead.' });
  return { lines: planned, removed, shipping, surcharges };
}
