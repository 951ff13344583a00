import type { ZodType } from 'zod';
import type { Field, FieldMode, FieldSpec, Shape } from '../field.ts';
import { invalidParameter } from './faults.ts';
import { baseSchema } from './shape-schema.ts';

/** A value of a query or path parameter, by the field's kind; undefined when it can't be one. */
export function parseParameter(spec: FieldSpec, raw: string): unknown {
  if (spec.kind === 'int' || spec.kind === 'ppm' || spec.kind === 'bp')
    return /^-?\d{1,15}$/.test(raw) ? check(spec, Number(raw)) : undefined;
  if (spec.kind === 'bool') return raw === 'true' ? true : raw === 'false' ? false : undefined;
  if (spec.kind === 'money') return /^-?\d{1,14}$/.test(raw) ? Number(raw) : undefined;
  if (spec.kind === 'list') {
    const items =
      raw === '' ? [] : raw.split(',').map((part) => parseParameter((spec.item as Field<unknown, FieldMode>).spec, part));
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

/** Declared query parameters of a plain route. Anything else, a repeat, or a value out of range: 400 `invalid_parameter` naming it. */
export function parseQuery(shape: Shape, params: URLSearchParams): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of params.keys()) if (!(name in shape)) throw invalidParameter(name, 'is not a parameter here');
  for (const [name, field] of Object.entries(shape)) {
    const given = params.getAll(name);
    if (given.length > 1) throw invalidParameter(name, 'stands there twice');
    if (given.length === 0) {
      if (!field.spec.hasDefault && !field.spec.nullable) throw invalidParameter(name, 'is required');
      values[name] = field.spec.hasDefault ? field.spec.defaultValue : null;
      continue;
    }
    const value = parseParameter(field.spec, given[0] as string);
    if (value === undefined) throw invalidParameter(name, 'has a value that is not accepted');
    values[name] = value;
  }
  return values;
}
