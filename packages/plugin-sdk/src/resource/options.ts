import type { RawBuilder } from 'kysely';
import type { Ctx } from '../context.ts';
import type { ListSort } from '../data/keyset.ts';
import type { List, ListFilter, ListQuery } from '../data/list.ts';
import type { CreateOf, InsertOf, PatchOf, RowOf, Shape } from '../field.ts';
import type { Req, Route, RouteOptions } from '../route.ts';
import type { Machine } from '../state/machine.ts';
import type { AnyTable, BaseRow, Table } from '../table.ts';

export type Verb = 'list' | 'get' | 'create' | 'update' | 'replace' | 'remove';
export type Row<S extends Shape> = RowOf<S> & BaseRow;
export type AnyReq = Req<Record<string, string>, never, never>;

export interface ResourceOptions<S extends Shape> {
  /** Route group, `rentals` or `taxes/rates`. */
  path: string;
  verbs: readonly Verb[];
  fields: S;
  /** Own machine of the member `status`, which is added to the fields. */
  machine?: Machine<string, never>;
  /** Sort of lists, default `-createdAt`. */
  defaultSort?: string;
  /** Filters and sorts beyond those of the fields. */
  filters?: Readonly<Record<string, ListFilter>>;
  sorts?: Readonly<Record<string, ListSort>>;
  search?: (q: string) => RawBuilder<unknown>;
  /** Further condition on every list. */
  scope?: (ctx: Ctx, query: ListQuery) => RawBuilder<unknown> | undefined;
  /** Change or check the input. Runs before the write, in its transaction. */
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
  after?: {
    create?(ctx: Ctx, row: Row<S>, input: CreateOf<S>): Promise<void> | void;
    update?(ctx: Ctx, row: Row<S>, patch: PatchOf<S>, previous: Row<S>): Promise<void> | void;
    remove?(ctx: Ctx, row: Row<S>): Promise<void> | void;
  };
  /** Fills virtual members and hides what the caller may not see; gets all rows of the answer at once. */
  present?(ctx: Ctx, rows: Row<S>[], purpose: 'list' | 'one'): Promise<Row<S>[]> | Row<S>[];
  /** Overrides one verb; the pipeline stays. */
  handlers?: Partial<Record<Verb, (ctx: Ctx, req: AnyReq) => unknown>>;
  /** `restrict` (default): 409 `in_use {counts}` while anything refers to it. `soft`: marked and hidden. `free`: removed. */
  deletes?: 'restrict' | 'soft' | 'free';
  /** Options added to a verb's route. */
  routes?: Partial<Record<Verb, Partial<RouteOptions>>>;
  /** Stem of the permissions. Default `<plugin>.<noun>`. */
  permission?: string;
  /** Verbs that are beyond the interface's list. */
  additive?: readonly Verb[];
  children?: Readonly<Record<string, Child>>;
}

export interface CreateOptions {
  /** Further data of the event, beside the id. */
  data?: Record<string, unknown>;
  /** Action of an audit entry, `rentals.rental.reserve`. A POST of the resource writes one of its own. */
  audit?: string;
  /** Of the status history. */
  reason?: string;
}

/** `/{id}/<key>`: rows of another table that name this one. With the verbs `update` and `remove` also `/{id}/<key>/{childId}`. */
export interface Child {
  readonly resource: Resource;
  /** Member of the child that holds the parent's id. */
  readonly parent: string;
  /** Names of the path's parameters, the parent's and the child's. Default `id` and `childId`. */
  readonly params?: readonly [parent: string, child: string];
}

export interface Resource<S extends Shape = Shape> extends Table<S> {
  readonly kind: 'resource';
  readonly path: string;
  readonly options: ResourceOptions<S>;
  tables(): readonly AnyTable[];
  /** The routes it yields, exactly as the interface lists them. */
  routes(plugin: string): Route[];
  /**
   * Inserts a row with the first entry of its status history and its event `<plugin>.<noun>.created {id}`.
   * @throws 409 `duplicate {field}` on a unique key
   */
  create(ctx: Ctx, values: InsertOf<S> & { id?: string }, options?: CreateOptions): Promise<Row<S>>;
  /** Moves a row by name: lock, guard, effects, history, event. Gives the row after it. */
  move(ctx: Ctx, id: string, move: string, input?: Record<string, unknown>): Promise<Row<S>>;
  /** The list engine, for a screen or export that wants the same filters. */
  list(): List;
}
