import type { RawBuilder } from 'kysely';
import type { Ctx } from '../context.ts';
import type { ListSort } from '../data/keyset.ts';
import type { List, ListFilter, ListQuery } from '../data/list.ts';
import type { CreateOf, InsertOf, PatchOf, RowOf, Shape } from '../field.ts';
import type { Req, Route, RouteOptions } from '../route.ts';
import type { Machine } from '../state/machine.ts';
import type { AnyTable, BaseRow, Table, TableKeys } from '../table.ts';

/** Standard routes of a resource. */
export type Verb = 'list' | 'get' | 'create' | 'update' | 'replace' | 'remove';
/** A row of a resource. */
/** A row of a resource: its fields but the write-only ones, and `id`, `createdAt`, `updatedAt`, `version`. */
export type Row<S extends Shape> = RowOf<S> & BaseRow;
export type AnyReq = Req<Record<string, string>, never, never>;

/** Options of a resource. */
export interface ResourceOptions<S extends Shape> extends TableKeys {
  /** Path of the routes, `rentals` or `taxes/rates`. */
  path: string;
  /** Standard routes that it has. */
  verbs: readonly Verb[];
  /** Fields by property name. */
  fields: S;
  /** State machine of the property `status`, which is added to the fields. */
  machine?: Machine<string, never>;
  /** Sort of lists. Default `-createdAt`. */
  defaultSort?: string;
  /** Filters beyond those of the fields. */
  filters?: Readonly<Record<string, ListFilter>>;
  /** Sorts beyond those of the fields. */
  sorts?: Readonly<Record<string, ListSort>>;
  /** Condition of the search `q`. Default: the fields with `.search()`. */
  search?: (q: string) => RawBuilder<unknown>;
  /** Further condition of every list. */
  scope?: (ctx: Ctx, query: ListQuery) => RawBuilder<unknown> | undefined;
  /** Checks or changes the input before the write, in its transaction. */
  before?: {
    create?(ctx: Ctx, input: CreateOf<S>, req: AnyReq): Promise<Partial<CreateOf<S>> | void> | Partial<CreateOf<S>> | void;
    update?(
      ctx: Ctx,
      row: Row<S>,
      patch: PatchOf<S>,
      req: AnyReq,
    ): Promise<Partial<CreateOf<S>> | void> | Partial<CreateOf<S>> | void;
    remove?(ctx: Ctx, row: Row<S>, req: AnyReq): Promise<void> | void;
  };
  /**
   * Writes the row of a POST in place of a plain insert, through `Resource.create`: with its locks, its rows in other tables, its own
   * checks. References have been checked, `before.create` has run; the audit entry and the response follow. `after.create` isn't called.
   */
  create?(ctx: Ctx, input: CreateOf<S>, req: AnyReq): Promise<Row<S>>;
  /** Runs after the write, in its transaction. */
  after?: {
    create?(ctx: Ctx, row: Row<S>, input: CreateOf<S>): Promise<void> | void;
    update?(ctx: Ctx, row: Row<S>, patch: PatchOf<S>, previous: Row<S>): Promise<void> | void;
    remove?(ctx: Ctx, row: Row<S>): Promise<void> | void;
  };
  /**
   * Returns the objects of the response, in the order of the rows: fills virtual properties and hides what the caller may not see. Receives
   * all rows of the response, and the query of a list.
   */
  present?(ctx: Ctx, rows: Row<S>[], purpose: 'list' | 'one', query?: ListQuery): Promise<object[]> | object[];
  /** Replaces the handler of a standard route; the pipeline stays. */
  handlers?: Partial<Record<Verb, (ctx: Ctx, req: AnyReq) => unknown>>;
  /** `restrict` (default): 409 `in_use {counts}` while anything refers to the row. `soft`: marked and hidden. `free`: removed. */
  deletes?: 'restrict' | 'soft' | 'free';
  /** Problem codes that its writes and transitions can answer with, for OpenAPI. */
  problems?: readonly string[];
  /** Further options of a standard route. */
  routes?: Partial<Record<Verb, Partial<RouteOptions>>>;
  /** Stem of the permissions. Default `<plugin>.<noun>`. */
  permission?: string;
  /** Standard routes beyond the specified interface. */
  additive?: readonly Verb[];
  /** Child resources by path segment. */
  children?: Readonly<Record<string, Child>>;
}

/** Options of `Resource.create`. */
export interface CreateOptions {
  /** Further data of the event, besides the id. */
  data?: Record<string, unknown>;
  /** Action of an audit entry, `rentals.rental.reserve`. A POST of the resource writes its own. */
  audit?: string;
  /** Reason in the status history. */
  reason?: string;
}

/**
 * Routes `/{id}/<key>` for rows of another table that belong to this one; with the verbs `update` and `remove` also
 * `/{id}/<key>/{childId}`.
 */
export interface Child {
  /** The child resource. */
  readonly resource: Resource;
  /** Property of the child that holds the parent's id. */
  readonly parent: string;
  /** Names of the path parameters of parent and child. Default `id` and `childId`. */
  readonly params?: readonly [parent: string, child: string];
}

/** A resource. */
export interface Resource<S extends Shape = Shape> extends Table<S> {
  /** Distinguishes it from a route. */
  readonly kind: 'resource';
  /** Path of the routes. */
  readonly path: string;
  /** Options of the resource. */
  readonly options: ResourceOptions<S>;
  /** Returns the tables of the resource and its children. */
  tables(): readonly AnyTable[];
  /** Returns the routes of the resource. */
  routes(plugin: string): Route[];
  /**
   * Inserts a row with the first entry of its status history and its event `<plugin>.<noun>.created {id}`.
   * @throws 409 `duplicate {field}` on a unique key
   */
  create(ctx: Ctx, values: InsertOf<S> & { id?: string }, options?: CreateOptions): Promise<Row<S>>;
  /**
   * Makes a transition of a row: lock, guard, effects, history, event. Returns the row after it.
   *
   * @throws Problem 404 `not_found`, 409 `invalid_transition`
   */
  move(ctx: Ctx, id: string, move: string, input?: Record<string, unknown>): Promise<Row<S>>;
  /** Returns the list of the resource, for a screen or export with the same filters. */
  list(): List;
}
