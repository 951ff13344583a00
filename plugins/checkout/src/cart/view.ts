import type { AppliedDiscount, Priced, PricedLine, Totals } from '@storeloom/commerce';
import type { Ctx, MoneyValue, RowOf, Warning } from '@storeloom/plugin-sdk';
import { money, wireTaxSummary } from '@storeloom/plugin-sdk/money';
import { localizedText, tokenMatches } from '@storeloom/plugin-sdk/public';
import type { PaymentOffer } from '../payment/offers.ts';
import { totalsView } from '../pricing/service.ts';
import { type CartPrice, isPlaced } from './price.ts';
import type { cartShape } from './shape.ts';
import { shortOf } from './stock.ts';
import type { CartLine, CartRow } from './table.ts';

type CartView = RowOf<typeof cartShape>;
type LineView = CartView['lines'][number];

const discountView = (currency: string) => (one: AppliedDiscount) => ({
  promotionId: one.promotionId,
  code: one.code,
  name: one.name,
  amount: money(one.amount, currency),
});

/** An item line for the storefront. Lists each property, so that internal ones aren't exposed. */
export function lineView(line: PricedLine, currency: string, available: boolean): LineView {
  const toMoney = (amount: number) => money(amount, currency);
  return {
    id: line.id,
    kind: line.kind,
    variantId: line.variantId ?? null,
    productId: line.productId ?? null,
    data: line.data ?? null,
    title: line.title,
    sku: line.sku ?? null,
    image: line.image ?? null,
    quantity: line.quantity,
    unitPrice: toMoney(line.unitPrice),
    listPrice: toMoney(line.listPrice),
    lineSubtotal: toMoney(line.lineSubtotal),
    discounts: line.discounts.map(discountView(currency)),
    discountTotal: toMoney(line.discountTotal),
    taxLines: line.taxLines.map(({ ratePpm, amount }) => ({ ratePpm, amount: toMoney(amount) })),
    tax: toMoney(line.tax),
    total: toMoney(line.total),
    available,
    gift: line.facts.gift !== undefined,
    options: line.options ?? null,
    custom: line.custom ?? null,
    children: line.children?.map(({ variantId, quantity, title, sku }) => ({ variantId, quantity, title, sku })) ?? null,
  };
}

/** Units that can be sold, if they are fewer than the line wants. */
const unsellable = ({ sellable, quantity }: PricedLine): number | undefined =>
  sellable !== undefined && sellable < quantity ? sellable : undefined;

/** A line whose item is no longer sold: keeps its title, with amounts of 0. */
function unavailableLineView(line: CartLine, currency: string): LineView {
  const zero = money(0, currency);
  return {
    id: line.id,
    kind: line.kind,
    variantId: line.variantId,
    productId: null,
    data: line.data,
    title: line.title,
    sku: null,
    image: null,
    quantity: line.quantity,
    unitPrice: zero,
    listPrice: zero,
    lineSubtotal: zero,
    discounts: [],
    discountTotal: zero,
    taxLines: [],
    tax: zero,
    total: zero,
    available: false,
    gift: false,
    options: line.options,
    custom: line.custom,
    children: null,
  };
}

export function promotionsView(priced: Priced, currency: string): CartView['promotions'] {
  return priced.promotions.map(({ code, name, applied, amount, reason, extra }) => ({
    code,
    name,
    applied,
    amount: money(amount, currency),
    reason,
    pending: (extra?.pending as CartView['promotions'][number]['pending'] | undefined) ?? [],
    missing: (extra?.missing as MoneyValue | undefined) ?? null,
    missingQuantity: (extra?.missingQuantity as number | undefined) ?? null,
  }));
}

/** A payment method for the storefront. */
function offerView(
  ctx: Ctx,
  { code, name, provider, online, instructions, fee, clientKey }: PaymentOffer,
): CartView['paymentMethods'][number] {
  const localize = (text: Record<string, string>) => localizedText(text, ctx.locale, ctx.tenant.defaultLocale);
  return {
    code,
    name: localize(name) ?? code,
    provider,
    online,
    instructions: instructions && localize(instructions),
    fee,
    clientKey,
  };
}

const noTotals: Totals = {
  itemsSubtotal: 0,
  itemsDiscount: 0,
  shipping: 0,
  shippingDiscount: 0,
  surcharges: 0,
  taxTotal: 0,
  total: 0,
  cashRounding: 0,
  tenders: [],
  amountDue: 0,
};

/** The response for a visitor without a cart. */
export function emptyCartView(ctx: Ctx): CartView {
  const { currency } = ctx.tenant;
  return {
    id: null,
    cartToken: null,
    status: 'open',
    currency,
    locale: ctx.locale,
    customerId: null,
    email: null,
    lines: [],
    promotions: [],
    shippingAddress: null,
    shippingMethodId: null,
    paymentMethod: null,
    country: null,
    totals: totalsView(noTotals, currency),
    taxSummary: [],
    paymentMethods: [],
    warnings: [],
    version: 0,
  };
}

/** The caller's own token when it matches, else the decrypted one. */
function cartTokenOf(ctx: Ctx, cart: CartRow): string | null {
  if (ctx.tokens.cart !== undefined && tokenMatches(ctx.tokens.cart, cart.tokenHash)) return ctx.tokens.cart;
  return cart.tokenSealed === null ? null : ctx.unseal(cart.tokenSealed);
}

/** The token of a customer's cart gives access to the cart, but only its customer and staff see personal data. */
function canSeePersonalData(ctx: Ctx, cart: CartRow): boolean {
  const { actor } = ctx;
  if (cart.customerId === null || actor.type === 'staff' || actor.type === 'system') return true;
  return actor.type === 'customer' && actor.customerId === cart.customerId;
}

export function cartView(
  ctx: Ctx,
  cart: CartRow,
  { priced, unavailable, short, offers }: CartPrice,
  more: readonly Warning[] = [],
): CartView {
  const { currency } = cart;
  const warnings: Warning[] = [...priced.warnings, ...more];
  const pricedById = new Map(priced.lines.map((line) => [line.id, line]));
  const own = cart.lines.map((line, i) => {
    const found = unavailable.has(line.id) ? undefined : pricedById.get(line.id);
    if (!found) {
      warnings.push({ code: 'unavailable', message: `${line.title} is no longer available`, pointer: `/lines/${i}` });
      return unavailableLineView(line, currency);
    }
    const left = shortOf(found, short) ?? (isPlaced(cart) ? undefined : unsellable(found));
    if (left !== undefined)
      warnings.push({ code: 'insufficient_stock', message: `${found.title}: ${left} available`, pointer: `/lines/${i}` });
    return lineView(found, currency, left === undefined);
  });
  const ids = new Set(cart.lines.map((line) => line.id));
  const added = priced.lines.filter((line) => !ids.has(line.id)).map((line) => lineView(line, currency, true));
  const personal = canSeePersonalData(ctx, cart);
  return {
    id: cart.id,
    cartToken: cartTokenOf(ctx, cart),
    status: cart.status,
    currency,
    locale: cart.locale,
    customerId: personal ? cart.customerId : null,
    email: personal ? cart.email : null,
    lines: [...own, ...added],
    promotions: promotionsView(priced, currency),
    shippingAddress: personal ? cart.shippingAddress : null,
    shippingMethodId: cart.shippingMethodId,
    paymentMethod: cart.paymentMethod,
    country: cart.country,
    totals: totalsView(priced.totals, currency),
    taxSummary: wireTaxSummary(priced.taxSummary, currency),
    paymentMethods: offers.map((offer) => offerView(ctx, offer)),
    warnings,
    version: cart.version,
  };
}
