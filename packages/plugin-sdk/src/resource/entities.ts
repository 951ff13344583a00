import { LockMode } from '@mikro-orm/core';
import type { Ctx } from '../context.ts';
import { isJson, tableSql } from '../data/columns.ts';
import { entityOf } from '../data/entity.ts';
import type { FieldSpec, Shape } from '../field.ts';
import { tableName } from '../table.ts';
import type { Resource, Row } from './options.ts';

type Entity = Record<string, unknown> & { id: string; createdAt: string; updatedAt: string; version: number };
type AnyEntity = ReturnType<typeof entityOf<Shape>>;
const of = <S extends Shape>(resource: Resource<S>): AnyEntity => entityOf(resource) as AnyEntity;

/** Inserts a row through the entity manager. */
export async function insertEntity<S extends Shape>(
  resource: Resource<S>,
  ctx: Ctx,
  values: Record<string, unknown>,
): Promise<Row<S>> {
  const data = Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, name === 'id' ? value : written(ctx, resource, name, value)]),
  );
  const entity = ctx.em.create(of(resource), data) as Entity;
  await ctx.em.flush();
  return rowOf(resource, entity);
}

/**
 * Returns the entity of a row, locked and as the database has it now.
 * @throws Problem 404 `not_found`
 */
export async function lockEntity<S extends Shape>(resource: Resource<S>, ctx: Ctx, id: string): Promise<Entity> {
  return (await ctx.em.findOneOrFail(
    of(resource),
    { id },
    {
      lockMode: LockMode.PESSIMISTIC_WRITE,
    },
  )) as Entity;
}

/** Writes a change of a locked row. The version rises even if all values are the same. */
export async function changeEntity<S extends Shape>(
  resource: Resource<S>,
  ctx: Ctx,
  entity: Entity,
  change: Record<string, unknown>,
): Promise<Row<S>> {
  const { em } = ctx;
  const { version } = entity;
  for (const [name, value] of Object.entries(change)) if (value !== undefined) entity[name] = written(ctx, resource, name, value);
  await em.flush();
  if (entity.version === version) {
    await em.nativeUpdate(of(resource), { id: entity.id }, { updatedAt: ctx.clock.now() });
    await em.refresh(entity);
  }
  return rowOf(resource, entity);
}

/** Removes a row, or marks it where the resource is deleted softly. */
export async function removeEntity(ctx: Ctx, entity: Entity): Promise<void> {
  ctx.em.remove(entity);
  await ctx.em.flush();
}

/** A value as the entity holds it. */
function written<S extends Shape>(ctx: Ctx, resource: Resource<S>, name: string, value: unknown): unknown {
  const spec = tableSql(resource).columns.get(name);
  if (!spec) throw new Error(`${tableName(resource)} has no column for ${name}`);
  if (value === null) return null;
  if (spec.kind === 'secret') return ctx.seal(value as string);
  return copied(spec, value);
}

/** The row of an entity, in wire shape. It shares nothing with the entity: what a plugin does to the row changes nothing. */
export function rowOf<S extends Shape>(resource: Resource<S>, entity: Entity): Row<S> {
  const { id, createdAt, updatedAt, version } = entity;
  const row: Record<string, unknown> = { id, createdAt, updatedAt, version };
  for (const [name, spec] of tableSql(resource).columns) {
    const value = entity[name];
    row[name] = value === null || value === undefined ? null : copied(spec, value);
  }
  return row as Row<S>;
}

function copied(spec: FieldSpec, value: unknown): unknown {
  if (spec.kind === 'money') {
    const { amount, currency } = value as { amount: number; currency: string };
    return { amount, currency };
  }
  if (isJson(spec)) return structuredClone(value);
  if (spec.kind === 'instant') return instantOf(value as string);
  return spec.kind === 'time' ? (value as string).slice(0, 5) : value;
}

/** In UTC with milliseconds, as the database gives it back. */
function instantOf(value: string): string {
  return /T.*\.\d{3}Z$/.test(value) ? value : new Date(value).toISOString();
}
