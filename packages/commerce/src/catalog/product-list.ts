/** Parsed parameters of the storefront's product list. Only catalog reads more of them than the limit. */
export interface ProductListParams {
  readonly limit: number;
  readonly params: URLSearchParams;
}

/** A filter of the product list with the number of products for each value. */
export interface Facet {
  code: string;
  label: string;
  type: 'list';
  values: { value: string; label: string; count: number; selected: boolean }[];
}

/** The facets of a product list. */
export interface Facets {
  facets: Facet[];
  /** Lowest and highest price; null where there is no product. */
  price: { min: { amount: number; currency: string }; max: { amount: number; currency: string } } | null;
}
