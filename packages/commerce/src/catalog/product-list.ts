/** A parsed query of the storefront's product list; opaque to others but for its paging. */
export interface ShelfParams {
  readonly limit: number;
  readonly params: URLSearchParams;
}

export interface Facet {
  code: string;
  label: string;
  type: 'list';
  values: { value: string; label: string; count: number; selected: boolean }[];
}

export interface Facets {
  facets: Facet[];
  price: { min: { amount: number; currency: string }; max: { amount: number; currency: string } } | null;
}
