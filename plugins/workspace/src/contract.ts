import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { type RawBuilder, service } from '@storeloom/plugin-sdk';
import type { PostalAddress } from '@storeloom/plugin-sdk/people';

/** Who keeps the shop, as documents and authorities name it. */
export interface Company {
  legalName: string | null;
  vatId: string | null;
  /** Number in the trade register. */
  regNo: string | null;
  address: PostalAddress | null;
  emails: { contact: string | null; orders: string | null; support: string | null } | null;
  phone: string | null;
}

export interface Workspace {
  /** Changes the shop's currency; 409 `base_currency_locked` after the first order. Call it last. */
  setCurrency(code: string): Promise<void>;
  /** The shop's own settings about itself. */
  company(): Promise<Company>;
}

/** What an uploaded file is for: how it is checked, and who may see it. */
export type UploadPurpose = 'image' | 'document' | 'digital' | 'import';
export interface StoredUpload {
  key: string;
  /** Path on the shop's host; null for a private file. */
  url: string | null;
  contentType: string;
  size: number;
  width: number | null;
  height: number | null;
}
/** An image that was encoded again: nothing but picture is in it. */
export interface EncodedImage {
  content: Buffer;
  contentType: string;
  extension: string;
  width: number;
  height: number;
}
export interface Uploads {
  /**
   * Receives the file of a multipart form: detects its type from the content, and encodes images again without metadata. Call it outside a
   * transaction. 413 above `maxBytes`, 422 for a type that the purpose doesn't allow, 402 above the plan's storage.
   */
  receive(
    req: { stream: Readable | undefined; headers: IncomingHttpHeaders },
    options: { purpose: UploadPurpose; maxBytes?: number },
  ): Promise<StoredUpload>;
  /** Encodes an image again without metadata; 422 for what is no image, or too large a one. */
  image(bytes: Buffer): Promise<EncodedImage>;
  /** Stores such an image for everybody to see, in the caller's transaction. 402 over the plan's storage. */
  storeImage(image: EncodedImage, name: string): Promise<StoredUpload>;
}
export const uploads = service<Uploads>('workspace:uploads');
export const workspace = service<Workspace>('workspace:workspace');

/** A field that a shop has added to a thing. */
export interface Metafield {
  namespace: string;
  key: string;
  type: string;
  value: unknown;
}
export interface Metafields {
  /** By the id of the thing. `entityType` is `catalog.product` and the like. */
  of(entityType: string, ids: readonly string[]): Promise<Map<string, Metafield[]>>;
  /** SQL expression, for use in another statement: JSON array `{namespace, key, value}` of the values that visitors see; `id` is SQL. */
  visibleOf(entityType: string, id: RawBuilder<unknown>): RawBuilder<unknown>;
  /** Definitions that lists and facets filter by; for the storefront only those that visitors see. */
  filterable(entityType: string, options: { storefront: boolean }): Promise<FilterableMetafield[]>;
  /**
   * Conditions of filters by metafields, for use in a statement whose entities have the id `id` (SQL).
   * @throws Problem 400 `invalid_parameter` for a metafield that isn't filterable, and for an operator or value that its type doesn't take
   */
  conditions(
    entityType: string,
    filters: readonly MetafieldFilter[],
    options: { id: RawBuilder<unknown>; storefront: boolean },
  ): Promise<MetafieldCondition[]>;
  /** SQL FROM item with the columns `entity_id`, `definition_id` and `value` (text), for facets. */
  values(definitionIds: readonly string[]): RawBuilder<unknown>;
}

export interface FilterableMetafield {
  /** Id of the definition. */
  id: string;
  namespace: string;
  key: string;
  type: string;
}

/** A filter of a list: `metafield[namespace.key][gte]=5`. */
export interface MetafieldFilter {
  /** The query parameter, which errors name. */
  parameter: string;
  /** `namespace.key`. */
  name: string;
  operator: 'eq' | 'in' | 'gt' | 'gte' | 'lt' | 'lte';
  /** As in the query string. */
  value: string;
}

export interface MetafieldCondition {
  /** `namespace.key`. */
  name: string;
  /** SQL condition. */
  condition: RawBuilder<unknown>;
}
export const metafields = service<Metafields>('workspace:metafields');
