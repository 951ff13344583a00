import {
  type DiscountInput,
  discountsCollect,
  linesResolve,
  type Priced,
  type PricingContext,
  type PricingLine,
  type ShippingQuote,
  shippingQuote,
  surchargesCollect,
  type TaxQuote,
  taxQuote,
  tendersCollect,
} from '@storeloom/commerce';
import type { AnyHook, HookInput, HookResult } from '@storeloom/plugin-sdk';
import type { Address } from '@storeloom/plugin-sdk/people';
import type { PricingHost } from '../src/pricing/host.ts';
import { type PipelineRequest, runPricing } from '../src/pricing/pipeline.ts';
import { blankLine } from '../src/pricing/sink.ts';

/** Taps by hook. Runs them in order like the kernel; an error fails the call. */
export class FakeTaps {
  private readonly taps = new Map<string, ((input: never) => unknown)[]>();
  readonly plugins = new Set<string>(['promotions', 'taxes', 'shipping']);

  on<H extends AnyHook>(hook: H, tap: (input: HookInput<H>) => unknown): this {
    const list = this.taps.get(hook.id) ?? [];
    list.push(tap as (input: never) => unknown);
    this.taps.set(hook.id, list);
    return this;
  }

  async call<H extends AnyHook>(hook: H, input: HookInput<H>): Promise<HookResult<H>> {
    let value: unknown = input;
    const items: unknown[] = [];
    for (const tap of this.taps.get(hook.id) ?? []) {
      const result = await (tap as (input: unknown) => unknown)(hook.kind === 'waterfall' ? value : input);
      if (hook.kind === 'waterfall') value = result ?? value;
      else if (hook.kind === 'collect') items.push(...((result as unknown[] | undefined) ?? []));
      else if (hook.kind === 'bail' && result !== undefined) return result as HookResult<H>;
    }
    return (hook.kind === 'waterfall' ? value : hook.kind === 'collect' ? items : undefined) as HookResult<H>;
  }
}

export function fakeHost(taps: FakeTaps, more: Partial<PricingHost> = {}): PricingHost {
  return {
    call: (hook, input) => taps.call(hook, input),
    isOn: (plugin) => taps.plugins.has(plugin),
    giftId: (promotionId, variantId) => `gift:${promotionId}:${variantId}`,
    giftAvailable: async () => true,
    readQuote: () => undefined,
    ...more,
  };
}

export function context(more: Partial<PricingContext> = {}): PricingContext {
  return {
    purpose: 'cart',
    at: '2026-11-27T10:00:00.000Z',
    channel: 'web',
    currency: 'EUR',
    priceMode: 'gross',
    locale: 'en',
    codes: [],
    rules: {
      taxRoundingLevel: 'line',
      crossBorderPricePolicy: 'constant_gross',
      shippingTaxMode: 'proportional',
      percentStacking: 'sequential',
    },
    facts: {},
    ...more,
  };
}

/** Runs the whole pipeline on a fake host. */
export function price(
  taps: FakeTaps,
  request: Partial<PipelineRequest> & Pick<PipelineRequest, 'lines'>,
  more: Partial<PricingContext> = {},
): Promise<Priced> {
  return runPricing(fakeHost(taps), { context: context(more), ...request });
}

export interface FakeVariant {
  price: number;
  category?: string;
  minPrice?: number;
  ships?: boolean;
}
/** Adds a catalogue of variants by id. Its tap fills unlocked lines of kind `product`. */
export function catalogue(taps: FakeTaps, variants: Record<string, FakeVariant>): FakeTaps {
  return taps.on(linesResolve, ({ context: c, lines }) => ({
    context: c,
    lines: lines.map((line): PricingLine => {
      const variant = line.variantId === undefined ? undefined : variants[line.variantId];
      if (line.kind !== 'product' || line.locked || !variant) return line;
      return {
        ...line,
        title: `Variant ${line.variantId}`,
        listPrice: variant.price,
        unitPrice: variant.price,
        ships: variant.ships ?? true,
        weightG: 100,
        ...(variant.category === undefined ? {} : { taxCategoryId: variant.category }),
        ...(variant.minPrice === undefined ? {} : { minPrice: variant.minPrice }),
      };
    }),
  }));
}

/** Rates by category: `taxes(taps, { '': 200_000, food: 90_000 })`. */
export function taxes(taps: FakeTaps, rates: Record<string, number>, more: Partial<TaxQuote> = {}): FakeTaps {
  return taps.on(taxQuote, ({ categoryIds }) => ({
    rates: Object.fromEntries(categoryIds.map((id) => [id, [{ ratePpm: rates[id] ?? 0, name: `tax ${id}` }]])),
    categoryCodes: {},
    treatment: 'domestic',
    countsForOss: false,
    ...more,
  }));
}

export const product = (id: string, variantId: string, quantity: number): PricingLine =>
  blankLine({ id, kind: 'product', variantId, quantity });

export const orderDiscount = (name: string, value: Pick<DiscountInput, 'amount' | 'percentBp'>): DiscountInput => ({
  source: { type: 'promotions.promotion', id: name },
  name,
  target: 'order',
  ...value,
});

export const address: Address = {
  firstName: 'A',
  lastName: 'B',
  company: null,
  vatId: null,
  line1: 'Street 1',
  line2: null,
  city: 'City',
  region: null,
  postalCode: '10115',
  country: 'DE',
  phone: null,
  email: null,
};
export const post: ShippingQuote = {
  methodId: '0190a000-0000-7000-8000-000000000001',
  code: 'post',
  carrier: null,
  name: { en: 'Post' },
  price: 1000,
  etaMinDays: null,
  etaMaxDays: null,
  pickupPoints: null,
};
/** Context of items that ship to the address by post. */
export const posted = { shippingAddress: address, shippingMethodId: post.methodId };

export { discountsCollect, linesResolve, shippingQuote, surchargesCollect, taxQuote, tendersCollect };
