import {
  allocate,
  money,
  type PriceBreakdown,
  type PricedSheet,
  wirePriceBreakdown,
  wireTaxSummary,
  wireTotals,
} from '@storeloom/plugin-sdk/money';
import type { LineRow, OrderRow } from '../load.ts';
import type { StoredPricing } from '../placing/snapshot.ts';
import { labelText } from '../texts.ts';
import { pricedLine, quantitiesOf } from './view.ts';

function prices(members: PriceBreakdown, currency: string) {
  return {
    ...wirePriceBreakdown(members, currency),
    discounts: members.discounts.map(({ source, code, name, amount }) => ({
      promotionId: source.id,
      code,
      name,
      amount: money(amount, currency),
    })),
  };
}

/** Components of a bundle with their share of its price (R4, weighted by list price × quantity). */
function children(line: LineRow, total: number, currency: string) {
  if (!line.children) return null;
  const parts = line.children as { variantId: string; quantity: number; title: string; sku: string; listPrice?: number }[];
  const shares = allocate(
    total,
    parts.map((part) => (part.listPrice ?? 0) * part.quantity),
  );
  return parts.map(({ variantId, quantity, title, sku }, i) => ({
    variantId,
    quantity,
    title,
    sku,
    total: money(shares[i] ?? 0, currency),
  }));
}

export function wireLine(line: LineRow, sheet: PricedSheet) {
  const { currency } = sheet;
  const priced = pricedLine(sheet, line.id);
  return {
    id: line.id,
    kind: line.kind,
    variantId: line.variantId,
    productId: line.productId,
    sku: line.sku,
    title: line.title,
    image: line.image,
    quantity: line.quantity,
    unitPrice: money(priced.unitPrice, currency),
    listPrice: money(priced.listPrice, currency),
    ...prices(priced, currency),
    options: line.options,
    custom: line.custom,
    data: line.data,
    children: children(line, priced.total, currency),
    ships: line.ships,
    ...quantitiesOf(line),
  };
}

/** The prices of an order from its stored sheet. */
export function wireSheet(row: OrderRow, sheet: PricedSheet, pricing: StoredPricing) {
  const { currency } = sheet;
  return {
    shippingLines: sheet.shippingLines.map((each) => ({
      id: each.id,
      code: each.code,
      name: labelText(each.name, row.locale),
      methodId: each.methodId,
      carrier: pricing.shipping.find((one) => one.id === each.id)?.carrier ?? null,
      ...prices(each, currency),
    })),
    surcharges: sheet.surcharges.map((each) => ({
      id: each.id,
      code: each.code,
      name: labelText(each.name, row.locale),
      ...prices(each, currency),
    })),
    discounts: sheet.discounts
      .filter((each) => each.amount > 0)
      .map(({ source, code, name, target, amount }) => ({
        promotionId: source.id,
        code,
        name,
        target,
        amount: money(amount, currency),
      })),
    taxSummary: wireTaxSummary(sheet.taxSummary, currency),
    totals: wireTotals({ ...sheet.totals, amountDue: row.amountDue.amount }, currency),
  };
}
