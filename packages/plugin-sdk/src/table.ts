import type { CreateOf, InsertOf, PatchOf, RowOf, Shape } from './field.ts';
import { snake } from './names.ts';

/** What every row carries, set by the server. */
export interface BaseRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export interface TableOptions {
  /** Rows are marked by `deleted_at` and vanish from every read. */
  softDelete?: boolean;
  /** Rows that never change have neither `updated_at` nor `version` columns (ledgers, histories): both read as those of creation. */
  appendOnly?: boolean;
}

/** A tenant-owned table: `id, tenant_id, created_at, updated_at, version` and the columns of its fields. */
export interface Table<S extends Shape> {
  /** Kebab-case noun, unique in the plugin; `<plugin>.<noun>` is entity name and ref target. */
  readonly noun: string;
  readonly fields: S;
  readonly softDelete: boolean;
  readonly appendOnly: boolean;
  /** Type only. */
  readonly _row?: RowOf<S> & BaseRow;
  readonly _create?: CreateOf<S>;
}
export type AnyTable = Table<Shape>;
export type TableRow<T> = T extends Table<infer S> ? RowOf<S> & BaseRow : never;
export type TableInsert<T> = T extends Table<infer S> ? InsertOf<S> : never;
export type TablePatch<T> = T extends Table<infer S> ? PatchOf<S> : never;

const plugins = new WeakMap<object, string>();

/** Describes a table. Its plugin is known once `definePlugin` has taken it. */
export function table<S extends Shape>(noun: string, fields: S, options: TableOptions = {}): Table<S> {
  return Object.freeze({ noun, fields, softDelete: options.softDelete ?? false, appendOnly: options.appendOnly ?? false });
}

/** Called by `definePlugin`: a table belongs to exactly one plugin. */
export function claimTable(plugin: string, owned: AnyTable): void {
  const owner = plugins.get(owned);
  if (owner !== undefined && owner !== plugin) throw new Error(`table ${owned.noun} is claimed by both ${owner} and ${plugin}`);
  plugins.set(owned, plugin);
}

/** `catalog.product`. */
export function entityName(owned: AnyTable): string {
  const owner = plugins.get(owned);
  if (owner === undefined)
    throw new Error(`table ${owned.noun} belongs to no plugin: name it in definePlugin({ tables }) or in a resource`);
  return `${owner}.${owned.noun}`;
}

/** `catalog_product`. */
export function tableName(owned: AnyTable): string {
  return snake(entityName(owned));
}

/** The columns of a field: money has two, a virtual field none. */
export function columnsOf(name: string, kind: string, virtual: boolean): string[] {
  if (virtual) return [];
  const column = snake(name);
  return kind === 'money' ? [`${column}_amount`, `${column}_currency`] : [column];
}
