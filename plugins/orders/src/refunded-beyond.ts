import { type PricedSheet, type RefundPreview, unitsTotal } from '@storeloom/plugin-sdk/money';

type Given = Pick<RefundPreview, 'lines' | 'shipping'>;

/**
 * By part of the order (line or shipping line) what refunds gave back for it beyond what the refunded units, or the shipping, cost now: an
 * edit has made them cheaper since. That money is out of the house, so it pays for nothing else, and the edit doesn't give it back again.
 */
export function refundedBeyond(
  sheet: Pick<PricedSheet, 'lines' | 'shippingLines'>,
  refunds: readonly Given[],
): Map<string, number> {
  const beyond = new Map<string, number>();
  const lines = new Map<string, { units: number; amount: number }>();
  for (const { lineId, quantity, amount } of refunds.flatMap((each) => each.lines)) {
    const sum = lines.get(lineId) ?? { units: 0, amount: 0 };
    lines.set(lineId, { units: sum.units + quantity, amount: sum.amount + amount });
  }
  for (const [id, { units, amount }] of lines) {
    const line = sheet.lines.find((each) => each.id === id);
    const cost = line ? unitsTotal(line.total, line.quantity, 0, Math.min(units, line.quantity)) : 0;
    // Shares of units are rounded: a minor unit each is no difference.
    if (amount - cost > units) beyond.set(id, amount - cost);
  }
  const shipping = refunds.reduce((sum, each) => sum + (each.shipping?.amount ?? 0), 0);
  const cost = sheet.shippingLines.reduce((sum, each) => sum + each.total, 0);
  if (shipping > cost) beyond.set(sheet.shippingLines[0]?.id ?? 'shipping:1', shipping - cost);
  return beyond;
}

export const sumOfParts = (parts: ReadonlyMap<string, number>): number =>
  [...parts.values()].reduce((sum, each) => sum + each, 0);
