import type { CreateOf, InsertOf, PatchOf, RowOf, Shape } from './field.ts';
import { assertKnownProperties } from './known-properties.ts';
import { snake } from './names.ts';

/** Properties that every row has, set by the server. */
export interface BaseRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
}

/** An index or unique key of a table. The tenant comes first in it without being named. */
export interface TableKey {
  /** Fields in order, also `id`, `createdAt`, `updatedAt`. Money is its amount. None for a key of the tenant alone, which needs a name. */
  readonly fields: readonly string[];
  /** SQL condition of a partial index, `status = 'pending'`. */
  readonly where?: string;
  /** Default `<table>_<columns>_idx`, of a unique key `<table>_<columns>_key`, which 409 `duplicate {field}` reads. */
  readonly name?: string;
}

/**
 * Keys and checks of a table, for `storeloom migrate diff`. A migration may have more checks; each of its indexes and unique keys is
 * declared here, or named in `sqlOnly`.
 */
export interface TableKeys {
  /** Indexes. */
  indexes?: readonly TableKey[];
  /** Unique keys. */
  uniques?: readonly TableKey[];
  /** Checks: SQL condition by the last part of the name, `{ nights: 'nights > 0' }` is `<table>_nights_check`. */
  checks?: Readonly<Record<string, string>>;
  /**
   * Indexes, unique keys and exclusion constraints that only the migration contains: the reason by full name. For expressions, descending
   * columns, other methods than btree, and keys that don't begin with the tenant.
   */
  sqlOnly?: Readonly<Record<string, string>>;
}

/** Options of a table. */
export interface TableOptions extends TableKeys {
  /** True if removed rows are marked by `deleted_at` and hidden from every read. */
  softDelete?: boolean;
  /**
   * True if rows never change (ledgers, histories): the table has no `updated_at` and `version` columns; both are read as those
   * of creation.
   */
  appendOnly?: boolean;
}

/** A table of any shape. */
export interface AnyTable {
  /** Noun in kebab-case, unique in the plugin; `<plugin>.<noun>` is entity name and ref target. */
  readonly noun: string;
  /** Fields by property name. */
  readonly fields: Shape;
  /** True if removed rows are marked and hidden. */
  readonly softDelete: boolean;
  /** True if rows never change. */
  readonly appendOnly: boolean;
  /** Declared keys and checks. */
  readonly keys: Readonly<Required<TableKeys>>;
}

/** A tenant-owned table: `id, tenant_id, created_at, updated_at, version` and the columns of its fields. */
export interface Table<S extends Shape> extends AnyTable {
  /** Fields by property name. */
  readonly fields: S;
  /** Type tag; never set. */
  readonly _row?: RowOf<S> & BaseRow;
  readonly _create?: CreateOf<S>;
}
/** Row of a table. */
export type TableRow<T> = T extends Table<infer S> ? RowOf<S> & BaseRow : never;
/** What `rows.insert` of a table accepts. */
export type TableInsert<T> = T extends Table<infer S> ? InsertOf<S> : never;
/** Body of a PATCH of a table. */
export type TablePatch<T> = T extends Table<infer S> ? PatchOf<S> : never;

const plugins = new WeakMap<object, string>();

const tableProperties: Readonly<Record<keyof TableOptions, true>> = {
  indexes: true,
  uniques: true,
  checks: true,
  sqlOnly: true,
  softDelete: true,
  appendOnly: true,
};

/** Declares a table. It belongs to the plugin whose definition contains it. */
export function table<S extends Shape>(noun: string, fields: S, options: TableOptions = {}): Table<S> {
  assertKnownProperties(`table ${noun}`, options, tableProperties);
  const { softDelete = false, appendOnly = false, indexes = [], uniques = [], checks = {}, sqlOnly = {} } = options;
  return Object.freeze({ noun, fields, softDelete, appendOnly, keys: Object.freeze({ indexes, uniques, checks, sqlOnly }) });
}

/**
 * Assigns a table to a plugin. Called by `definePlugin`.
 *
 * @throws Error if it belongs to another plugin
 */
export function claimTable(plugin: string, owned: AnyTable): void {
  const owner = plugins.get(owned);
  if (owner !== undefined && owner !== plugin)
    throw new Error(`the table ${owned.noun} belongs to two plugins: ${owner} and ${plugin}`);
  plugins.set(owned, plugin);
}

/**
 * Returns the entity name of a table, `catalog.product`.
 *
 * @throws Error if it belongs to no plugin
 */
export function entityName(owned: AnyTable): string {
  const owner = plugins.get(owned);
  if (owner === undefined)
    throw new Error(`the table ${owned.noun} belongs to no plugin: add it to definePlugin({ tables }) or to a resource`);
  return `${owner}.${owned.noun}`;
}

/** Returns the name of a table in the database, `catalog_product`. */
export function tableName(owned: AnyTable): string {
  return snake(entityName(owned));
}

/** Returns the columns of a field: two for money, none for a virtual field. */
export function columnsOf(name: string, kind: string, virtual: boolean): string[] {
  if (virtual) return [];
  const column = snake(name);
  return kind === 'money' ? [`${column}_amount`, `${column}_currency`] : [column];
}
