/** `facts.catalog` of a line: the quantity rule, so that the cart doesn't read it again. */
export interface CatalogFacts {
  minPerOrder: number | null;
  maxPerOrder: number | null;
  step: number | null;
}

/** A component of a bundle line. `quantity` is per bundle. */
export interface LineChild {
  variantId: string;
  quantity: number;
  title: string;
  sku: string;
  /** Weight for allocation (R4): the list price of one unit. */
  listPrice: number;
  taxCategoryId?: string;
  weightG: number;
  ships: boolean;
}

/** A line before discounts. Amounts in minor units of the context's currency. */
export interface PricingLine {
  id: string;
  /** `product`, or a kind of another plugin: `subscriptions.plan`, `hotel.stay`, `rentals.rental`. */
  kind: string;
  variantId?: string;
  productId?: string;
  /** Input of a line that isn't a product, as its plugin defines it. */
  data?: Record<string, unknown>;
  /** Option values by option name. */
  options?: Record<string, string>;
  /** Text that the shopper added, for example an engraving. */
  custom?: Record<string, unknown>;
  quantity: number;
  title: string;
  sku?: string;
  image?: string;
  /** Unit price before catalogue promotions and tiers. */
  listPrice: number;
  unitPrice: number;
  /** Lower bound of the unit price after discounts (R17). */
  minPrice?: number;
  taxCategoryId?: string;
  /** Whether the line needs shipping. */
  ships: boolean;
  weightG: number;
  /** Units that can be sold now, where the plugin of the line counts them itself (rooms, seats). The cart shows it; placing checks again. */
  sellable?: number;
  /** The price is final: price levels, tiers and promotions don't change it. */
  locked?: boolean;
  /** Components of a bundle, which is taxed by their categories and list prices. */
  children?: LineChild[];
  /** Catalogue promotions in the unit price; `amount` is per unit. */
  catalogDiscounts?: { promotionId: string; name: string; amount: number }[];
  /** Data that plugins leave for other plugins, by plugin name. */
  facts: Record<string, unknown>;
}

/** A line while discounts are collected. */
export interface DiscountedLine extends PricingLine {
  /** Unit price × quantity. */
  lineSubtotal: number;
  /** Amount after the discounts so far. */
  running: number;
  /** Amount that may still be taken off (R17). */
  room: number;
}

/** A line as shipping methods calculate with it. */
export type ShippableLine = Pick<
  DiscountedLine,
  'id' | 'kind' | 'variantId' | 'quantity' | 'weightG' | 'ships' | 'running' | 'children'
>;
