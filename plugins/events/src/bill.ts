import { taxes } from '@storeloom/commerce';
import type { Ctx, MoneyValue } from '@storeloom/plugin-sdk';
import { allocate } from '@storeloom/plugin-sdk/money';
import { type Coupon, redeem } from './coupon.ts';
import type { Wanted } from './sale.ts';
import { settings } from './settings.ts';

export interface Bill {
  discount: MoneyValue;
  tax: MoneyValue;
  total: MoneyValue;
}

/** Totals of a purchase: prices less the coupon, VAT per line on the discounted amount. Without the plugin taxes nothing is taxed. */
export async function billOf(ctx: Ctx, wanted: readonly Wanted[], coupon: Coupon | null): Promise<Bill> {
  const { currency } = ctx.tenant;
  const money = (amount: number): MoneyValue => ({ amount, currency });
  const lines = wanted.map(({ type, quantity }) => type.price.amount * quantity);
  const sum = lines.reduce((a, b) => a + b, 0);
  const discount = coupon ? await redeem(ctx, money(sum), coupon) : 0;
  const shares = allocate(discount, lines, lines);
  const quote = await ctx.use(taxes)?.quote({
    lines: wanted.map(({ type, quantity }, i) => ({
      id: type.id,
      amount: money((lines[i] as number) - (shares[i] as number)),
      quantity,
      ...categoryOf(ctx),
    })),
  });
  const tax = quote?.lines.reduce((total, line) => total + line.tax.amount, 0) ?? 0;
  return { discount: money(discount), tax: money(tax), total: quote?.total ?? money(sum - discount) };
}

function categoryOf(ctx: Ctx): { categoryId?: string } {
  const { taxCategoryId } = ctx.settings(settings);
  return taxCategoryId === null ? {} : { categoryId: taxCategoryId };
}
