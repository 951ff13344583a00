import type { PricingLine } from '@storeloom/commerce';
import type { TableInsert } from '@storeloom/plugin-sdk';
import type { line } from '../tables.ts';

/** Columns of an order line from the pricing pipeline, without the prices of the sheet. */
export function lineColumns(orderId: string, priced: PricingLine, position: number): TableInsert<typeof line> & { id: string } {
  return {
    id: priced.id,
    orderId,
    position,
    kind: priced.kind,
    variantId: priced.variantId ?? null,
    productId: priced.productId ?? null,
    sku: priced.sku ?? null,
    title: priced.title,
    image: priced.image ?? null,
    ships: priced.ships,
    weightG: priced.weightG,
    taxCategoryId: priced.taxCategoryId ?? null,
    children: priced.children?.map((child) => ({ ...child })) ?? null,
    data: priced.data ?? null,
    options: priced.options ?? null,
    custom: priced.custom ?? null,
    facts: { ...priced.facts },
    quantity: priced.quantity,
  };
}
