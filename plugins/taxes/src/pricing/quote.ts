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
import { type CategoryRow, type Charge, chargeOf, noTax, type Place, type RateRow } from './choose.ts';
import { loadSnapshot, loadYears, type OssYearRow, type Snapshot } from './snapshot.ts';
import { isUnchecked, type Ruling, rule, type Sale } from './treatment.ts';

/** An answer of this plugin, with what is behind it. */
export interface Decision {
  quote: TaxQuote;
  charges: ReadonlyMap<string, Charge>;
  /** By category id, `''` for the default. */
  kinds: ReadonlyMap<string, CategoryKind>;
  /** Where cross-border sales to consumers go. */
  country: string | null;
  /** Something on it is taxed by where the limit of the one-stop shop stands. */
  limited: boolean;
}

type AddressPlace = Pick<Address, 'country' | 'region' | 'postalCode'>;
/** The shop's own rates behind a decision. */
export const usedRates = ({ charges }: Decision): RateRow[] => [...charges.values()].flatMap(({ rows }) => rows);

export interface BuyerFacts extends Pick<PricingContext, 'at' | 'currency' | 'vat'> {
  shippingAddress?: AddressPlace;
  billingAddress?: AddressPlace;
  customer?: { taxExempt?: boolean };
}
export interface QuoteRequest {
  categoryIds: readonly string[];
  /** Countries that other questions of the same pricing run are about: they are read along. */
  countries?: readonly string[];
  lines?: readonly { id: string; taxCategoryId?: string }[];
  /** The sale as it would be with these taxes: only with it the sale that passes the limit is known before it is made. */
  preview?(quote: Pick<TaxQuote, 'rates' | 'categoryCodes'>): PricedSheet;
}

const untaxed: Ruling = { treatment: 'untaxed', place: null, code: 'O', counts: false };

function placeOf({ shippingAddress, billingAddress }: Pick<BuyerFacts, 'shippingAddress' | 'billingAddress'>): Place | undefined {
  const address = shippingAddress ?? billingAddress;
  if (!address) return undefined;
  const { country, region, postalCode } = address;
  return { country: vatCountry(country, postalCode), region, postalCode };
}

function saleOf(home: string | undefined, buyer: BuyerFacts, snapshot: Snapshot): Sale {
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

/** Where the shop is, and where the sale goes. */
export function countriesOf(home: string | undefined, buyer: Pick<BuyerFacts, 'shippingAddress' | 'billingAddress'>): string[] {
  return [home, placeOf(buyer)?.country].filter((country) => country !== undefined);
}

/** Treatment and rates of every category. The database is asked for what sales have come to only where that decides. */
export async function decide(ctx: Ctx, buyer: BuyerFacts, request: QuoteRequest): Promise<Decision> {
  const home = await homeCountry(ctx);
  const countries = [...countriesOf(home, buyer), ...(request.countries ?? [])];
  const snapshot = await loadSnapshot(ctx, countries, civilDate(buyer.at, ctx.tenant.timezone));
  const sale = saleOf(home, buyer, snapshot);
  const make = (atDestination: boolean): Decision => decision(ctx, { sale, snapshot, buyer, request, atDestination });
  const below = make(false);
  if (!below.limited) return below;
  const years = await loadYears(ctx, yearOf(ctx, buyer.at));
  const above = isAtDestination(ctx, years, buyer.at) || (await passes(ctx, below, years, buyer, request));
  return above ? make(true) : below;
}

/** The sale that crosses the limit is itself taxed at destination, in full. */
async function passes(
  ctx: Ctx,
  below: Decision,
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

/** What of a sale the limit looks at, without tax: goods and electronic services, with delivery and fees. Minor units of the sheet. */
export function countedNet(sheet: PricedSheet, kinds: ReadonlyMap<string, CategoryKind>): number {
  const lines = sheet.lines.filter((line) => (kinds.get(line.id) ?? 'goods') !== 'service');
  return [...lines, ...sheet.shippingLines, ...sheet.surcharges].reduce((sum, one) => sum + one.net, 0);
}

function decision(
  ctx: Ctx,
  {
    sale,
    snapshot,
    buyer,
    request,
    atDestination,
  }: { sale: Sale; snapshot: Snapshot; buyer: BuyerFacts; request: QuoteRequest; atDestination: boolean },
): Decision {
  const fallback = snapshot.categories.find((row) => row.isDefault);
  const charges = new Map<string, Charge>();
  const kinds = new Map<string, CategoryKind>();
  const rulings = new Map<string, Ruling>();
  for (const id of request.categoryIds) {
    const category = snapshot.categories.find((row) => row.id === id) ?? fallback;
    const kind = category?.kind ?? 'goods';
    const ruling = snapshot.anyRates ? rule(sale, kind, atDestination) : untaxed;
    kinds.set(id, kind);
    rulings.set(id, ruling);
    charges.set(id, charge(ctx, ruling, { snapshot, category, fallback, at: buyer.at }));
  }
  const main = mainRuling(rulings, request.lines);
  const unchecked = snapshot.anyRates && isUnchecked(sale);
  const reason = unchecked ? 'vat_check_unavailable' : reasons[main.treatment];
  return {
    quote: {
      rates: Object.fromEntries([...charges].map(([id, { rates }]) => [id, rates])),
      categoryCodes: Object.fromEntries([...charges].map(([id, { code }]) => [id, code])),
      treatment: main.treatment,
      ...(reason === undefined ? {} : { reason }),
      countsForOss: main.counts,
      ...(unchecked && ctx.settings(settings).taxWhenVatCheckUnavailable === 'hold' ? { hold: true } : {}),
    },
    charges,
    kinds,
    country: sale.destination?.country ?? null,
    limited: [...rulings.values()].some(({ counts }) => counts),
  };
}

/** Why nothing is charged, as orders and invoices keep it. */
const reasons: Partial<Record<Ruling['treatment'], string>> = {
  reverse_charge: 'reverse_charge',
  export: 'export',
  exempt: 'customer_exempt',
};

/** What is on the lines names the sale, and what counts for the limit before the rest. A default category that no line has says nothing. */
function mainRuling(rulings: ReadonlyMap<string, Ruling>, lines: QuoteRequest['lines']): Ruling {
  const used = (lines ?? []).flatMap(({ taxCategoryId }) => rulings.get(taxCategoryId ?? '') ?? []);
  const candidates = used.length > 0 ? used : [...rulings.values()];
  return candidates.find((ruling) => ruling.counts) ?? candidates[0] ?? untaxed;
}

function charge(
  ctx: Ctx,
  { place, code }: Ruling,
  found: { snapshot: Snapshot; category: CategoryRow | undefined; fallback: CategoryRow | undefined; at: string },
): Charge {
  if (!place) return noTax(code ?? 'O');
  const date = dateIn(place.country, found.at, ctx.tenant.timezone);
  return chargeOf(found.snapshot.rates, found.category, found.fallback, place, date);
}
