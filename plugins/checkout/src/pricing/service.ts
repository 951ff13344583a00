import { createHash } from 'node:crypto';
import {
  contextResolve,
  type Pricing,
  type PricingContext,
  type Purpose,
  pricesVary,
  pricing,
  shipping,
  stock,
  type Totals,
  type TotalsView,
} from '@storeloom/commerce';
import { type Ctx, domainError, type Provider, provide, uuidv7 } from '@storeloom/plugin-sdk';
import { wireTotals } from '@storeloom/plugin-sdk/money';
import type { PricingHost } from './host.ts';
import { type PipelineRequest, resolveLines, runPricing } from './pipeline.ts';

const channels: Record<Purpose, PricingContext['channel']> = {
  browse: 'web',
  cart: 'web',
  place: 'web',
  draft: 'draft',
  edit: 'web',
  pos: 'pos',
  marketplace: 'marketplace',
};

/** Contexts that have passed step 3, so that it runs once when a caller resolves lines and then prices them. */
const resolvedContexts = new WeakSet<PricingContext>();

async function resolveContext(ctx: Ctx, context: PricingContext): Promise<PricingContext> {
  if (resolvedContexts.has(context)) return context;
  if (context.currency !== ctx.tenant.currency && !ctx.isOn('currencies'))
    throw domainError('/currency', 'currency_mismatch', `the shop sells in ${ctx.tenant.currency} only`);
  const resolved = await ctx.call(contextResolve, context);
  resolvedContexts.add(resolved);
  return resolved;
}

/** Gift line ids: stable for a displayed cart, so that clients can match lines; new for lines that are stored. */
function giftId(ctx: Ctx, purpose: Purpose): PricingHost['giftId'] {
  if (purpose !== 'cart' && purpose !== 'browse') return () => uuidv7(ctx.clock.ms());
  return (promotionId, variantId) => {
    const hex = createHash('sha256').update(`gift ${promotionId} ${variantId}`).digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  };
}

export function pricingHost(ctx: Ctx, purpose: Purpose): PricingHost {
  return {
    call: (hook, input) => ctx.call(hook, input),
    isOn: (plugin) => ctx.isOn(plugin),
    giftId: giftId(ctx, purpose),
    async giftAvailable(variantId, quantity) {
      const view = (await ctx.use(stock)?.availability([variantId]))?.get(variantId);
      return !view || view.available === null || view.available >= quantity;
    },
    readQuote: (quote) => ctx.use(shipping)?.readQuote(quote),
  };
}

/** Steps 3–10, including the options that only checkout uses. */
export async function priceOrder(ctx: Ctx, request: PipelineRequest): ReturnType<typeof runPricing> {
  const context = await resolveContext(ctx, request.context);
  return runPricing(pricingHost(ctx, context.purpose), { ...request, context });
}

export function totalsView(totals: Totals, currency: string): TotalsView {
  return wireTotals(
    { ...totals, tenders: totals.tenders.map(({ type, reference, amount }) => ({ type, reference, amount })) },
    currency,
  );
}

export function makePricing(ctx: Ctx): Pricing {
  return {
    context(base) {
      const { tenant, actor } = ctx;
      const context: PricingContext = {
        at: ctx.clock.now(),
        channel: channels[base.purpose],
        currency: tenant.currency,
        priceMode: tenant.priceMode,
        locale: ctx.locale,
        codes: [],
        facts: {},
        rules: {
          taxRoundingLevel: 'line',
          crossBorderPricePolicy: 'constant_gross',
          shippingTaxMode: 'proportional',
          percentStacking: 'sequential',
        },
        ...base,
      };
      if (!('customer' in base) && actor.type === 'customer') context.customer = { id: actor.customerId, groupIds: [] };
      return resolveContext(ctx, context);
    },
    async resolve(context, lines) {
      return resolveLines(ctx, await resolveContext(ctx, context), lines);
    },
    plain: async () => (await ctx.call(pricesVary, { at: ctx.clock.now() })) !== true,
    price: (request) => priceOrder(ctx, request),
    view: totalsView,
  };
}

export const pricingProvider: Provider = provide(pricing, makePricing) as Provider;
