import type { DiscountedLine, DiscountInput, DiscountSink, PricingLine, ShippingState } from '@storeloom/commerce';
import {
  createSheet,
  type DiscountInput as MoneyDiscount,
  type PercentStacking,
  type PricedSheet,
  type Sheet,
} from '@storeloom/plugin-sdk/money';
import type { Offer } from '../src/pricing/evaluate.ts';
import { PromotionRun } from '../src/pricing/run.ts';
import type { PromotionRow } from '../src/promotion/promotion.ts';
import { type Rule, ruleOf } from '../src/promotion/rule.ts';
import type { PromotionMode } from '../src/settings.ts';

/** Defaults of a promotion with only type and value. */
export const defaults = {
  stage: 'cart',
  basis: null,
  conditions: [],
  excludedProductIds: [],
  excludeSaleItems: false,
  buy: null,
  get: null,
  maxApplicationsPerOrder: null,
  maxUnits: null,
  maxDiscount: null,
  usageLimit: null,
  usageLimitPerCustomer: null,
  budget: null,
  startsAt: null,
  endsAt: null,
  priority: 0,
  exclusive: false,
  combineWith: ['order', 'items', 'shipping'],
  stopFurther: false,
  enabled: true,
  archived: false,
  reusableAfterCancel: true,
  showToPublic: false,
} satisfies Partial<PromotionRow>;

let count = 0;
/** A promotion with defaults; each one is created a second after the previous one. */
function promotionRow(
  more: Partial<PromotionRow> & {
    percentBp?: number;
    amount?: number;
    tiers?: { min: number; percentBp?: number; amount?: number }[];
  } = {},
): PromotionRow {
  count += 1;
  const { percentBp, amount, tiers, ...given } = more;
  const target = given.target ?? 'order';
  const money = (one: number) => ({ amount: one, currency: 'EUR' });
  return {
    id: `0190a000-0000-7000-8000-${String(count).padStart(12, '0')}`,
    createdAt: new Date(Date.UTC(2026, 0, 1) + count * 1000).toISOString(),
    updatedAt: '2026-01-01T00:00:00.000Z',
    version: 1,
    name: `Promotion ${count}`,
    code: null,
    type: 'percentage',
    target,
    value: {
      percentBp: percentBp ?? null,
      amounts: amount === undefined ? null : [money(amount)],
      tiers:
        tiers?.map((tier) => ({
          min: tier.min,
          percentBp: tier.percentBp ?? null,
          amount: tier.amount === undefined ? null : money(tier.amount),
        })) ?? null,
    },
    allocation: target === 'items' ? 'each' : 'across',
    ...defaults,
    metadata: null,
    coded: false,
    enabledAt: null,
    ...given,
  };
}
export function rule(more: Parameters<typeof promotionRow>[0] = {}): Rule {
  return ruleOf(promotionRow(more));
}
export function offer(one: Rule, code: string | null = null, room: number | null = null): Offer {
  return { rule: one, code, room };
}

export interface CartItem {
  id?: string;
  price: number;
  quantity?: number;
  productId?: string;
  category?: string;
  brand?: string;
  onSale?: boolean;
  minPrice?: number;
  locked?: boolean;
  tax?: string;
}
export function line(item: CartItem, i = 0): PricingLine {
  return {
    id: item.id ?? `l${i + 1}`,
    kind: 'product',
    variantId: `v${i + 1}`,
    productId: item.productId ?? `p${i + 1}`,
    quantity: item.quantity ?? 1,
    title: 'Thing',
    listPrice: item.price,
    unitPrice: item.price,
    ...(item.minPrice === undefined ? {} : { minPrice: item.minPrice }),
    ...(item.locked ? { locked: true } : {}),
    ...(item.tax === undefined ? {} : { taxCategoryId: item.tax }),
    ships: true,
    weightG: 0,
    facts: {
      catalog: { categoryIds: item.category ? [item.category] : [], brandId: item.brand ?? null, onSale: item.onSale ?? false },
    },
  };
}

/** A discount sink on the money sheet, driven as by checkout. Gifts are available unless named `gone`. */
class TestSink implements DiscountSink {
  readonly rejected = new Map<string, { reason: string; extra: Record<string, unknown> }>();
  readonly resolved: PricingLine[];
  sheet: Sheet;
  private state: ShippingState | null = null;
  private readonly options: SinkOptions;
  private readonly steps: (MoneyDiscount | ShippingState)[] = [];
  constructor(lines: readonly PricingLine[], options: SinkOptions = {}, sheet?: Sheet) {
    this.resolved = [...lines];
    this.options = options;
    this.sheet = sheet ?? this.open();
  }
  private open(): Sheet {
    const { priceMode = 'gross', stacking = 'sequential' } = this.options;
    return createSheet(
      {
        currency: 'EUR',
        priceMode,
        defaultTaxCategoryId: '',
        percentStacking: stacking,
        shippingTaxMode: 'fixed_category',
        shippingTaxCategoryId: 'shipping',
      },
      this.resolved,
    );
  }
  add({ maxAmount, ...discount }: DiscountInput): number {
    const input = { ...discount, ...(maxAmount === undefined ? {} : { maxDiscount: maxAmount }) } as MoneyDiscount;
    this.steps.push(input);
    return this.sheet.addDiscount(input).amount;
  }
  preview({ maxAmount, ...discount }: DiscountInput): number {
    return this.sheet.preview({ ...discount, ...(maxAmount === undefined ? {} : { maxDiscount: maxAmount }) } as MoneyDiscount)
      .amount;
  }
  fork(): TestSink {
    const copy = new TestSink(this.resolved, this.options, this.sheet.fork());
    copy.state = this.state;
    return copy;
  }
  async addGift(gift: { promotionId: string; variantId: string; quantity: number; name: string }): Promise<void> {
    if (gift.variantId === 'gone') return;
    this.resolved.push({
      ...line({ price: 0, id: `gift:${gift.variantId}`, quantity: gift.quantity, locked: true }),
      facts: { gift: { promotionId: gift.promotionId } },
    });
    this.sheet = this.open();
    for (const step of this.steps) {
      if ('carrier' in step) this.sheet.setShipping([{ code: step.code, name: step.name, amount: step.amount }]);
      else this.sheet.addDiscount(step);
    }
  }
  reject(code: string, reason: string, extra: Record<string, unknown> = {}): void {
    this.rejected.set(code, { reason, extra });
  }
  lines(): readonly DiscountedLine[] {
    const running = this.sheet.lines();
    return this.resolved.map((each, i) => {
      const { lineSubtotal, running: left, room } = running[i]!;
      return { ...each, lineSubtotal, running: left, room };
    });
  }
  itemsTotal(lineIds?: readonly string[]): number {
    return this.sheet.itemsTotal(lineIds);
  }
  units(order: 'least_expensive' | 'most_expensive', lineIds?: readonly string[]) {
    return this.sheet.units(order, lineIds);
  }
  shipping(): ShippingState | null {
    return this.state;
  }
  ship(amount: number): void {
    this.state = { methodId: null, code: 'post', name: 'Post', amount, discount: 0, carrier: null, pickupPointId: null };
    this.steps.push(this.state);
    this.sheet.setShipping([{ code: 'post', name: 'Post', amount }]);
  }
}
interface SinkOptions {
  priceMode?: 'gross' | 'net';
  stacking?: PercentStacking;
}

export interface Result {
  priced: PricedSheet;
  sink: TestSink;
  /** The discount of each promotion by its id; gifts 0. */
  off: Record<string, number>;
}
export interface CartOptions extends SinkOptions {
  shipping?: number;
  mode?: PromotionMode;
  /** Tax rates by category; goods have the category `''` by default. */
  taxes?: Record<string, number>;
}
/** Prices a cart: three discount phases, shipping between the second and the third, then tax. */
export async function price(
  items: readonly (CartItem | PricingLine)[],
  offers: readonly Offer[],
  options: CartOptions = {},
): Promise<Result> {
  const lines = items.map((item, i) => ('unitPrice' in item ? item : line(item, i)));
  const sink = new TestSink(lines, options);
  const run = new PromotionRun(
    {
      offers,
      refused: [],
      mode: options.mode ?? 'priority',
      money: { currency: 'EUR', home: 'EUR' },
      shippingExpected: options.shipping !== undefined,
      variantOf: async (productId) => `variant of ${productId}`,
    },
    sink,
  );
  await run.phase(sink, 'items');
  await run.phase(sink, 'order');
  if (options.shipping !== undefined) sink.ship(options.shipping);
  await run.phase(sink, 'shipping');
  const rates = Object.fromEntries(sink.sheet.taxCategoryIds().map((id) => [id, [{ ratePpm: options.taxes?.[id] ?? 0 }]]));
  sink.sheet.setTaxes(rates);
  const priced = sink.sheet.finish();
  const off: Record<string, number> = {};
  for (const { source, amount } of priced.discounts) off[source.id] = (off[source.id] ?? 0) + amount;
  return { priced, sink, off };
}
