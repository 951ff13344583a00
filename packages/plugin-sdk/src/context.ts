import type { Kysely, RawBuilder } from 'kysely';
import type { CreateOf, InsertOf, RowOf, Shape } from './field.ts';
import type { BaseRow, Table } from './table.ts';
import type { AnyHook, HookInput, HookResult, Service } from './token.ts';

export type TenantStatus = 'provisioning' | 'trial' | 'active' | 'past_due' | 'suspended' | 'terminated';

export interface Tenant {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly hosts: readonly string[];
  readonly status: TenantStatus;
  readonly timezone: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly locales: readonly string[];
  readonly defaultLocale: string;
  readonly priceMode: 'gross' | 'net';
}

/** Who calls. The kernel has checked the token; a plugin never reads one. */
export type Actor =
  | { readonly type: 'staff'; readonly userId: string; can(permission: string): boolean; readonly authAt?: string }
  | { readonly type: 'customer'; readonly customerId: string; readonly authAt: string }
  | { readonly type: 'guest' }
  | { readonly type: 'operator'; readonly userId: string }
  | { readonly type: 'provider'; readonly provider: string }
  | { readonly type: 'system'; readonly reason: string };

/** The opaque tokens of the request. The plugin that gave one out compares its hash. */
export interface RequestTokens {
  readonly cart?: string;
  readonly order?: string;
  readonly manage?: string;
}

export interface Clock {
  /** The business time (the database's clock), as an instant string. */
  now(): string;
  /** The same in milliseconds since the epoch. */
  ms(): number;
}

export interface Log {
  debug(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

/** A column value in a hand-written query. */
export type Column = string | number | boolean | null | object;
export type AnyDatabase = Record<string, Record<string, Column>>;

/**
 * The transaction of this unit of work, in the tenant's scope. SQL is written with Kysely's `sql` tag: every `${value}` is a parameter.
 * Instants come back as ISO strings, bigint as numbers, numeric as strings, jsonb parsed.
 */
export interface Db {
  readonly query: Kysely<AnyDatabase>;
  rows<R>(statement: RawBuilder<unknown>): Promise<R[]>;
  first<R>(statement: RawBuilder<unknown>): Promise<R | undefined>;
  /** Runs a write; gives the number of affected rows. */
  run(statement: RawBuilder<unknown>): Promise<number>;
  /**
   * A write whose outcome nobody waits for: it goes out with the next statement, at the latest with the commit, in the order of the
   * calls. Where it fails, that one throws. Not for writes whose error is to be caught.
   */
  later(statement: RawBuilder<unknown>): void;
}

/** Equality on members, `null` for empty, an array for "one of". */
export type Where<R> = { readonly [K in keyof R]?: R[K] | readonly R[K][] | undefined };

export interface FindOptions<R> {
  /** `['-createdAt', 'id']`. */
  orderBy?: readonly (`${string & keyof R}` | `-${string & keyof R}`)[];
  limit?: number;
  /** `for update`. Rows are locked in id order. */
  lock?: boolean;
}

/** Reads and writes of one table, rows in wire shape. Every write is scoped to the tenant. */
export interface Rows<S extends Shape> {
  get(id: string, options?: { lock?: boolean }): Promise<(RowOf<S> & BaseRow) | undefined>;
  /** 404 `not_found` when it isn't there. */
  require(id: string, options?: { lock?: boolean }): Promise<RowOf<S> & BaseRow>;
  find(where: Where<RowOf<S> & BaseRow>, options?: FindOptions<RowOf<S> & BaseRow>): Promise<(RowOf<S> & BaseRow)[]>;
  first(where: Where<RowOf<S> & BaseRow>, options?: FindOptions<RowOf<S> & BaseRow>): Promise<(RowOf<S> & BaseRow) | undefined>;
  count(where: Where<RowOf<S> & BaseRow>): Promise<number>;
  /** 409 `duplicate {field}` on a unique key. An `id` may be given; else a UUIDv7 is made. */
  insert(values: InsertOf<S> & { id?: string }): Promise<RowOf<S> & BaseRow>;
  insertMany(values: readonly (InsertOf<S> & { id?: string })[]): Promise<(RowOf<S> & BaseRow)[]>;
  /** A row that nobody reads back and whose keys are free: it goes out as `Db.later` says, and errors come from there. */
  insertLater(values: InsertOf<S> & { id?: string }): void;
  /** Raises `version`. 412 `version_conflict` when `version` is given and differs, 404 when the row isn't there. */
  update(id: string, change: Partial<RowOf<S>>, options?: { version?: number }): Promise<RowOf<S> & BaseRow>;
  updateWhere(where: Where<RowOf<S> & BaseRow>, change: Partial<RowOf<S>>): Promise<number>;
  /** Removes the row (or marks it, where the table is soft-deleted). False when it wasn't there. */
  remove(id: string): Promise<boolean>;
  removeWhere(where: Where<RowOf<S> & BaseRow>): Promise<number>;
}

export interface AuditEntry {
  /** `<plugin>.<resource>`. */
  entity: string;
  entityId: string | null;
  /** Permission-like verb, `orders.order.refund`. Default: the route's permission. */
  action?: string;
  before?: object | null;
  after?: object | null;
  /** Whatever else must be provable, for instance `{amount, reason}`. */
  extra?: Record<string, unknown>;
}

export interface EnqueueOptions {
  /** Instant or seconds from now. */
  startAfter?: string | number;
  /** One waiting job a key. */
  key?: string;
  retryLimit?: number;
}

/** What a thing that may be referred to looks like to the kernel. */
export interface EntityInfo {
  readonly name: string;
  readonly plugin: string;
  readonly table: Table<Shape>;
  readonly on: boolean;
}
export interface Referrer {
  readonly entity: string;
  /** Path of the referring resource, the key in `in_use {counts}`. */
  readonly path: string;
  readonly table: string;
  readonly column: string;
  readonly softDeleted: boolean;
}
export interface Entities {
  find(name: string): EntityInfo | undefined;
  /** Every `f.ref` column, in all plugins, that points at the entity. */
  referrers(name: string): readonly Referrer[];
}

/**
 * Given to every handler, hook, event and job. Not in it: the raw pool, the Koa app, `process.env`, other plugins' tables.
 */
export interface Ctx {
  /** The plugin whose code this context serves. */
  readonly plugin: string;
  readonly tenant: Tenant;
  readonly actor: Actor;
  readonly tokens: RequestTokens;
  readonly db: Db;
  readonly log: Log;
  readonly clock: Clock;
  /** Aborted when the work is of no use any more: the caller has hung up, or the worker is to end. */
  readonly signal: AbortSignal;
  /** The caller's locale, one of the tenant's. */
  readonly locale: string;
  readonly requestId: string;
  /** Address of the caller, null in jobs. */
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly entities: Entities;
  /** Whether a plugin is on for this tenant. */
  isOn(plugin: string): boolean;
  /** The plugin's own settings for this tenant, defaults filled, secrets decrypted. `S` is the shape given to definePlugin. */
  settings<S extends Shape>(shape: S): CreateOf<S>;
  /** Writes settings of the plugin (merged, validated); the change is felt by every process at once. */
  saveSettings(values: Record<string, unknown>): Promise<void>;
  /** A service of another plugin; undefined when its owner is off for the tenant. */
  use<T>(token: Service<T>): T | undefined;
  /** The same, or 501 `provider_not_configured {provider}`. */
  require<T>(token: Service<T>): T;
  /** Calls a hook that this plugin owns. */
  call<H extends AnyHook>(hook: H, input: HookInput<H>): Promise<HookResult<H>>;
  rows<S extends Shape>(table: Table<S>): Rows<S>;
  /** An event of this plugin (`events.emits`), delivered after commit, in order per aggregate. */
  emit(type: string, event: { id: string; data: Record<string, unknown> }): Promise<void>;
  /** A job of this plugin, committed with this transaction. */
  enqueue(job: string, data: Record<string, unknown>, options?: EnqueueOptions): Promise<void>;
  audit(entry: AuditEntry): Promise<void>;
  /** Appends to the status history that analytics reads. */
  history(entry: { entity: string; entityId: string; from: string | null; to: string; reason?: string | null }): Promise<void>;
  /** True for staff with the permission and for `system`; false for everybody else. */
  can(permission: string): boolean;
  /** Runs after this transaction has committed, outside any; errors are logged. For what may be lost (a cache, a nudge). */
  onCommit(fn: () => void | Promise<void>): void;
  /** Outside a transaction (jobs, `transaction: 'none'` routes, `then` of a reply): opens one. Inside: joins it. */
  transaction<T>(fn: (ctx: Ctx) => Promise<T>, options?: { readOnly?: boolean }): Promise<T>;
  /** Inside the transaction: if `fn` throws, what it wrote is undone and the rest of the unit of work stands (one bad row of a batch). */
  savepoint<T>(fn: () => Promise<T>): Promise<T>;
  /**
   * What `load` reads of the shop's configuration: tables that their migration declares with `core_configuration_table`. In storefront
   * requests this process remembers the value until one of these tables changes; everywhere else `load` runs each time. The key is the
   * plugin's own; the value is shared, so nobody may change it.
   */
  remember<T>(key: string, load: () => Promise<T>): Promise<T>;
  /**
   * Asks somebody outside (a carrier, a register) with no transaction open. The unit of work is undone, `ask` runs, and the unit begins
   * again, where the same call gives the answer; several that are called at once are asked together. The key, of the plugin's own, must
   * say all that the answer depends on: what has changed meanwhile makes another key, and is asked for. Where no transaction is open,
   * `ask` runs at once. It has no database, and what it throws ends the unit of work.
   */
  withoutTransaction<T>(key: string, ask: () => Promise<T>): Promise<T>;
  /**
   * In storefront requests: one value a unit of work, made at the first call with the key, for what several steps need and none of them
   * changes. Undefined everywhere else.
   */
  once<T>(key: string, make: () => T): T | undefined;
  /** Drops cached public answers that carry one of the tags, in every process, at commit. */
  dropCache(...tags: string[]): void;
  /** Authenticated encryption with the installation's key. */
  seal(text: string): string;
  unseal(sealed: string): string;
  /** HMAC-SHA256 with a key of the installation, base64url; `purpose` keeps uses apart. */
  sign(purpose: string, text: string): string;
}

/**
 * The context of super-admin routes (one platform transaction is open), of `auth` and `system` routes (none is open: use `withTenant`
 * or `transaction`), and of platform jobs (none is open). No tenant; the database as platform role.
 */
export interface PlatformCtx
  extends Omit<Ctx, 'tenant' | 'settings' | 'saveSettings' | 'use' | 'require' | 'transaction' | 'call'> {
  readonly tenant: null;
  /** The tenant whose host was called, null on the installation's own address. */
  readonly hostTenant: Tenant | null;
  transaction<T>(fn: (ctx: PlatformCtx) => Promise<T>, options?: { readOnly?: boolean }): Promise<T>;
  use<T>(token: Service<T>): T | undefined;
  require<T>(token: Service<T>): T;
  /** The only way into a tenant's rows. */
  withTenant<T>(tenantId: string, fn: (ctx: Ctx) => Promise<T>, options?: { readOnly?: boolean }): Promise<T>;
}
