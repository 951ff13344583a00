import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { type CreateOf, type Field, type FieldMode, type FieldSpec, f, type Shape } from '../field.ts';
import { snake } from '../names.ts';
import type { Page } from '../reply.ts';
import { invalidParameter } from '../schema/faults.ts';
import { parseParameter, parseQuery } from '../schema/parameters.ts';
import { splitValues } from '../schema/split-values.ts';
import { after, type ListSort, readCursor, type SortKey, withoutKeys, writeCursor } from './keyset.ts';

/** Comparison of a filter. */
export type Operator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in';
const ordered: readonly Operator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'];
const plain: readonly Operator[] = ['eq', 'ne', 'in'];

/** A filter of a list. */
export interface ListFilter {
  /** Kind and limits of the value. */
  field: Field<unknown, FieldMode>;
  /**
   * SQL expression to compare. Trusted text: never from a request. Default: the column of the parameter's name in `t`, `t.staff_id` for
   * `staffId`.
   */
  column?: string;
  /** Condition instead of a comparison. */
  where?: (operator: Operator, value: unknown) => RawBuilder<unknown>;
  /** Accepted operators. Default: by the kind of the field. */
  operators?: readonly Operator[];
}
/** Options of a list. */
export interface ListOptions<E extends Shape> {
  /** Filters by parameter. */
  filters?: Readonly<Record<string, ListFilter>>;
  /** Sort keys by name. */
  sorts?: Readonly<Record<string, ListSort>>;
  /** Sort keys separated by commas, descending with `-`: `-createdAt`. */
  defaultSort: string;
  /** Condition for `q` (trimmed, not empty). */
  search?: (q: string) => RawBuilder<unknown>;
  /** Further query parameters. */
  extra?: E;
  /** SQL expression of the id, the tie-breaker. Default `t.id`. */
  id?: string;
}

/** A parsed query of a list. */
export interface ListQuery<E extends Shape = Shape> {
  /** Rows of a page, 1..100. */
  readonly limit: number;
  /** Search text. */
  readonly q: string | undefined;
  /** True if the total is requested. */
  readonly total: boolean;
  /** Sort keys, the id last. */
  readonly keys: readonly SortKey[];
  /** Values of the sort keys of the last row of the previous page. */
  readonly cursor: readonly string[] | undefined;
  /** Conditions of filters and search. */
  readonly conditions: readonly RawBuilder<unknown>[];
  /** Filter values by parameter and operator. */
  readonly filters: ReadonlyMap<string, ReadonlyMap<Operator, unknown>>;
  /** Values of the further parameters. */
  readonly extra: CreateOf<E>;
}

/** What a list selects from. */
export interface ListSource {
  /** Select list; columns have the names of the API. */
  select: RawBuilder<unknown>;
  /** Everything after `from`, with joins. */
  from: RawBuilder<unknown>;
  /** Further conditions. Row-level security adds the tenant, but name it for the planner. */
  where?: RawBuilder<unknown>;
}

/**
 * A list of the API: `limit cursor sort q total`, declared filters, and keyset paging that is stable under inserts. It is the
 * `query` of a route, and runs the statement.
 */
export class List<E extends Shape = Record<never, never>> {
  /** Options of the list. */
  readonly options: ListOptions<E>;
  /** The sort key of the id. */
  readonly idKey: SortKey;
  /** Further parameters of a list with its own parser. */
  readonly describes: Shape = {};
  declare readonly _extra: E;
  constructor(options: ListOptions<E>) {
    this.options = options;
    this.idKey = { name: 'id', descending: false, sort: { column: options.id ?? 't.id', type: 'uuid' } };
    this.parseSort(options.defaultSort);
  }

  private parseSort(text: string): SortKey[] {
    const keys: SortKey[] = [];
    for (const part of text.split(',')) {
      const descending = part.startsWith('-');
      const name = descending ? part.slice(1) : part;
      const sort = Object.hasOwn(this.options.sorts ?? {}, name) ? this.options.sorts?.[name] : undefined;
      if (!sort)
        throw invalidParameter(
          'sort',
          `does not take ${name || 'an empty key'}; it takes ${Object.keys(this.options.sorts ?? {}).join(', ')}`,
        );
      if (keys.some((key) => key.name === name)) throw invalidParameter('sort', `names ${name} twice`);
      keys.push({ name, descending, sort });
    }
    // The tie-breaker has the direction of the last key, so that one index serves both.
    keys.push({ ...this.idKey, descending: keys.at(-1)?.descending ?? false });
    return keys;
  }

  /**
   * Parses the query string.
   *
   * @throws Problem 400 `invalid_parameter` for an unknown, repeated or invalid parameter
   */
  parse(params: URLSearchParams): ListQuery<E> {
    let limit = 20;
    let q: string | undefined;
    let total = false;
    let sortText = this.options.defaultSort;
    let cursorText: string | undefined;
    const conditions: RawBuilder<unknown>[] = [];
    const filters = new Map<string, Map<Operator, unknown>>();
    const extraParams = new URLSearchParams();
    const seen = new Set<string>();
    for (const [key, raw] of params) {
      if (seen.has(key)) throw invalidParameter(key, 'is specified more than once');
      seen.add(key);
      if (key === 'limit') {
        limit = /^\d{1,3}$/.test(raw) ? Number(raw) : 0;
        if (limit < 1 || limit > 100) throw invalidParameter('limit', 'must be a whole number from 1 to 100');
      } else if (key === 'cursor') cursorText = raw;
      else if (key === 'sort') sortText = raw;
      else if (key === 'total') {
        if (raw !== 'true' && raw !== 'false') throw invalidParameter('total', 'is true or false');
        total = raw === 'true';
      } else if (key === 'q' && this.options.search) {
        if (raw.length > 200) throw invalidParameter('q', 'has at most 200 characters');
        q = raw.normalize('NFC').trim() || undefined;
      } else {
        const match = /^([A-Za-z][A-Za-z0-9]*)(?:\[(eq|ne|gt|gte|lt|lte|in)\])?$/.exec(key);
        const name = match?.[1] ?? key;
        const filter = Object.hasOwn(this.options.filters ?? {}, name) ? this.options.filters?.[name] : undefined;
        if (match && filter) {
          const operator = (match[2] ?? 'eq') as Operator;
          conditions.push(this.condition(name, filter, operator, raw, filters));
        } else if (Object.hasOwn(this.options.extra ?? {}, key)) extraParams.append(key, raw);
        else throw invalidParameter(key, 'is not a parameter of this route');
      }
    }
    const keys = this.parseSort(sortText);
    const extra = parseQuery(this.options.extra ?? {}, extraParams) as CreateOf<E>;
    if (q !== undefined && this.options.search) conditions.push(this.options.search(q));
    return {
      limit,
      q,
      total,
      keys,
      cursor: cursorText === undefined ? undefined : readCursor(cursorText, keys),
      conditions,
      filters,
      extra,
    };
  }

  private condition(
    name: string,
    filter: ListFilter,
    operator: Operator,
    raw: string,
    filters: Map<string, Map<Operator, unknown>>,
  ): RawBuilder<unknown> {
    const { spec } = filter.field;
    const allowed =
      filter.operators ?? (['int', 'ppm', 'bp', 'money', 'instant', 'date', 'decimal'].includes(spec.kind) ? ordered : plain);
    if (!allowed.includes(operator))
      throw invalidParameter(`${name}[${operator}]`, `is not taken; ${name} takes ${allowed.join(', ')}`);
    const read = (text: string): unknown => {
      const value = text.includes('\0') ? undefined : parseParameter(itemSpec(spec), text);
      if (value === undefined) throw invalidParameter(name, 'has an invalid value');
      return value;
    };
    const value = operator === 'in' ? splitValues(raw).slice(0, 101).map(read) : read(raw);
    if (Array.isArray(value) && value.length > 100) throw invalidParameter(name, 'takes at most 100 values');
    let operators = filters.get(name);
    if (!operators) filters.set(name, (operators = new Map()));
    operators.set(operator, value);
    if (filter.where) return filter.where(operator, value);
    const column = sql.raw(filter.column ?? `t.${snake(name)}`);
    if (operator === 'in') return sql`${column} in (${sql.join(value as unknown[])})`;
    const symbol = { eq: '=', ne: 'is distinct from', gt: '>', gte: '>=', lt: '<', lte: '<=' }[operator];
    return sql`${column} ${sql.raw(symbol)} ${value}`;
  }

  /** Runs the list and returns the page. `map` converts rows, without the sort keys, to rows of the response. */
  async run<R, O = R>(
    ctx: Pick<Ctx, 'db'>,
    query: ListQuery<Shape>,
    source: ListSource,
    map?: (rows: R[]) => O[] | Promise<O[]>,
  ): Promise<Page<O>> {
    const base = [...(source.where ? [source.where] : []), ...query.conditions];
    const all = query.cursor ? [...base, after(query.keys, query.cursor)] : base;
    const where = (parts: RawBuilder<unknown>[]): RawBuilder<unknown> =>
      parts.length > 0 ? sql` where ${sql.join(parts, sql` and `)}` : sql``;
    const keys = query.keys.map((key, i) => sql`(${sql.raw(key.sort.column)})::text as ${sql.id(`__k${i}`)}`);
    const order = sql.join(query.keys.map((key) => sql.raw(`${key.sort.column}${key.descending ? ' desc' : ''}`)));
    const rows = await ctx.db.rows<Record<string, unknown>>(
      sql`select ${source.select}, ${sql.join(keys)} from ${source.from}${where(all)} order by ${order} limit ${query.limit + 1}`,
    );
    const more = rows.length > query.limit;
    if (more) rows.pop();
    const last = rows.at(-1);
    const nextCursor =
      more && last
        ? writeCursor(
            query.keys.map((_, i) => String(last[`__k${i}`])),
            query.keys,
          )
        : null;
    const count = query.total
      ? await ctx.db.first<{ n: number }>(sql`select count(*)::int8 as n from ${source.from}${where(base)}`)
      : undefined;
    const own = withoutKeys(rows);
    const data = map ? await map(own as R[]) : (own as O[]);
    return { data, page: { limit: query.limit, nextCursor, ...(count ? { total: count.n } : {}) } };
  }
}

/** Returns a list, for `query` of a route. */
export function list<E extends Shape = Record<never, never>>(options: ListOptions<E>): List<E> {
  return new List(options);
}

function itemSpec(spec: FieldSpec): FieldSpec {
  return spec.kind === 'list' ? (spec.item as Field<unknown, FieldMode>).spec : spec;
}

/** Returns the pattern `%text%` for ILIKE, with wildcards in the text escaped. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** Returns the filters `?id=` and `?id[in]=`, for lists whose group has no route for one row. */
export function idFilter(column = 't.id'): ListFilter {
  return { field: f.id(), column, operators: ['eq', 'in'] };
}
