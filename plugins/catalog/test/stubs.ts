/** Plugins beside the catalogue that do as little as its tests need. */
import {
  type Availability,
  fx,
  levelEvents,
  linesResolve,
  orders,
  type Pricing,
  type PricingContext,
  pricing,
  stock,
} from '@storeloom/commerce';
import { type Ctx, definePlugin, type Plugin, provide, sql } from '@storeloom/plugin-sdk';

export const world = {
  /** Units of a variant; what isn't named is sold out. */
  units: new Map<string, number>(),
  ordered: new Set<string>(),
  /** Whether guests see the general prices. */
  plain: true,
  /** Taken off the unit price of a product by a promotion. */
  off: new Map<string, { amount: number; since: string }>(),
  calls: { resolve: 0, availability: 0 },
  /** Happens once between the reading of a page and its pricing. */
  meanwhile: undefined as (() => Promise<unknown>) | undefined,
};

const availabilityOf = (units: number): Availability => (units <= 0 ? 'out_of_stock' : units < 3 ? 'low_stock' : 'in_stock');

const pricingOf = (ctx: Ctx): Pick<Pricing, 'context' | 'resolve'> & { plain(): boolean } => ({
  plain: () => world.plain,
  async context(base) {
    const currency = base.currency ?? ctx.tenant.currency;
    const known = {
      at: ctx.clock.now(),
      channel: 'web',
      currency,
      priceMode: 'gross',
      locale: ctx.locale,
      codes: [],
      facts: {},
      rules: {
        taxRoundingLevel: 'line',
        crossBorderPricePolicy: 'constant_gross',
        shippingTaxMode: 'proportional',
        percentStacking: 'sequential',
      },
    };
    return { ...known, ...base, currency } as PricingContext;
  },
  async resolve(context, lines) {
    world.calls.resolve += 1;
    const { meanwhile } = world;
    world.meanwhile = undefined;
    await meanwhile?.();
    const resolved = await ctx.call(linesResolve, { context, lines });
    return resolved.lines.map((line) => {
      const off = world.off.get(line.productId ?? '');
      return off
        ? { ...line, unitPrice: line.unitPrice - off.amount, facts: { ...line.facts, promotions: { reducedSince: off.since } } }
        : line;
    });
  },
});

const stub = (name: string, more: Partial<Parameters<typeof definePlugin>[0]> = {}): Plugin =>
  definePlugin({ name, locales: { en: {}, ro: {} }, ...more });

export const stubs: Record<string, Plugin> = {
  inventory: stub('inventory', {
    events: { emits: [levelEvents.changed] },
    provides: [
      provide(
        stock,
        () =>
          ({
            levelOf: () => sql`null`,
            levelsOf: () => sql`null`,
            async availability(ids: readonly string[]) {
              world.calls.availability += 1;
              return new Map(
                ids.map((variantId) => {
                  const available = world.units.get(variantId) ?? 0;
                  return [
                    variantId,
                    { variantId, available, availability: availabilityOf(available), stock: available },
                  ] as const;
                }),
              );
            },
          }) as never,
      ),
    ],
  }),
  checkout: stub('checkout', { provides: [provide(pricing, (ctx) => pricingOf(ctx) as never)] }),
  orders: stub('orders', {
    provides: [
      provide(
        orders,
        () => ({ productsInOrders: async (ids: string[]) => new Set(ids.filter((id) => world.ordered.has(id))) }) as never,
      ),
    ],
  }),
  payments: stub('payments'),
  currencies: stub('currencies', {
    provides: [
      provide(
        fx,
        () =>
          ({
            enabled: async () =>
              ['RON', 'EUR'].map((code) => ({ code, exponent: 2, isBase: code === 'RON', roundingStep: null })),
            rate: async (base: string, quote: string) =>
              base === 'RON' && quote === 'EUR' ? { rate: '0.2', rateId: null, asOf: '2026-01-01T00:00:00.000Z' } : undefined,
          }) as never,
      ),
    ],
  }),
};
