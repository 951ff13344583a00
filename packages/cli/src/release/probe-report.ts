/** What `storeloom probe` found out about its release. */
export interface Probe {
  readonly version: string;
  readonly plugins: readonly { readonly name: string; readonly version: string | null; readonly state: string }[];
  /** A shop to send requests to; null without one. */
  readonly shop: { readonly host: string; readonly adminToken: string | null } | null;
  /** Which of the routes of a smoke test the release serves. */
  readonly routes: readonly string[];
}

/** Routes of a smoke test, as they are mounted. */
export const smokeRoutes = ['/api/admin/products', '/api/storefront/categories'] as const;
