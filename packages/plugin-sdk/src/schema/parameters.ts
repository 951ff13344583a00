import type { ZodType } from 'zod';
import type { Field, FieldMode, FieldSpec, Shape } from '../field.ts';
import { invalidParameter } from './faults.ts';
import { baseSchema } from './shape-schema.ts';
import { splitValues } from './split-values.ts';

/** Converts a query or path parameter by the kind of its field; returns undefined if it isn't valid. */
export function parseParameter(spec: FieldSpec, raw: string): unknown {
  if (spec.kind === 'int' || spec.kind === 'ppm' || spec.kind === 'bp')
    return /^-?\d{1,15}$/.test(raw) ? check(spec, Number(raw)) : undefined;
  if (spec.kind === 'bool') return raw === 'true' ? true : raw === 'false' ? false : undefined;
  if (spec.kind === 'money') return /^-?\d{1,14}$/.test(raw) ? Number(raw) : undefined;
  if (spec.kind === 'list') {
    const items =
      raw === '' ? [] : splitValues(raw).map((part) => parseParameter((spec.item as Field<unknown, FieldMode>).spec, part));
    return items.includes(undefined) || items.length > (spec.max ?? 500) ? undefined : items;
  }
  return check(spec, raw);
}
const parameterSchemas = new WeakMap<FieldSpec, ZodType>();
function check(spec: FieldSpec, value: unknown): unknown {
  let schema = parameterSchemas.get(spec);
  if (!schema)
    parameterSchemas.set(
      spec,
      (schema = baseSchema({ ...spec, min: spec.kind === 'text' ? 0 : spec.min } as FieldSpec, 'create')),
    );
  const result = schema.safeParse(value);
  return result.success ? result.data : undefined;
}

/**
 * Parses the declared query parameters of a route.
 *
 * @throws Problem 400 `invalid_parameter` for an unknown, repeated, missing or invalid parameter
 */
export function parseQuery(shape: Shape, params: URLSearchParams): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of params.keys()) if (!(name in shape)) throw invalidParameter(name, 'is not a parameter of this route');
  for (const [name, field] of Object.entries(shape)) {
    const given = params.getAll(name);
    if (given.length > 1) throw invalidParameter(name, 'is specified more than once');
    if (given.length === 0) {
      if (!field.spec.hasDefault && !field.spec.nullable) throw invalidParameter(name, 'is required');
      values[name] = field.spec.hasDefault ? field.spec.defaultValue : null;
      continue;
    }
    const value = parseParameter(field.spec, given[0] as string);
    if (value === undefined) throw invalidParameter(name, 'has an invalid value');
    values[name] = value;
  }
  return values;
}
