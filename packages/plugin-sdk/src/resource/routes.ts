import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { f, type Shape, type StoredOf } from '../field.ts';
import { snake } from '../names.ts';
import { notFound } from '../problem.ts';
import { type Route, type RouteOptions, route } from '../route.ts';
import type { Move } from '../state/machine.ts';
import { entityName } from '../table.ts';
import { checkVersion } from '../version.ts';
import { lockEntity } from './entities.ts';
import { listRows } from './listing.ts';
import type { AnyReq, Child, Resource, Verb } from './options.ts';
import { presentOne } from './present.ts';
import { createRow, moveRow, removeRow, updateRow } from './writes.ts';

const baseFields = { id: f.id(), createdAt: f.instant(), updatedAt: f.instant(), version: f.int() };
/** Fields of a row in a response. */
export type ResponseShape<S extends Shape> = typeof baseFields & StoredOf<S>;

/** Returns the fields of a row in a response: id, timestamps, version, and the given ones except those of `writeOnly()`. */
export function responseShape<S extends Shape>(fields: S): ResponseShape<S> {
  const shown = Object.entries(fields).filter(([, field]) => !field.spec.writeOnly);
  return { ...baseFields, ...(Object.fromEntries(shown) as StoredOf<S>) };
}

export function routesOf<S extends Shape>(resource: Resource<S>, plugin: string): Route[] {
  const { options } = resource;
  const stem = options.permission ?? `${plugin}.${resource.noun}`;
  const at = `/${options.path}`;
  const answer = responseShape(resource.fields);
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
  const wide = (fn: (ctx: Ctx, req: AnyReq) => unknown): Route['handler'] => fn as Route['handler'];
  const push = (method: Route['method'], path: string, more: RouteOptions, fn: (ctx: Ctx, req: AnyReq) => unknown): void => {
    routes.push(Object.freeze({ method, path, options: more, handler: wide(fn) }));
  };
  const add = (
    verb: Verb,
    method: Route['method'],
    path: string,
    more: RouteOptions,
    fn: (ctx: Ctx, req: AnyReq) => unknown,
  ): void => {
    if (!options.verbs.includes(verb)) return;
    push(
      method,
      path,
      {
        entity: stem,
        ...(options.additive?.includes(verb) ? { additive: true } : {}),
        ...more,
        ...options.routes?.[verb],
        problems: [...(method === 'GET' ? [] : (options.problems ?? [])), ...(options.routes?.[verb]?.problems ?? [])],
      },
      options.handlers?.[verb] ?? fn,
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
    push(
      method,
      `${at}${path}`,
      {
        permission: `${stem}.${move.permission ?? name}`,
        entity: stem,
        ...(move.input ? { body: move.input, partial: false } : {}),
        response: answer,
        ...(move.summary ? { summary: move.summary } : {}),
        problems: ['invalid_transition', ...(options.problems ?? [])],
      },
      async (ctx, req) => {
        const id = (req.params as { id: string }).id;
        const before = await ctx.rows(resource).require(id);
        checkVersion(req.ifMatch, before);
        const moved = await moveRow(resource, ctx, id, name, (req.body as Record<string, unknown> | undefined) ?? {});
        if (moved.version !== before.version)
          await ctx.audit({
            entity: entityName(resource),
            entityId: id,
            before: await presentOne(ctx, resource, before),
            after: await presentOne(ctx, resource, moved),
          });
        return presentOne(ctx, resource, moved);
      },
    );
  }
  for (const [key, child] of Object.entries(options.children ?? {}))
    routes.push(...childRoutes(resource as Resource, key, child, stem));
  return routes;
}

function childRoutes(parent: Resource, key: string, child: Child, stem: string): Route[] {
  const owned = child.resource;
  const { verbs } = owned.options;
  const [parentParam, childParam] = child.params ?? ['id', 'childId'];
  const body: Shape = Object.fromEntries(Object.entries(owned.fields).filter(([name]) => name !== child.parent));
  const answer = responseShape(owned.fields);
  const at = `/${parent.options.path}/{${parentParam}}/${key}`;
  const column = `t.${snake(child.parent)}`;
  const permission = (verb: string): string =>
    owned.options.permission ? `${owned.options.permission}.${verb}` : `${stem}.update`;
  const shared = (verb: Verb): RouteOptions => ({
    ...(owned.options.additive?.includes(verb) ? { additive: true } : {}),
    ...owned.options.routes?.[verb],
    problems: [...(verb === 'list' ? [] : (owned.options.problems ?? [])), ...(owned.options.routes?.[verb]?.problems ?? [])],
  });
  const param = (req: { params: unknown }, name: string): string => (req.params as Record<string, string>)[name] as string;
  /** Returns the request for the child route, after checking that the child belongs to the parent. Locks the parent first, as `create` does. */
  const asChild = async (ctx: Ctx, req: unknown): Promise<AnyReq> => {
    const given = req as AnyReq;
    await lockEntity(parent, ctx, param(given, parentParam));
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
          return listRows(owned, ctx, req as AnyReq, sql`${sql.raw(column)} = ${id}`);
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
          const { id } = await lockEntity(parent, ctx, param(req, parentParam));
          return createRow(owned, ctx, req as AnyReq, { [child.parent]: id });
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
