import {
  flowLock,
  type Priced,
  type PricedLine,
  type PriceRequest,
  type Pricing,
  type PricingContext,
  type PricingLine,
  pricing,
  settleCommit,
  shippingQuote,
} from '@storeloom/commerce';
import { type Ctx, definePlugin, migrations, provide, referenceNotFound, sql } from '@storeloom/plugin-sdk';
import { createSheet, type DiscountInput, type PriceBreakdown, type PricedSheet, wireTotals } from '@storeloom/plugin-sdk/money';

/**
 * The pipeline without taps. The id of a variant contains its price and tax rate (`variantId`). DE has 19 % tax, CH none, other countries
 * the rate of the id. Shipping is 1500 to RO, 3000 elsewhere; quotes are free from 1,000,000 before discounts. Code HALF: 50 % off the order.
 */
export const variantId = (price: number, rate = 21, kind: 'goods' | 'digital' = 'goods'): string =>
  `0190a000-00${String(rate).padStart(2, '0')}-7000-8${kind === 'goods' ? '000' : '001'}-${String(price).padStart(12, '0')}`;
export const methodId = '0190a000-0000-7000-8000-0000000000ff';

const categoryOf = (id: string): string => `00000000-0000-7000-8000-0000000000${id.slice(11, 13)}`;

async function resolve(ctx: Ctx, lines: readonly PricingLine[]): Promise<PricingLine[]> {
  const rows = await ctx.db.rows<{ id: string; price: number }>(
    sql`select variant_id as id, price from checkout_price where tenant_id = ${ctx.tenant.id}`,
  );
  return lines.map((line, i) => {
    const id = line.variantId ?? '';
    if (!id.startsWith('0190a000-00')) throw referenceNotFound(`/lines/${i}`);
    const price = rows.find((row) => row.id === id)?.price ?? Number(id.slice(24));
    return {
      ...line,
      productId: id,
      title: line.title === '' ? `Thing ${price}` : line.title,
      sku: `SKU-${price}`,
      listPrice: price,
      unitPrice: price,
      taxCategoryId: categoryOf(id),
      ships: id.slice(19, 23) === '8000',
      weightG: 100,
    };
  });
}

function ratesAt(context: PricingContext, ids: readonly string[]) {
  const country = context.shippingAddress?.country ?? context.billingAddress?.country;
  const rate = (id: string): number => (country === 'CH' ? 0 : country === 'DE' ? 190_000 : Number(id.slice(-2)) * 10_000);
  return Object.fromEntries(ids.map((id) => [id, [{ ratePpm: id === '' ? 210_000 : rate(id), name: 'VAT' }]]));
}

const members = (one: PriceBreakdown) => ({
  lineSubtotal: one.lineSubtotal,
  discounts: one.discounts.map((each) => ({ promotionId: each.source.id, ...each })),
  discountTotal: one.discountTotal,
  taxLines: one.taxLines.map((each) => ({ ...each, name: each.name ?? '' })),
  tax: one.tax,
  total: one.total,
});

const shippingAmount = (country: string | undefined): number => (country === 'RO' ? 1500 : 3000);

function shippingOf(context: PricingContext, lines: readonly PricingLine[], request: PriceRequest) {
  if (request.shippingFixed) return request.shippingFixed;
  if (!context.shippingMethodId || !lines.some((line) => line.ships)) return undefined;
  return { name: 'Post', code: 'post', amount: shippingAmount(context.shippingAddress?.country), methodId };
}

function half(): DiscountInput {
  const id = '0190a000-0000-7000-8000-0000000000aa';
  return { source: { type: 'promotions.promotion', id }, code: 'HALF', name: 'Half', target: 'order', percentBp: 5000 };
}

async function price(ctx: Ctx, request: PriceRequest): Promise<Priced> {
  const { context } = request;
  const resolved = (await resolve(ctx, request.lines)).map((line) => {
    const fixed = request.fixedPrices?.[line.id];
    return fixed === undefined ? line : { ...line, unitPrice: fixed, ...(request.promoteFixed ? {} : { locked: true }) };
  });
  const sheet = createSheet(
    { currency: context.currency, priceMode: context.priceMode, ...context.rules, defaultTaxCategoryId: '' },
    resolved,
  );
  if (!request.skipPromotions && context.codes.includes('HALF')) sheet.addDiscount(half());
  const shipping = shippingOf(context, resolved, request);
  if (shipping)
    sheet.setShipping([
      {
        code: shipping.code,
        name: shipping.name,
        amount: shipping.amount,
        ...(shipping.methodId ? { methodId: shipping.methodId } : {}),
      },
    ]);
  sheet.setTaxes(ratesAt(context, sheet.taxCategoryIds()));
  for (const tender of request.requestedTenders ?? [])
    sheet.addTender({ type: tender.type, reference: tender.code ?? 'card', amount: tender.amount ?? 0 });
  return toPriced(context, resolved, sheet.finish());
}

function toPriced(context: PricingContext, lines: readonly PricingLine[], sheet: PricedSheet): Priced {
  return {
    context,
    lines: lines.map((line, i): PricedLine => ({ ...line, ...members(sheet.lines[i]!) })),
    shippingLines: sheet.shippingLines.map((each) => ({
      id: each.id,
      code: each.code,
      name: String(each.name),
      methodId: each.methodId,
      carrier: 'carrier-a',
      taxCategoryId: null,
      of: 'shipping',
      ...members(each),
    })),
    surcharges: [],
    promotions: [],
    taxSummary: sheet.taxSummary,
    treatment: context.shippingAddress?.country === 'CH' ? 'export' : 'domestic',
    taxReason: null,
    taxHold: false,
    countsForOss: false,
    totals: { ...sheet.totals, tenders: sheet.totals.tenders.map((each) => ({ ...each, label: each.type })) },
    trace: sheet.trace,
    sheet,
    warnings: [],
  };
}

export default definePlugin({
  name: 'checkout',
  migrations: migrations(`${new URL('.', import.meta.url).href}src/index.ts`, ['0001_checkout.sql']),
  provides: [
    provide(pricing, (ctx) => {
      const service: Partial<Pricing> = {
        context: async (base) => ({ locale: 'ro', codes: [], facts: {}, ...base }) as PricingContext,
        resolve: (_context, lines) => resolve(ctx, lines),
        price: (request) => price(ctx, request),
        view: (totals, currency) => wireTotals(totals, currency),
      };
      return service as Pricing;
    }),
  ],
  hooks(h) {
    h.on(shippingQuote, (_, { context, itemsTotal, itemsSubtotal = itemsTotal }) => {
      const price = itemsSubtotal >= 1_000_000 ? 0 : shippingAmount(context.shippingAddress?.country);
      const name = { ro: 'Post', en: 'Post' };
      return [
        { methodId, code: 'post', carrier: 'carrier-a', name, price, etaMinDays: null, etaMaxDays: null, pickupPoints: null },
      ];
    });
    h.on(
      flowLock,
      async (ctx, { cartId }) => {
        if (cartId === null) return;
        await ctx.db.run(
          sql`insert into checkout_cart (tenant_id, id, status) values (${ctx.tenant.id}, ${cartId}, 'locked') on conflict do nothing`,
        );
        await ctx.db.rows(sql`select from checkout_cart where tenant_id = ${ctx.tenant.id} and id = ${cartId} for update`);
      },
      { stage: 10 },
    );
    h.on(
      settleCommit,
      async (ctx, { order }) => {
        await ctx.db.run(
          sql`update checkout_cart set status = 'converted' where tenant_id = ${ctx.tenant.id} and id = ${order.cartId}`,
        );
      },
      { stage: 90 },
    );
  },
  locales: { ro: { 'test.name': 'casă' }, en: { 'test.name': 'checkout' } },
});
