import type { PricingContext, taxQuote } from '@storeloom/commerce';
import type { Ctx, Db, TapFn } from '@storeloom/plugin-sdk';
import { homeCountry } from '../home.ts';
import { settings } from '../settings.ts';
import { cachedCheck, checkForOrder, requestCheck } from '../vat/check.ts';
import { parseVat } from '../vat/number.ts';
import { countriesOf, decide, type TaxDecision } from './quote.ts';

/** State of a pricing run in `facts.taxes`: the countries of the sale, and the last decision. */
export class TaxRun {
  readonly countries: readonly string[];
  decision: TaxDecision | null = null;
  constructor(countries: readonly string[]) {
    this.countries = countries;
  }
}
export function runOf(context: PricingContext): TaxRun | undefined {
  const run = context.facts.taxes;
  return run instanceof TaxRun ? run : undefined;
}

const edits = new WeakMap<Db, TaxDecision>();
/** The tax decision of an order edit in this unit of work. */
export const editDecision = (ctx: Ctx): TaxDecision | undefined => edits.get(ctx.db);

/**
 * context.resolve: adds the shop's tax rules and the status of the buyer's VAT number. An edit keeps those of its order, but has no status
 * of a changed number.
 */
export async function resolveTax(ctx: Ctx, context: PricingContext): Promise<PricingContext> {
  const countries = countriesOf(await homeCountry(ctx), context);
  const facts = { ...context.facts, taxes: new TaxRun(countries) };
  if (context.purpose === 'edit') {
    const changed = context.vat ?? (await buyerVat(ctx, context));
    return { ...context, facts, ...(changed ? { vat: changed } : {}) };
  }
  const { taxRoundingLevel, crossBorderPricePolicy, shippingTaxMode, shippingTaxCategoryId } = ctx.settings(settings);
  const { shippingTaxCategoryId: _, ...rest } = context.rules;
  const rules = {
    ...rest,
    taxRoundingLevel,
    crossBorderPricePolicy,
    shippingTaxMode,
    ...(shippingTaxCategoryId === null ? {} : { shippingTaxCategoryId }),
  };
  const { vat: __, ...others } = context;
  const vat = await buyerVat(ctx, context);
  return { ...others, rules, facts, ...(vat ? { vat } : {}) };
}

/**
 * Only a recent response of VIES is a proof. Without one, placing an order asks VIES; a cart requests a check in the background.
 */
async function buyerVat(ctx: Ctx, context: PricingContext): Promise<PricingContext['vat']> {
  const { billingAddress, shippingAddress, purpose } = context;
  const given = context.vat?.number ?? billingAddress?.vatId ?? shippingAddress?.vatId;
  if (!given) return undefined;
  const parsed = parseVat(given, (billingAddress ?? shippingAddress)?.country ?? (await homeCountry(ctx)));
  const { number } = parsed;
  if (!parsed.formatValid) return { number, status: 'invalid' };
  const known = (await cachedCheck(ctx, parsed)) ?? (purpose === 'place' ? await checkForOrder(ctx, parsed) : undefined);
  if (known && known.status !== 'unavailable') {
    const { status, checkedAt, consultationNumber } = known;
    return { number, status, checkedAt, consultationNumber };
  }
  if (purpose === 'place') return { number, status: 'unavailable' };
  if (purpose !== 'browse') await requestCheck(ctx, parsed);
  return { number, status: 'unavailable' };
}

/** tax.quote, stage 90: the fallback if no national rule and no external calculator has returned a quote. */
export const quoteTax: TapFn<typeof taxQuote> = async (ctx, { context, categoryIds, lines, preview }) => {
  const run = runOf(context);
  const decision = await decide(ctx, context, {
    categoryIds,
    ...(run ? { countries: run.countries } : {}),
    ...(lines ? { lines } : {}),
    // An edited order counts already and can't pass the threshold again.
    ...(preview && context.purpose !== 'edit' ? { preview } : {}),
  });
  if (run) run.decision = decision;
  if (context.purpose === 'edit') edits.set(ctx.db, decision);
  return decision.quote;
};
