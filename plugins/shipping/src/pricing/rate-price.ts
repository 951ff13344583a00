import type { ShippableLine } from '@storeloom/commerce';
import type { MoneyValue } from '@storeloom/plugin-sdk';
import { rateFor } from '../method/rate-gaps.ts';
import type { OfferedMethod, OfferedRate } from './offers.ts';

/** The goods to ship. */
export interface Shipment {
  items: number;
  weightG: number;
  /** Total of all goods before and after discounts of the cart, in minor units of the context's currency. */
  itemsSubtotal: number;
  itemsTotal: number;
}
export function shipmentOf(
  lines: readonly ShippableLine[],
  { itemsSubtotal, itemsTotal }: Pick<Shipment, 'itemsSubtotal' | 'itemsTotal'>,
): Shipment {
  const sent = lines.filter((line) => line.ships);
  return {
    items: sent.reduce((sum, line) => sum + line.quantity, 0),
    weightG: sent.reduce((sum, line) => sum + line.quantity * line.weightG, 0),
    itemsSubtotal,
    itemsTotal,
  };
}

/** The total of the items that the thresholds of a method are compared with. */
export function thresholdValue(
  { itemsSubtotal, itemsTotal }: Shipment,
  { valueBasis }: Pick<OfferedMethod, 'valueBasis'>,
): number {
  return valueBasis === 'before_discounts' ? itemsSubtotal : itemsTotal;
}

/** Converts to the context's currency; undefined without an exchange rate. */
export type Exchange = (money: MoneyValue) => number | undefined;

/** Rates in the context's currency have precedence over converted ones. */
function usableRates(rates: readonly OfferedRate[], currency: string, exchange: Exchange): OfferedRate[] {
  const own = rates.filter((rate) => rate.price.currency === currency);
  if (own.length > 0) return own;
  const [first] = rates;
  if (!first) return [];
  return rates.filter((rate) => rate.price.currency === first.price.currency && exchange(rate.price) !== undefined);
}

/** Bounds of a price rate are in minor units of its price's currency. */
function rateOf(method: OfferedMethod, shipment: Shipment, currency: string, exchange: Exchange): OfferedRate | undefined {
  const rates = usableRates(method.rates, currency, exchange);
  if (method.type === 'weight') return rateFor(rates, shipment.weightG);
  if (method.type === 'per_item') return rateFor(rates, shipment.items);
  const bound = (amount: number, rate: OfferedRate): number => exchange({ amount, currency: rate.price.currency }) ?? amount;
  const value = thresholdValue(shipment, method);
  return rates.find((rate) => value >= bound(rate.min, rate) && (rate.max === null || value < bound(rate.max, rate)));
}

export function isFree(freeOver: MoneyValue | null, value: number, exchange: Exchange): boolean {
  const from = freeOver && exchange(freeOver);
  return from !== null && from !== undefined && value >= from;
}

/** The price of a method without carrier quotes; undefined if it has none for this shipment. */
export function ratePrice(method: OfferedMethod, shipment: Shipment, currency: string, exchange: Exchange): number | undefined {
  const rate = rateOf(method, shipment, currency, exchange);
  const price = rate?.price ?? methodPrice(method);
  if (!price) return undefined;
  const amount = exchange(price);
  if (amount === undefined) return undefined;
  if (isFree(rate?.freeOver ?? method.freeOver, thresholdValue(shipment, method), exchange)) return 0;
  return method.type === 'per_item' ? amount * shipment.items : amount;
}

/** Without a matching rate: the price of the method, but not if its rates exclude this shipment. Pickup is free by default. */
function methodPrice(method: OfferedMethod): MoneyValue | undefined {
  if (method.price && method.rates.length === 0) return method.price;
  if (method.price && method.type !== 'weight' && method.type !== 'price' && method.type !== 'per_item') return method.price;
  return method.type === 'pickup' && method.rates.length === 0 ? { amount: 0, currency: '' } : undefined;
}
