/** Namespaces of methods by family of routes. */
export interface Families {
  /** Routes under `/api/admin`. */
  admin?: object;
  /** Routes under `/api/storefront`. */
  storefront?: object;
  /** Routes under `/api/super-admin`. */
  superAdmin?: object;
  /** Routes under `/api/auth`. */
  auth?: object;
  /** All other routes. */
  system?: object;
}

/** Family of routes: `admin`, `storefront`, `superAdmin`, `auth` or `system`. */
export type Family = keyof Families;

/**
 * The methods of one plugin: a table of its routes, and their types. Slices are generated from the plugin's OpenAPI document
 * (`storeloom client`); those of Storeloom's plugins are exported by `@storeloom/client/slices`.
 */
export interface Slice<F extends Families = Families, E extends object = object> {
  /** Short name of the plugin. */
  readonly plugin: string;
  /** Routes by family, one per line: name, method, path below the family's prefix, flags, content type. */
  readonly routes: Readonly<Partial<Record<Family, string>>>;
  /** Exists in types only: the methods and the public events by type. */
  readonly '~types'?: { readonly families: F; readonly events: E };
}

type Intersection<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void ? I : never;
type FamilyOf<S, K extends Family> = S extends { readonly '~types'?: { readonly families: infer F } }
  ? F extends Record<K, infer N>
    ? N
    : never
  : never;

/** The methods of one family of all slices. Namespaces of the same name are merged. */
export type MethodsOf<S extends readonly Slice[], K extends Family> = [FamilyOf<S[number], K>] extends [never]
  ? Record<never, never>
  : Intersection<FamilyOf<S[number], K>>;

/** The public events of slices: type to data. */
export type EventsOf<S> = Intersection<
  S extends { readonly '~types'?: { readonly families: infer _; readonly events: infer E } } ? E : never
>;
