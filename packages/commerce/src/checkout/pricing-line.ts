/** What catalog leaves in `facts.catalog` of a line, so that the cart checks quantities without asking again. */
export interface CatalogFacts {
  minPerOrder: number | null;
  maxPerOrder: number | null;
  step: number | null;
}

export interface LineChild {
  variantId: string;
  quantity: number;
  title: string;
  sku: string;
  /** Weight for allocation: list price of one. */
  listPrice: number;
  taxCategoryId?: string;
  weightG: number;
  ships: boolean;
}

export interface PricingLine {
  id: string;
  /** `product`, or another plugin's kind (`subscriptions.plan`, `hotel.stay`, `rentals.rental`). */
  kind: string;
  variantId?: string;
  productId?: string;
  data?: Record<string, unknown>;
  options?: Record<string, string>;
  custom?: Record<string, unknown>;
  quantity: number;
  title: string;
  sku?: string;
  image?: string;
  /** Before catalogue promotions and tiers. */
  listPrice: number;
  unitPrice: number;
  minPrice?: number;
  taxCategoryId?: string;
  /** Needs shipping. */
  ships: boolean;
  weightG: number;
  /** Price is final: no level, tier or promotion touches it. */
  locked?: boolean;
  /** Parts of a bundle: it is taxed as what is in it, by their categories and list prices. */
  children?: LineChild[];
  /** Catalogue promotions that made the unit price: id and amount a unit. */
  catalogDiscounts?: { promotionId: string; name: string; amount: number }[];
  facts: Record<string, unknown>;
}

/** The running state: what earlier discounts left. */
export interface DiscountedLine extends PricingLine {
  /** Unit price × quantity. */
  lineSubtotal: number;
  /** After the discounts so far. */
  running: number;
  /** What may still be taken off (R17). */
  room: number;
}

/** A line as shipping sees it: what is left of its price, its weight, whether it ships. */
export type PricedLineLike = Pick<
  DiscountedLine,
  'id' | 'kind' | 'variantId' | 'quantity' | 'weightG' | 'ships' | 'running' | 'children'
>;
