import type { ZodType } from 'zod';
import type { SchemaLike } from '../route.ts';
import { isChoice, isShape, isZod } from './schema-like.ts';
import { shapeSchema } from './shape-schema.ts';

/**
 * Returns a value with the declared properties only: the same value if it has no others and lacks none. Calls `report` with the
 * path of each property that it removes, `lines.margin`, below `path`.
 */
export type ResponseFilter = (value: unknown, report?: (property: string) => void, path?: string) => unknown;

const filters = new WeakMap<ZodType, ResponseFilter>();

/**
 * Returns the filter of a response: removes undeclared properties at any depth, and sets nullable ones that are undefined to null.
 * Undefined for a schema whose properties are unknown.
 */
export function responseFilter(schema: SchemaLike): ResponseFilter | undefined {
  if (isChoice(schema)) return undefined;
  if (isShape(schema)) return filterOf(shapeSchema(schema, 'answer'));
  return isZod(schema) ? filterOf(schema) : undefined;
}

interface Definition {
  type: string;
  shape?: Record<string, ZodType>;
  catchall?: ZodType;
  element?: ZodType;
  innerType?: ZodType;
  getter?: () => ZodType;
}
const definitionOf = (schema: ZodType): Definition => schema._zod.def as Definition;

/** Undefined if every value passes unchanged: a text, a number, free JSON. */
function filterOf(schema: ZodType): ResponseFilter | undefined {
  const known = filters.get(schema);
  if (known) return known;
  const { type, shape, catchall, element, innerType, getter } = definitionOf(schema);
  if (type === 'object' && shape && (catchall === undefined || definitionOf(catchall).type === 'never')) {
    // A recursive schema finds this entry before its own filter is complete.
    let filter: ResponseFilter | undefined;
    filters.set(schema, (value, report, path) => (filter as ResponseFilter)(value, report, path));
    filter = objectFilter(shape);
    filters.set(schema, filter);
    return filter;
  }
  if (type === 'array' && element) {
    const item = filterOf(element);
    return item && ((value, report, path) => (Array.isArray(value) ? arrayFilter(value, item, report, path) : value));
  }
  if (innerType) return filterOf(innerType);
  return type === 'lazy' && getter ? filterOf(getter()) : undefined;
}

function arrayFilter(
  value: readonly unknown[],
  item: ResponseFilter,
  report: Parameters<ResponseFilter>[1],
  path: string | undefined,
): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < value.length; i++) {
    const kept = item(value[i], report, path);
    if (kept !== value[i]) (copy ??= [...value])[i] = kept;
  }
  return copy ?? value;
}

const isNullable = (schema: ZodType): boolean => {
  const { type, innerType } = definitionOf(schema);
  return type === 'nullable' || (innerType !== undefined && isNullable(innerType));
};

function objectFilter(shape: Record<string, ZodType>): ResponseFilter {
  const names = Object.keys(shape);
  const known = new Set(names);
  const nested = names.flatMap((name) => {
    const filter = filterOf(shape[name] as ZodType);
    return filter ? [{ name, filter }] : [];
  });
  const nullable = names.filter((name) => isNullable(shape[name] as ZodType));
  return (given, report, path = '') => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
    const { toJSON } = given as { toJSON?: unknown };
    const value = (typeof toJSON === 'function' ? toJSON.call(given, '') : given) as Record<string, unknown>;
    if (typeof value !== 'object' || value === null) return value;
    let copy: Record<string, unknown> | undefined;
    let i = 0;
    for (const name in value) {
      // Mostly in the declared order, which is faster than the look-up.
      if (name === names[i++] || known.has(name)) continue;
      report?.(`${path}${name}`);
      if (copy) continue;
      copy = {};
      for (const kept of names) if (value[kept] !== undefined) copy[kept] = value[kept];
      if (!report) break;
    }
    for (const name of nullable) if (value[name] === undefined) (copy ??= { ...value })[name] = null;
    for (const { name, filter } of nested) {
      const member = value[name];
      if (member === undefined || member === null) continue;
      const kept = filter(member, report, report && `${path}${name}.`);
      if (kept !== member) (copy ??= { ...value })[name] = kept;
    }
    return copy ?? value;
  };
}
