import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Kysely, QueryExecutorProvider } from 'kysely';
import type { EmitData, EventToken } from './event.ts';
import type { CreateOf, InsertOf, RowOf, Shape } from './field.ts';
import type { JobToken } from './job.ts';
import type { BaseRow, Table } from './table.ts';
import type { AnyHook, HookInput, HookResult, Service } from './token.ts';

/** Lifecycle of a tenant. `suspended` and `terminated` shops are answered with 503. */
export type TenantStatus = 'provisioning' | 'trial' | 'active' | 'past_due' | 'suspended' | 'terminated';

/** The tenant of a request or job. */
export interface Tenant {
  readonly id: string;
  /** Unique short name. */
  readonly slug: string;
  readonly name: string;
  /** Host names, the main one first. */
  readonly hosts: readonly string[];
  /** Lifecycle status. */
  readonly status: TenantStatus;
  /** IANA time zone. */
  readonly timezone: string;
  /** ISO 4217 code of the shop's currency. */
  readonly currency: string;
  /** Locales of the shop. */
  readonly locales: readonly string[];
  /** One of `locales`. */
  readonly defaultLocale: string;
  /** Whether prices contain the tax. */
  readonly priceMode: 'gross' | 'net';
}

/**
 * Who makes the request. The kernel has checked the credentials; a plugin never reads a token of its own. `authAt` is the instant
 * of the last sign-in.
 */
export type Actor =
  | { readonly type: 'staff'; readonly userId: string; can(permission: string): boolean; readonly authAt?: string }
  | { readonly type: 'customer'; readonly customerId: string; readonly authAt: string }
  | { readonly type: 'guest' }
  | { readonly type: 'operator'; readonly userId: string }
  | { readonly type: 'provider'; readonly provider: string }
  | { readonly type: 'system'; readonly reason: string };

/** Opaque tokens of the request. The plugin that issued a token compares its hash. */
export interface RequestTokens {
  /** Token of a guest's cart. */
  readonly cart?: string;
  /** Token of an order's status page. */
  readonly order?: string;
  /** Token of `issueManageToken`. */
  readonly manage?: string;
}

/** The current time of a unit of work. */
export interface Clock {
  /** Returns the database's time as an instant. */
  now(): string;
  /** Returns the database's time in milliseconds since 1970. */
  ms(): number;
}

/** The structured log; entries carry plugin, tenant and request id. */
export interface Log {
  /** Logs details for developers. */
  debug(fields: Record<string, unknown>, message: string): void;
  /** Logs a normal event. */
  info(fields: Record<string, unknown>, message: string): void;
  /** Logs an unexpected condition that needs no action yet. */
  warn(fields: Record<string, unknown>, message: string): void;
  /** Logs an error that needs attention. */
  error(fields: Record<string, unknown>, message: string): void;
}

/** A column value in a hand-written query. */
export type Column = string | number | boolean | null | object;
/** Schema type of `Db.query`: any table and column. */
export type AnyDatabase = Record<string, Record<string, Column>>;

/** A statement that `Db` runs: made by Kysely's `sql` tag, or one whose text is known. */
export interface SqlStatement {
  /** Returns the text with `$1`, `$2` … and the values. */
  compile(compiler: QueryExecutorProvider): { readonly sql: string; readonly parameters: readonly unknown[] };
}

/**
 * The transaction of this unit of work, limited to the tenant. Write SQL with Kysely's `sql` tag: every `${value}` is a
 * parameter. Instants are returned as ISO strings, bigint as number, numeric as string, jsonb parsed.
 */
export interface Db {
  /** Kysely query builder on this transaction. */
  readonly query: Kysely<AnyDatabase>;
  /** Runs a query and returns its rows. */
  rows<R>(statement: SqlStatement): Promise<R[]>;
  /** Runs a query and returns its first row; undefined if there is none. */
  first<R>(statement: SqlStatement): Promise<R | undefined>;
  /** Runs a write and returns the number of affected rows. */
  run(statement: SqlStatement): Promise<number>;
  /**
   * Queues a write whose result isn't needed: it is sent with the next statement, at the latest with the commit, in the order of
   * the calls. Its error is thrown by that statement. Don't use it for a write whose error must be caught.
   */
  later(statement: SqlStatement): void;
}

/** Equality by field; `null` for empty, an array for any of its values. */
export type Where<R> = { readonly [K in keyof R]?: R[K] | readonly R[K][] | undefined };

/** Options of a query on one table. */
export interface FindOptions<R> {
  /** Fields, descending with `-`: `['-createdAt', 'id']`. */
  orderBy?: readonly (`${string & keyof R}` | `-${string & keyof R}`)[];
  /** Maximum number of rows. */
  limit?: number;
  /** Locks the rows `for update`, in id order. */
  lock?: boolean;
}

/** Reads and writes one table; rows have the shape of the API. Every statement is limited to the tenant. */
export interface Rows<S extends Shape> {
  /** Returns a row; undefined if it doesn't exist. */
  get(id: string, options?: { lock?: boolean }): Promise<(RowOf<S> & BaseRow) | undefined>;
  /**
   * Returns a row.
   *
   * @throws Problem 404 `not_found`
   */
  require(id: string, options?: { lock?: boolean }): Promise<RowOf<S> & BaseRow>;
  /** Returns the matching rows. */
  find(where: Where<RowOf<S> & BaseRow>, options?: FindOptions<RowOf<S> & BaseRow>): Promise<(RowOf<S> & BaseRow)[]>;
  /** Returns the first matching row; undefined if there is none. */
  first(where: Where<RowOf<S> & BaseRow>, options?: FindOptions<RowOf<S> & BaseRow>): Promise<(RowOf<S> & BaseRow) | undefined>;
  /** Returns the number of matching rows. */
  count(where: Where<RowOf<S> & BaseRow>): Promise<number>;
  /**
   * Inserts a row and returns it. Without an `id` it gets a UUIDv7.
   *
   * @throws Problem 409 `duplicate {field}` on a unique key
   */
  insert(values: InsertOf<S> & { id?: string }): Promise<RowOf<S> & BaseRow>;
  /**
   * Inserts rows and returns them in order.
   *
   * @throws Problem 409 `duplicate {field}` on a unique key
   */
  insertMany(values: readonly (InsertOf<S> & { id?: string })[]): Promise<(RowOf<S> & BaseRow)[]>;
  /** Queues the insert of a row that isn't read back and whose keys are free. Errors are thrown as `Db.later` describes. */
  insertLater(values: InsertOf<S> & { id?: string }): void;
  /**
   * Changes a row, increases its `version`, and returns it.
   *
   * @throws Problem 412 `version_conflict` if `version` is given and differs, 404 `not_found`
   */
  update(id: string, change: Partial<RowOf<S>>, options?: { version?: number }): Promise<RowOf<S> & BaseRow>;
  /**
   * Changes several rows in one statement, increases their `version`, and returns them in order. All changes have the same properties.
   *
   * @throws Problem 404 `not_found` if a row doesn't exist
   */
  updateMany(changes: readonly (Partial<RowOf<S>> & { id: string })[]): Promise<(RowOf<S> & BaseRow)[]>;
  /** Changes the matching rows and returns their number. */
  updateWhere(where: Where<RowOf<S> & BaseRow>, change: Partial<RowOf<S>>): Promise<number>;
  /** Removes a row, or marks it if the table is soft-deleted; returns false if it didn't exist. */
  remove(id: string): Promise<boolean>;
  /** Removes the matching rows and returns their number. */
  removeWhere(where: Where<RowOf<S> & BaseRow>): Promise<number>;
}

/** An entry for the audit log. */
export interface AuditEntry {
  /** `<plugin>.<resource>`. */
  entity: string;
  /** Id of the row, if the action concerns one. */
  entityId: string | null;
  /** Verb in the form of a permission, `orders.order.refund`. Default: the permission of the route. */
  action?: string;
  /** Row before the change. */
  before?: object | null;
  /** Row after the change. */
  after?: object | null;
  /** Further evidence, for instance `{amount, reason}`. */
  extra?: Record<string, unknown>;
}

/** Options of a queued job. */
export interface EnqueueOptions {
  /** Instant, or seconds from now. */
  startAfter?: string | number;
  /** At most one waiting job for each key. */
  key?: string;
  /** Number of retries after a failure. */
  retryLimit?: number;
}

/** An entity that `f.ref` can refer to. */
export interface EntityInfo {
  readonly name: string;
  /** Plugin that owns it. */
  readonly plugin: string;
  /** Its table. */
  readonly table: Table<Shape>;
  /** True if the plugin is on for the tenant. */
  readonly on: boolean;
}
/** A column that refers to an entity. */
export interface Referrer {
  /** Entity that has the column. */
  readonly entity: string;
  /** Path of the referring resource, the key in `in_use {counts}`. */
  readonly path: string;
  /** Name of the table. */
  readonly table: string;
  /** Name of the column. */
  readonly column: string;
  /** True if the table is soft-deleted. */
  readonly softDeleted: boolean;
}
/** Looks up entities of the loaded plugins. */
export interface Entities {
  /** Returns an entity by its name `<plugin>.<resource>`; undefined if it doesn't exist. */
  find(name: string): EntityInfo | undefined;
  /** Returns every `f.ref` column, in all plugins, that refers to the entity. */
  referrers(name: string): readonly Referrer[];
}

/**
 * The context of every handler, hook, event handler and job. It doesn't expose the connection pool, the Koa app, `process.env`,
 * or other plugins' tables.
 */
export interface Ctx {
  /** The plugin whose code the context serves. */
  readonly plugin: string;
  /** The tenant of the request or job. */
  readonly tenant: Tenant;
  /** Who makes the request. */
  readonly actor: Actor;
  /** Opaque tokens of the request. */
  readonly tokens: RequestTokens;
  /** The transaction. */
  readonly db: Db;
  /** The log. */
  readonly log: Log;
  /** The current time. */
  readonly clock: Clock;
  /** Aborted when the client disconnects, the worker stops, or the tap misses its deadline. */
  readonly signal: AbortSignal;
  /** The caller's locale, one of the tenant's. */
  readonly locale: string;
  /** Id of the request, in logs and problems. */
  readonly requestId: string;
  /** IP address of the caller; null in jobs. */
  readonly ip: string | null;
  /** User agent of the caller; null in jobs. */
  readonly userAgent: string | null;
  /** Entities of the loaded plugins. */
  readonly entities: Entities;
  /** Returns true if a plugin is on for the tenant. */
  isOn(plugin: string): boolean;
  /**
   * Returns the plugin's settings for the tenant, with defaults filled in and secrets decrypted. `shape` is the `settings` of
   * definePlugin.
   */
  settings<S extends Shape>(shape: S): CreateOf<S>;
  /**
   * Validates and saves settings of the plugin, leaving the others as they are. Every process uses the new values immediately.
   *
   * @throws Problem 422 `validation_failed`
   */
  saveSettings(values: Record<string, unknown>): Promise<void>;
  /**
   * Returns a service of another plugin; undefined if the plugin is off for the tenant.
   *
   * @throws Problem 503 `plugin_unavailable` in work that can write, if the tenant has the plugin on and it isn't ready
   */
  use<T>(token: Service<T>): T | undefined;
  /**
   * Returns a service of another plugin.
   *
   * @throws Problem 501 `provider_not_configured {provider}` if the plugin is off for the tenant; 503 `plugin_unavailable` if it
   * is on and isn't ready
   */
  require<T>(token: Service<T>): T;
  /** Calls a hook that this plugin owns. */
  call<H extends AnyHook>(hook: H, input: HookInput<H>): Promise<HookResult<H>>;
  /**
   * MikroORM's entity manager on this transaction, for entities of `entityOf(table)`: identity map, `populate`, one flush before the
   * commit, optimistic locking by `version` (412 `version_conflict`), nested transactions (`em.transactional` is a savepoint). Finds,
   * updates and deletes are limited to the tenant; `findOneOrFail` throws 404. `ctx.db`, `ctx.rows`, hooks and services flush pending
   * changes first. Filters accept equality, lists and the comparisons of `op`. Only one operation runs at a time; beside an open
   * `em.transactional` all others throw. A query builder only reads.
   */
  readonly em: SqlEntityManager;
  /** Returns the rows of a table of this plugin. */
  rows<S extends Shape>(table: Table<S>): Rows<S>;
  /** Publishes an event of this plugin (`events.emits`), delivered after the commit, in order for each aggregate. */
  emit<S extends Shape>(type: EventToken<S>, event: { id: string; data: EmitData<S> }): Promise<void>;
  /** Queues a job of this plugin, committed with this transaction. */
  enqueue<D extends object>(job: JobToken<D>, data: NoInfer<D>, options?: EnqueueOptions): Promise<void>;
  /** Appends to the audit log, in this transaction. */
  audit(entry: AuditEntry): Promise<void>;
  /** Appends to the status history, which analytics reads. */
  history(entry: { entity: string; entityId: string; from: string | null; to: string; reason?: string | null }): Promise<void>;
  /** Returns true for staff with the permission and for `system`; false for all others. */
  can(permission: string): boolean;
  /**
   * Runs `fn` after the commit, outside any transaction; its errors are logged. For effects that may be lost (a cache, a
   * notification of another process).
   */
  onCommit(fn: () => void | Promise<void>): void;
  /**
   * Runs `fn` in a transaction: opens one (in jobs and routes with `transaction: 'none'`, and in `after` of a reply), or joins
   * the one that it is called inside. A context has one transaction at a time.
   *
   * @throws Error beside a transaction that a parallel call has opened; `db`, `em`, `rows`, `emit`, hooks and the like throw
   * there too. Run external calls in parallel before or after the transaction, or inside it one after the other.
   * @example
   * const images = await Promise.all(urls.map((url) => download(url)));
   * await ctx.transaction((inner) => store(inner, images));
   */
  transaction<T>(fn: (ctx: Ctx) => Promise<T>, options?: { readOnly?: boolean }): Promise<T>;
  /**
   * Runs `fn` in a savepoint: if it throws, what it wrote, emitted and audited is undone and the unit of work continues (one
   * invalid row of a batch). Statements from outside `fn` wait for its end.
   */
  savepoint<T>(fn: () => Promise<T>): Promise<T>;
  /**
   * Returns the result of `load`, which must read only configuration: tables declared by `core_configuration_table` in their
   * migration. In storefront requests the process caches the value until one of these tables changes; elsewhere `load` runs each
   * time. The key belongs to the plugin; the value is shared and must not be changed.
   */
  remember<T>(key: string, load: () => Promise<T>): Promise<T>;
  /**
   * Calls an external system (a carrier, a register) with no transaction open. The unit of work is rolled back, `ask` runs, and
   * the unit of work runs again, where the same call returns the result; simultaneous calls run in parallel. The key belongs to
   * the plugin and must contain everything that the result depends on: if that changes, the call is repeated with the new key.
   * Without an open transaction `ask` runs immediately. `ask` has no database, and an error ends the unit of work.
   */
  withoutTransaction<T>(key: string, ask: () => Promise<T>): Promise<T>;
  /**
   * In storefront requests: returns one value for each unit of work, created on the first call with the key, for data that
   * several steps need and none changes. Returns undefined elsewhere.
   */
  once<T>(key: string, make: () => T): T | undefined;
  /** Drops cached public responses with one of the tags, in every process, on commit. */
  dropCache(...tags: string[]): void;
  /** Encrypts text with the installation's key (authenticated encryption). */
  seal(text: string): string;
  /**
   * Decrypts text of `seal`.
   *
   * @throws Error if it was changed, or sealed with another key
   */
  unseal(sealed: string): string;
  /** Returns an HMAC-SHA256 with a key of the installation in base64url; `purpose` separates uses. */
  sign(purpose: string, text: string): string;
}

/**
 * The context of super-admin routes (a platform transaction is open), of `auth` and `system` routes and platform jobs (none is
 * open: use `withTenant` or `transaction`). It has no tenant and uses the database as the platform role.
 */
export interface PlatformCtx
  extends Omit<Ctx, 'tenant' | 'settings' | 'saveSettings' | 'use' | 'require' | 'transaction' | 'call'> {
  /** Always null. */
  readonly tenant: null;
  /** The tenant whose host was called; null on the installation's own address. */
  readonly hostTenant: Tenant | null;
  /** Runs `fn` in a transaction of the platform role. */
  transaction<T>(fn: (ctx: PlatformCtx) => Promise<T>, options?: { readOnly?: boolean }): Promise<T>;
  /** Returns a service of another plugin; undefined if the plugin isn't loaded. */
  use<T>(token: Service<T>): T | undefined;
  /**
   * Returns a service of another plugin.
   *
   * @throws Problem 501 `provider_not_configured {provider}` if the plugin isn't loaded
   */
  require<T>(token: Service<T>): T;
  /** Runs `fn` in a transaction of a tenant: the only access to a tenant's rows. */
  withTenant<T>(tenantId: string, fn: (ctx: Ctx) => Promise<T>, options?: { readOnly?: boolean }): Promise<T>;
}
