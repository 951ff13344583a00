import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from './context.ts';
import { selectField, tableSql } from './data/columns.ts';
import { idFilter, type List, type ListFilter, type ListQuery, type ListSort, likePattern, list } from './data/list.ts';
import { type CreateOf, type Field, type FieldMode, f, type PatchOf, type RowOf, type Shape } from './field.ts';
import { snake } from './names.ts';
import { invalid, notFound, Problem, referenceNotFound } from './problem.ts';
import { created, noContent, type Page } from './reply.ts';
import { type Req, type Route, type RouteOptions, route } from './route.ts';
import type { Machine, Move } from './state/machine.ts';
import { type AnyTable, type BaseRow, entityName, type Table, table } from './table.ts';
import { checkVersion } from './version.ts';

export type Verb = 'list' | 'get' | 'create' | 'update' | 'replace' | 'remove';
type Row<S extends Shape> = RowOf<S> & BaseRow;
type AnyReq = Req<Record<string, string>, never, never>;

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
  /** Moves a row by name: lock, guard, effects, history, event. Gives the row after it. */
  move(ctx: Ctx, id: string, move: string, input?: Record<string, unknown>): Promise<Row<S>>;
  /** The list engine, for a screen or export that wants the same filters. */
  list(): List;
}

export function isResource(item: Resource | Route): item is Resource {
  return 'kind' in item && item.kind === 'resource';
}

type WithStatus<S extends Shape, M> = M extends Machine<infer T, never> ? S & { status: Field<T, 'readonly'> } : S;

/** A noun with its rules; yields routes, permissions, validation, filters, paging, versions, moves, audit rows and events. */
export function resource<const S extends Shape, M extends Machine<string, never> | undefined = undefined>(
  noun: string,
  options: Omit<ResourceOptions<WithStatus<S, M>>, 'fields' | 'machine'> & { fields: S; machine?: M },
): Resource<WithStatus<S, M>> {
  const machine = options.machine as Machine<string, never> | undefined;
  const fields = (
    machine ? { ...options.fields, status: f.oneOf(machine.states).readonly().filter() } : options.fields
  ) as WithStatus<S, M>;
  const base = table(noun, fields, { softDelete: options.deletes === 'soft' });
  return makeResource(base, { ...options, fields } as unknown as ResourceOptions<WithStatus<S, M>>);
}

function makeResource<S extends Shape>(base: Table<S>, options: ResourceOptions<S>): Resource<S> {
  let listing: List | undefined;
  const self: Resource<S> = {
    ...base,
    kind: 'resource',
    path: options.path,
    options,
    tables: () => [
      self as unknown as AnyTable,
      ...Object.values(options.children ?? {}).flatMap((child) => child.resource.tables()),
    ],
    routes: (plugin) => routesOf(self, plugin),
    move: (ctx, id, name, input = {}) => moveRow(self, ctx, id, name, input),
    list: () => (listing ??= listOf(self)),
  };
  return Object.freeze(self);
}

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

function listOf<S extends Shape>(resource: Resource<S>): List {
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

/** Every `f.ref` in the values must name a thing of this tenant whose plugin is on: else 404 with the pointer. */
export async function checkReferences(ctx: Ctx, shape: Shape, values: Record<string, unknown>, at = ''): Promise<void> {
  for (const [name, field] of Object.entries(shape)) {
    const value = values[name];
    if (value === undefined || value === null) continue;
    const { spec } = field;
    if (spec.kind === 'ref') await requireReference(ctx, spec.target as string, [value as string], [`${at}/${name}`]);
    else if (spec.kind === 'list' && spec.item?.spec.kind === 'ref')
      await requireReference(
        ctx,
        spec.item.spec.target as string,
        value as string[],
        (value as string[]).map((_, i) => `${at}/${name}/${i}`),
      );
    else if (spec.shape) await checkReferences(ctx, spec.shape, value as Record<string, unknown>, `${at}/${name}`);
    else if (spec.kind === 'list' && spec.item?.spec.shape)
      for (const [i, item] of (value as Record<string, unknown>[]).entries())
        await checkReferences(ctx, spec.item.spec.shape, item, `${at}/${name}/${i}`);
  }
}
async function requireReference(ctx: Ctx, target: string, ids: readonly string[], pointers: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const entity = ctx.entities.find(target);
  const found = entity?.on
    ? new Set((await ctx.rows(entity.table).find({ id: ids } as never)).map((row) => row.id))
    : new Set<string>();
  ids.forEach((id, i) => {
    if (!found.has(id)) throw referenceNotFound(pointers[i] as string);
  });
}

/** 409 `in_use {counts}` keyed by the referring resource's path, over every `f.ref` column of all plugins. */
export async function checkNotInUse(ctx: Ctx, entity: string, id: string): Promise<void> {
  const counts: Record<string, number> = {};
  for (const referrer of ctx.entities.referrers(entity)) {
    const row = await ctx.db.first<{ n: number }>(
      sql`select count(*)::int8 as n from ${sql.table(referrer.table)} where tenant_id = ${ctx.tenant.id} and ${sql.id(referrer.column)} = ${id}${referrer.softDeleted ? sql` and deleted_at is null` : sql``}`,
    );
    if (row && row.n > 0) counts[referrer.path] = (counts[referrer.path] ?? 0) + row.n;
  }
  if (Object.keys(counts).length > 0)
    throw new Problem('in_use', { detail: `It is still referred to by ${Object.keys(counts).join(', ')}.`, counts });
}

/** Masks what the caller may not see, and secrets. */
function mask<S extends Shape>(ctx: Ctx, resource: Resource<S>, row: Record<string, unknown>): void {
  const masked: string[] = [];
  for (const [name, field] of Object.entries(resource.fields)) {
    if (field.spec.sensitive && !ctx.can(field.spec.sensitive)) {
      row[name] = null;
      masked.push(name);
    } else if (field.spec.kind === 'secret' && typeof row[name] === 'string') row[name] = maskSecret(ctx.unseal(row[name]));
  }
  if (masked.length > 0) row.masked = masked;
}
/** `••••1234`; short secrets show nothing. */
export function maskSecret(secret: string): string {
  return secret.length >= 12 ? `••••${secret.slice(-4)}` : '••••';
}
export function isMask(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('••••');
}

async function present<S extends Shape>(
  ctx: Ctx,
  resource: Resource<S>,
  rows: Row<S>[],
  purpose: 'list' | 'one',
): Promise<Row<S>[]> {
  const shown = resource.options.present ? await resource.options.present(ctx, rows, purpose) : rows;
  for (const row of shown) {
    mask(ctx, resource, row as Record<string, unknown>);
    if (purpose === 'list')
      for (const [name, field] of Object.entries(resource.fields))
        if (field.spec.hidden) delete (row as Record<string, unknown>)[name];
  }
  return shown;
}
async function presentOne<S extends Shape>(ctx: Ctx, resource: Resource<S>, row: Row<S>): Promise<Row<S>> {
  const [shown] = await present(ctx, resource, [{ ...row }], 'one');
  return shown as Row<S>;
}

function stored<S extends Shape>(resource: Resource<S>, values: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const spec = resource.fields[name]?.spec;
    if (spec && !spec.virtual && !(spec.kind === 'secret' && isMask(value))) kept[name] = value;
  }
  return kept;
}

async function createRow<S extends Shape>(
  resource: Resource<S>,
  ctx: Ctx,
  req: AnyReq,
  fixed: Record<string, unknown> = {},
): Promise<unknown> {
  const { options } = resource;
  let input = { ...(req.body as Record<string, unknown>), ...fixed } as CreateOf<S>;
  await checkReferences(ctx, resource.fields, input);
  const changed = await options.before?.create?.(ctx, input, req);
  if (changed) input = { ...input, ...changed };
  const values = stored(resource, input);
  if (options.machine) values.status ??= options.machine.start;
  const row = await ctx.rows(resource).insert(values as never);
  await options.after?.create?.(ctx, row, input);
  const shown = await presentOne(ctx, resource, row);
  if (options.machine)
    await ctx.history({
      entity: entityName(resource as unknown as AnyTable),
      entityId: row.id,
      from: null,
      to: values.status as string,
    });
  await note(resource, ctx, 'created', row.id, null, shown);
  return created(`/${options.path}/${row.id}`, shown);
}

async function updateRow<S extends Shape>(resource: Resource<S>, ctx: Ctx, req: AnyReq): Promise<unknown> {
  const { options } = resource;
  const id = (req.params as { id: string }).id;
  const { status, ...rest } = req.body as Record<string, unknown>;
  // Only of a machine; elsewhere it is a member like any other.
  const body = options.machine ? rest : (req.body as Record<string, unknown>);
  const rows = ctx.rows(resource);
  let previous = await rows.require(id, { lock: true });
  checkVersion(req.ifMatch, previous);
  const before = await presentOne(ctx, resource, previous);
  if (typeof status === 'string' && options.machine) {
    const from = (previous as unknown as { status: string }).status;
    if (options.machine.check(from, status) === 'move')
      previous = await moveRow(resource, ctx, id, options.machine.moveTo(from, status) as string, {});
  }
  let patch = body as PatchOf<S>;
  let row = previous;
  if (Object.keys(patch).length > 0) {
    await checkReferences(ctx, resource.fields, patch);
    const changed = await options.before?.update?.(ctx, previous, patch, req);
    if (changed) patch = { ...patch, ...changed };
    row = await rows.update(id, stored(resource, patch) as never);
    await options.after?.update?.(ctx, row, patch, previous);
  }
  const shown = await presentOne(ctx, resource, row);
  await note(resource, ctx, 'updated', id, before, shown);
  return shown;
}

async function removeRow<S extends Shape>(resource: Resource<S>, ctx: Ctx, req: AnyReq): Promise<unknown> {
  const { options } = resource;
  const id = (req.params as { id: string }).id;
  const row = await ctx.rows(resource).require(id, { lock: true });
  checkVersion(req.ifMatch, row);
  await options.before?.remove?.(ctx, row, req);
  if ((options.deletes ?? 'restrict') === 'restrict') await checkNotInUse(ctx, entityName(resource as unknown as AnyTable), id);
  await ctx.rows(resource).remove(id);
  await options.after?.remove?.(ctx, row);
  await note(resource, ctx, 'deleted', id, await presentOne(ctx, resource, row), null);
  return noContent();
}

async function moveRow<S extends Shape>(
  resource: Resource<S>,
  ctx: Ctx,
  id: string,
  name: string,
  input: Record<string, unknown>,
): Promise<Row<S>> {
  const machine = resource.options.machine as unknown as Machine<string, Row<S>>;
  const move = machine.moves[name];
  if (!move) throw new Error(`${resource.noun} has no move ${name}`);
  const row = await ctx.rows(resource).require(id, { lock: true });
  const from = (row as unknown as { status: string }).status;
  if (from === move.to) return row;
  if (!move.from.includes(from)) machine.check(from, move.to);
  if (!move.from.includes(from)) throw new Problem('invalid_transition', { from, to: move.to, allowed: machine.allowed(from) });
  await move.guard?.(ctx, row, input);
  const change = (await move.run?.(ctx, row, input)) ?? {};
  const moved = await ctx.rows(resource).update(id, { ...change, status: move.to } as never);
  const entity = entityName(resource as unknown as AnyTable);
  await ctx.history({ entity, entityId: id, from, to: move.to, reason: typeof input.reason === 'string' ? input.reason : null });
  await ctx.emit(`${entity}.${pastEvent(move.to)}`, { id, data: { id, from, to: move.to } });
  return moved;
}
function pastEvent(state: string): string {
  return state;
}

async function note<S extends Shape>(
  resource: Resource<S>,
  ctx: Ctx,
  verb: 'created' | 'updated' | 'deleted',
  id: string,
  before: object | null,
  after: object | null,
): Promise<void> {
  const entity = entityName(resource as unknown as AnyTable);
  await ctx.audit({ entity, entityId: id, before, after });
  await ctx.emit(`${entity}.${verb}`, { id, data: { id } });
}

async function listRows<S extends Shape>(
  resource: Resource<S>,
  ctx: Ctx,
  req: AnyReq,
  more?: RawBuilder<unknown>,
): Promise<Page<Row<S>>> {
  const query = req.query as ListQuery;
  const sqlTable = tableSql(resource as unknown as AnyTable);
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
      (rows) => present(ctx, resource, rows, 'list'),
    );
}

/** The answer's shape: base members and fields. */
export function answerShape(fields: Shape): Shape {
  return { id: f.id(), createdAt: f.instant(), updatedAt: f.instant(), version: f.int(), ...fields };
}

function routesOf<S extends Shape>(resource: Resource<S>, plugin: string): Route[] {
  const { options } = resource;
  const stem = options.permission ?? `${plugin}.${resource.noun}`;
  const at = `/${options.path}`;
  const answer = answerShape(resource.fields);
  const rows: Shape = Object.fromEntries(Object.entries(answer).filter(([, field]) => !field.spec.hidden));
  const targets = options.machine
    ? [
        ...new Set(
          Object.values<Move<string, never>>(options.machine.moves)
            .filter((move) => !move.internal && move.route === false)
            .map((move) => move.to),
        ),
      ]
    : [];
  const patch: Shape = targets.length > 0 ? { ...resource.fields, status: f.oneOf(targets).optional() } : resource.fields;
  const routes: Route[] = [];
  const wide = (fn: (ctx: Ctx, req: AnyReq) => unknown): Route['handler'] => fn as unknown as Route['handler'];
  const add = (
    verb: Verb,
    method: Route['method'],
    path: string,
    more: RouteOptions,
    fn: (ctx: Ctx, req: AnyReq) => unknown,
  ): void => {
    if (!options.verbs.includes(verb)) return;
    routes.push(
      Object.freeze({
        method,
        path,
        options: {
          entity: stem,
          ...(options.additive?.includes(verb) ? { additive: true } : {}),
          ...more,
          ...options.routes?.[verb],
        },
        handler: wide(options.handlers?.[verb] ?? fn),
      }),
    );
  };
  add('list', 'GET', `${at}/`, { permission: `${stem}.read`, query: resource.list(), response: rows, list: true }, (ctx, req) =>
    listRows(resource, ctx, req),
  );
  add(
    'create',
    'POST',
    `${at}/`,
    { permission: `${stem}.create`, body: resource.fields, response: answer, status: 201 },
    (ctx, req) => createRow(resource, ctx, req),
  );
  add('get', 'GET', `${at}/{id}`, { permission: `${stem}.read`, response: answer }, async (ctx, req) =>
    presentOne(ctx, resource, await ctx.rows(resource).require((req.params as { id: string }).id)),
  );
  add('update', 'PATCH', `${at}/{id}`, { permission: `${stem}.update`, body: patch, response: answer }, (ctx, req) =>
    updateRow(resource, ctx, req),
  );
  add('replace', 'PUT', `${at}/{id}`, { permission: `${stem}.update`, body: resource.fields, response: answer }, (ctx, req) =>
    updateRow(resource, ctx, req),
  );
  add('remove', 'DELETE', `${at}/{id}`, { permission: `${stem}.delete`, status: 204 }, (ctx, req) =>
    removeRow(resource, ctx, req),
  );
  for (const [name, move] of Object.entries<Move<string, never>>(options.machine?.moves ?? {})) {
    if (move.internal || move.route === false) continue;
    const [method, path] = (move.route ?? `POST /{id}/${name}`).split(' ') as [Route['method'], string];
    routes.push(
      route(
        method,
        `${at}${path}`,
        {
          permission: `${stem}.${move.permission ?? name}`,
          entity: stem,
          ...(move.input ? { body: move.input, partial: false } : {}),
          response: answer,
          ...(move.summary ? { summary: move.summary } : {}),
          problems: ['invalid_transition'],
        },
        async (ctx, req) => {
          const id = (req.params as { id: string }).id;
          const before = await ctx.rows(resource).require(id);
          checkVersion(req.ifMatch, before);
          const moved = await moveRow(resource, ctx, id, name, (req.body as Record<string, unknown> | undefined) ?? {});
          if (moved.version !== before.version)
            await ctx.audit({
              entity: entityName(resource as unknown as AnyTable),
              entityId: id,
              before: await presentOne(ctx, resource, before),
              after: await presentOne(ctx, resource, moved),
            });
          return presentOne(ctx, resource, moved);
        },
      ),
    );
  }
  for (const [key, child] of Object.entries(options.children ?? {}))
    routes.push(...childRoutes(resource as unknown as Resource, key, child, stem));
  return routes;
}

function childRoutes(parent: Resource, key: string, child: Child, stem: string): Route[] {
  const owned = child.resource;
  const { verbs } = owned.options;
  const [parentParam, childParam] = child.params ?? ['id', 'childId'];
  const body: Shape = Object.fromEntries(Object.entries(owned.fields).filter(([name]) => name !== child.parent));
  const answer = answerShape(owned.fields);
  const at = `/${parent.options.path}/{${parentParam}}/${key}`;
  const column = `t.${snake(child.parent)}`;
  const permission = (verb: string): string =>
    owned.options.permission ? `${owned.options.permission}.${verb}` : `${stem}.update`;
  const shared = (verb: Verb): RouteOptions => ({
    ...(owned.options.additive?.includes(verb) ? { additive: true } : {}),
    ...owned.options.routes?.[verb],
  });
  const param = (req: { params: unknown }, name: string): string => (req.params as Record<string, string>)[name] as string;
  /** The request as one for the child alone, once both are known to belong together. */
  const asChild = async (ctx: Ctx, req: unknown): Promise<AnyReq> => {
    const given = req as AnyReq;
    await ctx.rows(parent).require(param(given, parentParam));
    const id = param(given, childParam);
    const row = await ctx.rows(owned).require(id);
    if ((row as Record<string, unknown>)[child.parent] !== param(given, parentParam)) throw notFound();
    return Object.assign(Object.create(given) as AnyReq, { params: { id } });
  };
  const routes: Route[] = [];
  if (verbs.includes('list')) {
    routes.push(
      route(
        'GET',
        at,
        { permission: `${stem}.read`, query: owned.list(), response: answer, list: true, ...shared('list') },
        async (ctx, req) => {
          const { id } = await ctx.rows(parent).require(param(req, parentParam));
          return listRows(owned, ctx, req as unknown as AnyReq, sql`${sql.raw(column)} = ${id}`);
        },
      ),
    );
  }
  if (verbs.includes('create')) {
    routes.push(
      route(
        'POST',
        at,
        { permission: permission('create'), body, response: answer, status: 201, ...shared('create') },
        async (ctx, req) => {
          const { id } = await ctx.rows(parent).require(param(req, parentParam), { lock: true });
          return createRow(owned, ctx, req as unknown as AnyReq, { [child.parent]: id });
        },
      ),
    );
  }
  if (verbs.includes('update')) {
    routes.push(
      route(
        'PATCH',
        `${at}/{${childParam}}`,
        { permission: permission('update'), body, response: answer, ...shared('update') },
        async (ctx, req) => updateRow(owned, ctx, await asChild(ctx, req)),
      ),
    );
  }
  if (verbs.includes('remove')) {
    routes.push(
      route(
        'DELETE',
        `${at}/{${childParam}}`,
        { permission: permission('delete'), status: 204, ...shared('remove') },
        async (ctx, req) => removeRow(owned, ctx, await asChild(ctx, req)),
      ),
    );
  }
  return routes;
}

/** 422 when a body asks for nothing at all. */
export function requireSome(body: Record<string, unknown>): void {
  if (Object.keys(body).length === 0) throw invalid('', 'required', 'name at least one member to change');
}

export type { FieldMode };
export { selectField };
