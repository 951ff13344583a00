import type { List } from './data/list.ts';
import { type Field, f, type Shape } from './field.ts';
import { assertKnownProperties } from './known-properties.ts';
import { listOf } from './resource/listing.ts';
import type { Resource, ResourceOptions } from './resource/options.ts';
import { routesOf } from './resource/routes.ts';
import { createByCode, moveRow } from './resource/writes.ts';
import type { Route } from './route.ts';
import type { Machine } from './state/machine.ts';
import { type Table, table } from './table.ts';

export type { Child, CreateOptions, Resource, ResourceOptions, Row as ResourceRow, Verb } from './resource/options.ts';
export { isMask, maskSecret } from './resource/present.ts';
export { checkNotInUse, checkReferences } from './resource/references.ts';
export { type ResponseShape, responseShape } from './resource/routes.ts';

/** Returns true for a resource, false for a route. */
export function isResource(item: Resource | Route): item is Resource {
  return 'kind' in item && item.kind === 'resource';
}

type WithStatus<S extends Shape, M> = M extends Machine<infer T, never> ? S & { status: Field<T, 'readonly'> } : S;

const resourceProperties: Readonly<Record<keyof ResourceOptions<Shape>, true>> = {
  indexes: true,
  uniques: true,
  checks: true,
  sqlOnly: true,
  path: true,
  verbs: true,
  fields: true,
  machine: true,
  defaultSort: true,
  filters: true,
  sorts: true,
  search: true,
  scope: true,
  before: true,
  create: true,
  after: true,
  present: true,
  handlers: true,
  deletes: true,
  problems: true,
  routes: true,
  permission: true,
  additive: true,
  children: true,
};

/**
 * Defines a resource: yields its routes, permissions, validation, filters, paging, versions, transitions, audit entries and
 * events.
 */
export function resource<const S extends Shape, M extends Machine<string, never> | undefined = undefined>(
  noun: string,
  options: Omit<ResourceOptions<WithStatus<S, M>>, 'fields' | 'machine'> & { fields: S; machine?: M },
): Resource<WithStatus<S, M>> {
  assertKnownProperties(`resource ${noun}`, options, resourceProperties);
  const machine = options.machine as Machine<string, never> | undefined;
  const fields = (
    machine ? { ...options.fields, status: f.oneOf(machine.states).readonly().filter() } : options.fields
  ) as WithStatus<S, M>;
  const { indexes = [], uniques = [], checks = {}, sqlOnly = {} } = options;
  const base = table(noun, fields, { softDelete: options.deletes === 'soft', indexes, uniques, checks, sqlOnly });
  return makeResource(base, { ...options, fields } as ResourceOptions<WithStatus<S, M>>);
}

function makeResource<S extends Shape>(base: Table<S>, options: ResourceOptions<S>): Resource<S> {
  let listing: List | undefined;
  const self: Resource<S> = {
    ...base,
    kind: 'resource',
    path: options.path,
    options,
    tables: () => [self, ...Object.values(options.children ?? {}).flatMap((child) => child.resource.tables())],
    routes: (plugin) => routesOf(self, plugin),
    create: (ctx, values, options) => createByCode(self, ctx, values, options),
    move: (ctx, id, name, input = {}) => moveRow(self, ctx, id, name, input),
    list: () => (listing ??= listOf(self)),
  };
  return Object.freeze(self);
}
