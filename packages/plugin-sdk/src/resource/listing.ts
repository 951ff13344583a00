import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { tableSql } from '../data/columns.ts';
import type { ListSort } from '../data/keyset.ts';
import { idFilter, type List, type ListFilter, type ListQuery, likePattern, list } from '../data/list.ts';
import { f, type Shape } from '../field.ts';
import { snake } from '../names.ts';
import type { Page } from '../reply.ts';
import type { AnyReq, Resource, Row } from './options.ts';
import { present } from './present.ts';

const sortTypes: Partial<Record<string, ListSort['type']>> = {
  int: 'int8',
  ppm: 'int8',
  bp: 'int8',
  money: 'int8',
  instant: 'timestamptz',
  date: 'date',
  decimal: 'numeric',
  bool: 'bool',
  id: 'uuid',
  ref: 'uuid',
};

const emptyOf: Record<ListSort['type'], string> = {
  text: "''",
  timestamptz: "'-infinity'::timestamptz",
  int8: '0',
  numeric: '0',
  date: "'-infinity'::date",
  uuid: "'00000000-0000-0000-0000-000000000000'::uuid",
  bool: 'false',
};

export function listOf<S extends Shape>(resource: Resource<S>): List {
  const { options } = resource;
  const filters: Record<string, ListFilter> = {
    id: idFilter(),
    createdAt: { field: f.instant(), column: 't.created_at' },
    updatedAt: { field: f.instant(), column: 't.updated_at' },
  };
  const sorts: Record<string, ListSort> = {
    createdAt: { column: 't.created_at', type: 'timestamptz' },
    updatedAt: { column: 't.updated_at', type: 'timestamptz' },
  };
  const searched: string[] = [];
  for (const [name, field] of Object.entries(resource.fields)) {
    const { spec } = field;
    if (spec.virtual) continue;
    const column = spec.kind === 'money' ? `t.${snake(name)}_amount` : `t.${snake(name)}`;
    if (spec.filter) {
      filters[name] =
        spec.kind === 'list'
          ? { field, operators: ['eq'], where: (_, value) => sql`${sql.raw(column)} @> ${JSON.stringify([value])}::jsonb` }
          : spec.translatable
            ? {
                field: f.text(),
                operators: ['eq'],
                where: (_, value) => sql`exists (select from jsonb_each_text(${sql.raw(column)}) x where x.value = ${value})`,
              }
            : { field, column };
    }
    if (spec.sort) {
      const type = sortTypes[spec.kind] ?? 'text';
      const text = spec.translatable ? `(${column})::text` : column;
      sorts[name] = { column: spec.nullable ? `coalesce(${text}, ${emptyOf[type]})` : text, type };
    }
    if (spec.search) searched.push(spec.translatable ? `(${column})::text` : column);
  }
  const search =
    options.search ??
    (searched.length > 0
      ? (q: string) =>
          sql`(${sql.join(
            searched.map((column) => sql`${sql.raw(column)} ilike ${likePattern(q)}`),
            sql` or `,
          )})`
      : undefined);
  return list({
    filters: { ...filters, ...options.filters },
    sorts: { ...sorts, ...options.sorts },
    defaultSort: options.defaultSort ?? '-createdAt',
    ...(search ? { search } : {}),
  });
}

export async function listRows<S extends Shape>(
  resource: Resource<S>,
  ctx: Ctx,
  req: AnyReq,
  more?: RawBuilder<unknown>,
): Promise<Page<Row<S>>> {
  const query = req.query as ListQuery;
  const sqlTable = tableSql(resource);
  const scope = resource.options.scope?.(ctx, query);
  const parts = [
    sql`t.tenant_id = ${ctx.tenant.id}`,
    ...(resource.softDelete ? [sql`t.deleted_at is null`] : []),
    ...(scope ? [scope] : []),
    ...(more ? [more] : []),
  ];
  return resource
    .list()
    .run<Row<S>>(
      ctx,
      query,
      { select: sql.raw(sqlTable.select), from: sql`${sql.table(sqlTable.name)} t`, where: sql.join(parts, sql` and `) },
      (rows) => present(ctx, resource, rows, 'list', query),
    );
}
