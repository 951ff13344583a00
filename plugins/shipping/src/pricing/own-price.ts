import type { ShippableLine } from '@storeloom/commerce';
import type { MoneyValue } from '@storeloom/plugin-sdk';
import { rateFor } from '../method/rate-gaps.ts';
import type { OfferedMethod, OfferedRate } from './offers.ts';

/** What is sent. */
export interface Load {
  items: number;
  weightG: number;
  /** Of all goods after discounts, minor units of the context's currency. */
  itemsTotal: number;
}
export function loadOf(lines: readonly ShippableLine[], itemsTotal: number): Load {
  const sent = lines.filter((line) => line.ships);
  return {
    items: sent.reduce((sum, line) => sum + line.quantity, 0),
    weightG: sent.reduce((sum, line) => sum + line.quantity * line.weightG, 0),
    itemsTotal,
  };
}

/** An amount in the context's currency; undefined where no rate of exchange is known. */
export type Exchange = (money: MoneyValue) => number | undefined;

/** Rates in the context's own currency go before those that are converted. */
function usableRates(rates: readonly OfferedRate[], currency: string, exchange: Exchange): OfferedRate[] {
  const own = rates.filter((rate) => rate.price.currency === currency);
  if (own.length > 0) return own;
  const [first] = rates;
  if (!first) return [];
  return rates.filter((rate) => rate.price.currency === first.price.currency && exchange(rate.price) !== undefined);
}

/** Bounds of a price rate are in minor units of its price's currency. */
function rateOf(method: OfferedMethod, load: Load, currency: string, exchange: Exchange): OfferedRate | undefined {
  const rates = usableRates(method.rates, currency, exchange);
  if (method.type === 'weight') return rateFor(rates, load.weightG);
  if (method.type === 'per_item') return rateFor(rates, load.items);
  const bound = (amount: number, rate: OfferedRate): number => exchange({ amount, currency: rate.price.currency }) ?? amount;
  return rates.find(
    (rate) => load.itemsTotal >= bound(rate.min, rate) && (rate.max === null || load.itemsTotal < bound(rate.max, rate)),
  );
}

export function isFree(freeOver: MoneyValue | null, itemsTotal: number, exchange: Exchange): boolean {
  const from = freeOver && exchange(freeOver);
  return from !== null && from !== undefined && itemsTotal >= from;
}

/** The price of a method that no carrier prices; undefined where it has none for this load. */
export function ownPrice(method: OfferedMethod, load: Load, currency: string, exchange: Exchange): number | undefined {
  const rate = rateOf(method, load, currency, exchange);
  const price = rate?.price ?? fallback(method);
  if (!price) return undefined;
  const amount = exchange(price);
  if (amount === undefined) return undefined;
  if (isFree(rate?.freeOver ?? method.freeOver, load.itemsTotal, exchange)) return 0;
  return method.type === 'per_item' ? amount * load.items : amount;
}

/** Without a rate that fits: the method's own price, but not beside rates that leave this load out. Fetching costs nothing. */
function fallback(method: OfferedMethod): MoneyValue | undefined {
  if (method.price && method.rates.length === 0) return method.price;
  if (method.price && method.type !== 'weight' && method.type !== 'price' && method.type !== 'per_item') return method.price;
  return method.type === 'pickup' && method.rates.length === 0 ? { amount: 0, currency: '' } : undefined;
}
