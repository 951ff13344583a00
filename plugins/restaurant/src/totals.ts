import { taxes } from '@storeloom/commerce';
import type { Ctx, MoneyValue } from '@storeloom/plugin-sdk';
import { allocate, percentBp } from '@storeloom/plugin-sdk/money';
import type { Order, OrderItem } from './order-fields.ts';
import { settings } from './settings.ts';

export type Totals = Pick<Order, 'subtotal' | 'discount' | 'service' | 'tip' | 'tax' | 'total'>;
type Terms = Pick<Order, 'discountBp' | 'serviceBp' | 'tip'>;

/**
 * Totals of a check: items that aren't cancelled, less the discount, plus the service charge on that; VAT per line on the discounted amount.
 * The tip is untaxed. Without the plugin taxes nothing is taxed.
 */
export async function totalsOf(ctx: Ctx, items: readonly OrderItem[], { discountBp, serviceBp, tip }: Terms): Promise<Totals> {
  const { currency } = ctx.tenant;
  const money = (amount: number): MoneyValue => ({ amount, currency });
  const kept = items.filter(({ status }) => status !== 'cancelled');
  const amounts = kept.map(({ unitPrice, qty }) => unitPrice.amount * qty);
  const subtotal = amounts.reduce((a, b) => a + b, 0);
  const discount = percentBp(subtotal, discountBp);
  const shares = allocate(discount, amounts, amounts);
  const service = percentBp(subtotal - discount, serviceBp);
  const { taxCategoryId } = ctx.settings(settings);
  const category = (own: string | null): { categoryId?: string } => {
    const id = own ?? taxCategoryId;
    return id === null ? {} : { categoryId: id };
  };
  const lines = [
    ...kept.map((item, i) => ({
      id: item.id,
      amount: money((amounts[i] as number) - (shares[i] as number)),
      quantity: item.qty,
      ...category(item.taxCategoryId),
    })),
    ...(service > 0 ? [{ id: 'service', amount: money(service), quantity: 1, ...category(null) }] : []),
  ];
  const quote = lines.length > 0 ? await ctx.use(taxes)?.quote({ lines }) : undefined;
  const due = quote?.total.amount ?? subtotal - discount + service;
  return {
    subtotal: money(subtotal),
    discount: money(discount),
    service: money(service),
    tip,
    tax: money(quote?.lines.reduce((sum, { tax }) => sum + tax.amount, 0) ?? 0),
    total: money(due + tip.amount),
  };
}
