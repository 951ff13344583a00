import type { PlaceInput, Priced, placeCommit } from '@storeloom/commerce';
import { type Ctx, problem, type TapFn } from '@storeloom/plugin-sdk';
import { mulRatio, type PriceBreakdown, wireTotals } from '@storeloom/plugin-sdk/money';
import { civilDate } from '@storeloom/plugin-sdk/time';
import { runOf } from '../pricing/checkout-taps.ts';
import { countedNet, decide, kindOf, type TaxDecision, usedRates } from '../pricing/quote.ts';
import { repriceWithTaxes, taxedCategories } from '../pricing/retax.ts';
import { forgetRates, forgetYears, type OssYearRow } from '../pricing/snapshot.ts';
import type { CategoryKind } from '../rate/category.ts';
import { markRatesUsed } from '../rate/use.ts';
import { settings } from '../settings.ts';
import { requestProof } from '../vat/order-proof.ts';
import { isExceeded, isOptedIn, limitEur, toEur, yearOf } from './limit.ts';
import {
  lockYear,
  type OssYear,
  ossEntry,
  ossYear,
  quarterOf,
  recordThresholdPassed,
  type SupplyType,
  supplyOf,
} from './tables.ts';

/**
 * place.commit, stage 15: marks the rates as used, so that they can only end, and counts a cross-border sale. A changed rate or
 * treatment is refused with the new total.
 */
export const commitSale: TapFn<typeof placeCommit> = async (ctx, input) => {
  const { priced } = input;
  const decision = runOf(priced.context)?.decision;
  // The taxes may come from another plugin, which checks its own rates.
  if (decision && decision.quote.treatment === priced.treatment && !(await markRatesUsed(ctx, usedRates(decision))))
    throw await totalChanged(ctx, priced);
  if (decision?.unprovenVat && decision.quote.reason === priced.taxReason)
    await requestProof(ctx, input.orderId, decision.unprovenVat);
  if (priced.countsForOss) await countSale(ctx, input, decision ?? undefined);
};

const yearRow = ({ net, ...row }: OssYear): OssYearRow => ({ ...row, net: net.amount });

async function countSale(ctx: Ctx, input: PlaceInput, decision: TaxDecision | undefined): Promise<void> {
  const { priced, orderId } = input;
  const { context } = priced;
  const now = ctx.clock.now();
  const date = civilDate(now, ctx.tenant.timezone);
  const year = yearOf(ctx, now);
  const kinds = new Map(priced.lines.map(({ id, taxCategoryId }) => [id, kindOf(decision?.kinds ?? new Map(), taxCategoryId)]));
  const parts = saleParts(priced, kinds);
  const eur = await toEur(ctx, countedNet(priced.sheet, kinds), context.currency, context.at);

  const row = await lockYear(ctx, year);
  const previous = await ctx.rows(ossYear).first({ year: year - 1 });
  const years = [row, ...(previous ? [previous] : [])].map(yearRow);
  const optedIn = isOptedIn(ctx.settings(settings), years, date);
  const net = row.net.amount + (eur ?? 0);
  const passes = net > limitEur(ctx);
  if (priced.treatment === 'origin' && (optedIn || isExceeded(years, year) || passes)) throw await totalChanged(ctx, priced);

  const passesNow = passes && row.exceededAt === null;
  await ctx.rows(ossYear).update(row.id, {
    net: { amount: net, currency: 'EUR' },
    ...(passesNow ? await recordThresholdPassed(ctx, row, net, orderId) : {}),
    ...(optedIn && row.optedInSince === null ? { optedInSince: optInStart(ctx, years, date) } : {}),
  });
  if (eur === null)
    ctx.log.warn(
      { plugin: 'taxes', order_id: orderId, currency: context.currency },
      'No exchange rate to EUR: the sale is counted when a rate is known',
    );
  await recordSale(ctx, { priced, orderId, parts, eur, year, country: decision?.country ?? destination(priced) });
  forgetYears(ctx);
}

function destination({ context }: Priced): string {
  return (context.shippingAddress ?? context.billingAddress)?.country ?? '';
}

/** The start of the current opt-in: kept from year to year, so that it binds only for the first two years. */
function optInStart(ctx: Ctx, years: readonly OssYearRow[], date: string): string {
  const before = years.flatMap(({ optedInSince }) => optedInSince ?? []).sort();
  return ctx.settings(settings).ossOptInSince ?? before[0] ?? date;
}

interface SalePart {
  part: string;
  supplyType: SupplyType;
  ratePpm: number;
  base: number;
  tax: number;
  /** The base that counts towards the threshold. */
  counted: number;
}

/**
 * Lines, shipping and fees by rate. Shipping and fees belong to the goods, or to the electronic services if nothing else is sold.
 */
function saleParts({ sheet }: Priced, kinds: ReadonlyMap<string, CategoryKind>): SalePart[] {
  const types = [...kinds.values()].map(supplyOf);
  const chargeType: SupplyType = types.includes('goods') || !types.includes('services') ? 'goods' : 'services';
  const split = (id: string, supplyType: SupplyType, one: PriceBreakdown): SalePart[] =>
    one.taxGroups.map(({ ratePpm, base, tax }) => ({
      part: id,
      supplyType,
      ratePpm,
      base,
      tax,
      counted: supplyType === 'other' ? 0 : base,
    }));
  return [
    ...sheet.lines.flatMap((line) => split(line.id, supplyOf(kinds.get(line.id) ?? 'goods'), line)),
    ...[...sheet.shippingLines, ...sheet.surcharges].flatMap((one) => split(one.id, chargeType, one)),
  ];
}

interface CountedSale {
  priced: Priced;
  orderId: string;
  parts: readonly SalePart[];
  eur: number | null;
  year: number;
  country: string;
}
async function recordSale(ctx: Ctx, { priced, orderId, parts, eur, year, country }: CountedSale): Promise<void> {
  const { currency } = priced.context;
  const quarter = quarterOf(ctx, ctx.clock.now());
  const counted = parts.reduce((sum, part) => sum + part.counted, 0);
  let left = eur ?? 0;
  let weight = counted;
  await ctx.rows(ossEntry).insertMany(
    parts.map((part) => {
      // Each part takes its share of the remaining amount, so that the shares add up.
      const share = weight === 0 ? 0 : mulRatio(left, part.counted, weight);
      left -= share;
      weight -= part.counted;
      return {
        orderId,
        kind: 'sale' as const,
        part: part.part,
        quarter,
        saleQuarter: quarter,
        saleYear: year,
        country,
        supplyType: part.supplyType,
        treatment: priced.treatment === 'destination' ? ('destination' as const) : ('origin' as const),
        ratePpm: part.ratePpm,
        base: { amount: part.base, currency },
        tax: { amount: part.tax, currency },
        eur: eur === null ? null : { amount: share, currency: 'EUR' },
      };
    }),
  );
}

/** 409 with the current totals. */
async function totalChanged(ctx: Ctx, priced: Priced) {
  forgetRates(ctx);
  forgetYears(ctx);
  const { context, lines, sheet } = priced;
  const categoryIds = taxedCategories(sheet);
  const now = await decide(ctx, context, { categoryIds, lines, preview: (quote) => repriceWithTaxes(sheet, quote) ?? sheet });
  const fresh = repriceWithTaxes(sheet, now.quote) ?? sheet;
  return problem('total_changed', {
    detail: 'The taxes of this order have totalChanged. Review the new total.',
    totals: wireTotals(fresh.totals, context.currency),
  });
}
