import type { OrderLineView, OrderView } from '@storeloom/commerce';
import { pick } from '@storeloom/plugin-sdk/public';
import type { LineRow, OrderData } from '../load.ts';
import { promotionIdsOf } from '../placing/snapshot.ts';

/** The order for other plugins. */
export function orderView({ row, lines, sheet }: OrderData): OrderView {
  return {
    id: row.id,
    number: row.number,
    status: row.status,
    paymentStatus: row.paymentStatus,
    fulfillmentStatus: row.fulfillmentStatus,
    channel: row.channel,
    customerId: row.customerId,
    email: row.email,
    phone: row.phone,
    currency: row.currency,
    priceMode: row.priceMode,
    billingAddress: row.billingAddress,
    shippingAddress: row.shippingAddress,
    shippingMethodId: sheet.shippingLines[0]?.methodId ?? null,
    total: row.total.amount,
    amountDue: row.amountDue.amount,
    captured: row.captured.amount,
    refunded: row.refunded.amount,
    tendered: row.tendered.amount,
    placedAt: row.placedAt,
    cartId: row.cartId,
    draftId: row.draftId,
    locale: row.locale,
    holdReason: row.holdReason,
    previousStatus: row.previousStatus,
    paymentMethod: row.paymentMethod,
    promotionIds: promotionIdsOf({ sheet, lines }),
    lines: lines.map((line) => lineView(line, sheet)),
  };
}

/** The fulfilment quantities of a line. */
export const quantitiesOf = (line: LineRow) =>
  pick(line, [
    'quantityFulfilled',
    'quantityShipped',
    'quantityDelivered',
    'quantityReturned',
    'quantityCancelled',
    'quantityRefunded',
  ]);

function lineView(line: LineRow, sheet: OrderData['sheet']): OrderLineView {
  const priced = pricedLine(sheet, line.id);
  return {
    id: line.id,
    kind: line.kind,
    variantId: line.variantId,
    productId: line.productId,
    sku: line.sku,
    title: line.title,
    quantity: line.quantity,
    unitPrice: priced.unitPrice,
    lineSubtotal: priced.lineSubtotal,
    discountTotal: priced.discountTotal,
    tax: priced.tax,
    total: priced.total,
    taxLines: priced.taxLines.map(({ ratePpm, amount, name }) => ({ ratePpm, amount, name: name ?? '' })),
    ships: line.ships,
    weightG: line.weightG,
    children: line.children as OrderLineView['children'],
    data: line.data,
    options: line.options as Record<string, string> | null,
    ...quantitiesOf(line),
  };
}

/** The prices of a line. Throws for a line that isn't on the sheet. */
export function pricedLine(sheet: OrderData['sheet'], lineId: string): OrderData['sheet']['lines'][number] {
  const found = sheet.lines.find((each) => each.id === lineId);
  if (!found) throw new Error(`the sheet has no line ${lineId}`);
  return found;
}
