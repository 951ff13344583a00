import type { PricingContext, TaxQuote } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import type { PricedSheet } from '@storeloom/plugin-sdk/money';
import type { Address } from '@storeloom/plugin-sdk/people';
import { civilDate } from '@storeloom/plugin-sdk/time';
import { homeCountry } from '../home.ts';
import { isAtDestination, limitEur, toEur, yearOf } from '../oss/limit.ts';
import type { CategoryKind } from '../rate/category.ts';
import { dateIn, vatCountry } from '../rate/countries.ts';
import { settings } from '../settings.ts';
import { parseVat } from '../vat/number.ts';
import { type CategoryRow, type CategoryTax, noTax, type Place, type RateRow, taxOfCategory } from './choose.ts';
import { loadSnapshot, loadYears, type OssYearRow, type TaxConfiguration } from './snapshot.ts';
import { isUnchecked, type Ruling, type Sale, treatmentOf } from './treatment.ts';

/** A quote with the data that it was derived from. */
export interface TaxDecision {
  quote: TaxQuote;
  charges: ReadonlyMap<string, CategoryTax>;
  /** By category id; `''` for the default category. */
  kinds: ReadonlyMap<string, CategoryKind>;
  /** The destination country. */
  country: string | null;
  /** Whether the threshold of the one-stop shop affects the tax. */
  dependsOnThreshold: boolean;
  /** The buyer's VAT number, if the sale is taxed because the register hasn't confirmed it. */
  unprovenVat: string | null;
}

type AddressPlace = Pick<Address, 'country' | 'region' | 'postalCode'>;
/** The shop's rates used by a decision. */
export const usedRates = ({ charges }: TaxDecision): RateRow[] => [...charges.values()].flatMap(({ rows }) => rows);

export interface BuyerFacts extends Pick<PricingContext, 'at' | 'currency' | 'vat'> {
  shippingAddress?: AddressPlace;
  billingAddress?: AddressPlace;
  customer?: { taxExempt?: boolean };
}
export interface QuoteRequest {
  categoryIds: readonly string[];
  /** Countries of other quotes of the same pricing run, to be read in the same query. */
  countries?: readonly string[];
  lines?: readonly { id: string; taxCategoryId?: string }[];
  /** Prices the sale with these taxes: needed to know in advance whether it passes the threshold. */
  preview?(quote: Pick<TaxQuote, 'rates' | 'categoryCodes'>): PricedSheet;
}

const untaxed: Ruling = { treatment: 'untaxed', place: null, code: 'O', counts: false };

function placeOf({ shippingAddress, billingAddress }: Pick<BuyerFacts, 'shippingAddress' | 'billingAddress'>): Place | undefined {
  const address = shippingAddress ?? billingAddress;
  if (!address) return undefined;
  const { country, region, postalCode } = address;
  return { country: vatCountry(country, postalCode), region, postalCode };
}

function saleOf(home: string | undefined, buyer: BuyerFacts, snapshot: TaxConfiguration): Sale {
  const destination = placeOf(buyer);
  const { vat } = buyer;
  return {
    home,
    destination,
    registered: destination !== undefined && snapshot.rates.some((rate) => rate.country === destination.country),
    exempt: buyer.customer?.taxExempt === true,
    vat: vat && { country: parseVat(vat.number, destination?.country).country, status: vat.status },
  };
}

/** The countries of the shop and of the destination. */
export function countriesOf(home: string | undefined, buyer: Pick<BuyerFacts, 'shippingAddress' | 'billingAddress'>): string[] {
  return [home, placeOf(buyer)?.country].filter((country) => country !== undefined);
}

/** Decides treatment and rates of every category. Yearly totals are read only if they affect the result. */
export async function decide(ctx: Ctx, buyer: BuyerFacts, request: QuoteRequest): Promise<TaxDecision> {
  const home = await homeCountry(ctx);
  const countries = [...countriesOf(home, buyer), ...(request.countries ?? [])];
  const snapshot = await loadSnapshot(ctx, countries, civilDate(buyer.at, ctx.tenant.timezone));
  const sale = saleOf(home, buyer, snapshot);
  const decideFor = (atDestination: boolean): TaxDecision =>
    buildDecision(ctx, { sale, snapshot, buyer, request, atDestination });
  const below = decideFor(false);
  if (!below.dependsOnThreshold) return below;
  const years = await loadYears(ctx, yearOf(ctx, buyer.at));
  const above = isAtDestination(ctx, years, buyer.at) || (await passesThreshold(ctx, below, years, buyer, request));
  return above ? decideFor(true) : below;
}

/** The sale that crosses the threshold is taxed at destination in full. */
async function passesThreshold(
  ctx: Ctx,
  below: TaxDecision,
  years: readonly OssYearRow[],
  buyer: BuyerFacts,
  request: QuoteRequest,
): Promise<boolean> {
  if (!below.quote.countsForOss || !request.preview || !request.lines) return false;
  const sheet = request.preview(below.quote);
  const kinds = new Map(request.lines.map(({ id, taxCategoryId }) => [id, kindOf(below.kinds, taxCategoryId)]));
  const eur = await toEur(ctx, countedNet(sheet, kinds), buyer.currency, buyer.at);
  const year = yearOf(ctx, buyer.at);
  const before = years.find((row) => row.year === year)?.net ?? 0;
  return eur !== null && before + eur > limitEur(ctx);
}

export const kindOf = (kinds: ReadonlyMap<string, CategoryKind>, categoryId: string | null | undefined): CategoryKind =>
  kinds.get(categoryId ?? '') ?? kinds.get('') ?? 'goods';

/**
 * The net amount that counts towards the threshold: goods and electronic services, with shipping and fees. Minor units of the
 * sheet.
 */
export function countedNet(sheet: PricedSheet, kinds: ReadonlyMap<string, CategoryKind>): number {
  const lines = sheet.lines.filter((line) => (kinds.get(line.id) ?? 'goods') !== 'service');
  return [...lines, ...sheet.shippingLines, ...sheet.surcharges].reduce((sum, one) => sum + one.net, 0);
}

function buildDecision(
  ctx: Ctx,
  {
    sale,
    snapshot,
    buyer,
    request,
    atDestination,
  }: { sale: Sale; snapshot: TaxConfiguration; buyer: BuyerFacts; request: QuoteRequest; atDestination: boolean },
): TaxDecision {
  const fallback = snapshot.categories.find((row) => row.isDefault);
  const charges = new Map<string, CategoryTax>();
  const kinds = new Map<string, CategoryKind>();
  const rulings = new Map<string, Ruling>();
  for (const id of request.categoryIds) {
    const category = snapshot.categories.find((row) => row.id === id) ?? fallback;
    const kind = category?.kind ?? 'goods';
    const ruling = snapshot.anyRates ? treatmentOf(sale, kind, atDestination) : untaxed;
    kinds.set(id, kind);
    rulings.set(id, ruling);
    charges.set(id, taxAt(ctx, ruling, { snapshot, category, fallback, at: buyer.at }));
  }
  const main = mainRuling(rulings, request.lines);
  const isVatUnchecked = snapshot.anyRates && isUnchecked(sale);
  const reason = isVatUnchecked ? 'vat_check_unavailable' : reasons[main.treatment];
  return {
    quote: {
      rates: Object.fromEntries([...charges].map(([id, { rates }]) => [id, rates])),
      categoryCodes: Object.fromEntries([...charges].map(([id, { code }]) => [id, code])),
      treatment: main.treatment,
      ...(reason === undefined ? {} : { reason }),
      countsForOss: main.counts,
      ...(isVatUnchecked && ctx.settings(settings).taxWhenVatCheckUnavailable === 'hold' ? { hold: true } : {}),
    },
    charges,
    kinds,
    country: sale.destination?.country ?? null,
    dependsOnThreshold: [...rulings.values()].some(({ counts }) => counts),
    unprovenVat: isVatUnchecked ? (buyer.vat?.number ?? null) : null,
  };
}

/** Reason of a 0 rate, as stored on orders and invoices. */
const reasons: Partial<Record<Ruling['treatment'], string>> = {
  reverse_charge: 'reverse_charge',
  export: 'export',
  exempt: 'customer_exempt',
};

/**
 * The ruling of the sale: that of its lines, preferring one that counts towards the threshold. A default category without lines is
 * ignored.
 */
function mainRuling(rulings: ReadonlyMap<string, Ruling>, lines: QuoteRequest['lines']): Ruling {
  const used = (lines ?? []).flatMap(({ taxCategoryId }) => rulings.get(taxCategoryId ?? '') ?? []);
  const candidates = used.length > 0 ? used : [...rulings.values()];
  return candidates.find((ruling) => ruling.counts) ?? candidates[0] ?? untaxed;
}

function taxAt(
  ctx: Ctx,
  { place, code }: Ruling,
  found: { snapshot: TaxConfiguration; category: CategoryRow | undefined; fallback: CategoryRow | undefined; at: string },
): CategoryTax {
  if (!place) return noTax(code ?? 'O');
  const date = dateIn(place.country, found.at, ctx.tenant.timezone);
  return taxOfCategory(found.snapshot.rates, found.category, found.fallback, place, date);
}
