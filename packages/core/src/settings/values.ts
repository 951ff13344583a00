import { writableShape } from '@storeloom/openapi';
import {
  type CreateOf,
  type Field,
  type FieldError,
  type FieldMode,
  isMask,
  maskSecret,
  type Shape,
  shapeSchema,
} from '@storeloom/plugin-sdk';

type AnyField = Field<unknown, FieldMode>;
export type Values = Record<string, unknown>;

/** A row of core_setting; secrets are sealed. Version 0: not stored yet. */
export interface StoredSettings {
  values: Values;
  version: number;
}
export const nothingStored: StoredSettings = { values: {}, version: 0 };

/** Replaces every secret inside a value by the result of `fn`. */
function mapSecrets(field: AnyField, value: unknown, fn: (secret: string, path: string) => unknown, path: string): unknown {
  const { spec } = field;
  if (value === null || value === undefined) return value;
  if (spec.kind === 'secret') return typeof value === 'string' ? fn(value, path) : value;
  if (spec.kind === 'list' && Array.isArray(value))
    return value.map((item, i) => mapSecrets(spec.item as AnyField, item, fn, `${path}/${i}`));
  if (spec.kind === 'object' && typeof value === 'object') return mapShape(spec.shape as Shape, value as Values, fn, path);
  return value;
}
function mapShape(shape: Shape, values: Values, fn: (secret: string, path: string) => unknown, path: string): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Object.hasOwn(shape, name) ? mapSecrets(shape[name] as AnyField, value, fn, `${path}/${name}`) : value,
    ]),
  );
}

export function sealValues(shape: Shape, values: Values, seal: (text: string) => string): Values {
  return mapShape(shape, values, seal, '');
}
export function maskValues(shape: Shape, values: Values): Values {
  return mapShape(shape, values, maskSecret, '');
}

/** Masks secrets for the audit entry, which only shows whether they are set or changed. */
export function hideSecrets(shape: Shape, values: Values, other: Values): Values {
  const othersSecrets = secretsOf(shape, other);
  return mapShape(
    shape,
    values,
    (secret, path) => (othersSecrets.has(path) && othersSecrets.get(path) !== secret ? '[changed secret]' : '[secret]'),
    '',
  );
}
function secretsOf(shape: Shape, values: Values): Map<string, string> {
  const found = new Map<string, string>();
  mapShape(shape, values, (secret, path) => void found.set(path, secret), '');
  return found;
}

/** Replaces a mask by the stored secret; a mask that doesn't match it is an error. */
export function unmask(shape: Shape, sent: Values, current: Values, faults: FieldError[]): Values {
  const stored = secretsOf(shape, current);
  return mapShape(
    shape,
    sent,
    (secret, path) => {
      if (!isMask(secret)) return secret;
      const kept = stored.get(path);
      if (kept !== undefined && maskSecret(kept) === secret) return kept;
      faults.push({ pointer: path, code: 'invalid', message: 'is a mask that does not match the stored secret' });
      return secret;
    },
    '',
  );
}

/** Called for a stored value that can't be used; the default is used instead. */
export type OnUnusable = (name: string, why: 'unreadable_secret' | 'breaks_the_schema') => void;

const writables = new WeakMap<Shape, Shape>();
/** Returns the shape with `readonly` fields writable, for changes by the plugin itself. */
export function writableOf(shape: Shape): Shape {
  const known = writables.get(shape) ?? writableShape(shape);
  writables.set(shape, known);
  return known;
}

/** Returns the settings as a plugin sees them: valid stored values, secrets decrypted, otherwise defaults. Frozen, since units of work share them. */
export function openValues<S extends Shape>(
  shape: S,
  stored: Values,
  unseal: (sealed: string) => string,
  unusable: OnUnusable,
): CreateOf<S> {
  const writable = writableOf(shape);
  const clear: Values = {};
  for (const [name, field] of Object.entries(writable)) {
    // Values of an older version of the plugin stay stored under their names.
    if (stored[name] === undefined) continue;
    const value = opened(field, stored[name], unseal);
    if (value === undefined) unusable(name, 'unreadable_secret');
    else clear[name] = value;
  }
  const valid = checked(writable, clear, unusable);
  const open = Object.fromEntries(
    Object.entries(writable).map(([name, { spec }]) => [
      name,
      name in valid ? valid[name] : structuredClone(spec.hasDefault ? spec.defaultValue : null),
    ]),
  );
  return deepFreeze(open) as CreateOf<S>;
}

/** Decrypts a value; undefined if its key is missing, so that the secret counts as not configured. */
function opened(field: AnyField, value: unknown, unseal: (sealed: string) => string): unknown {
  try {
    return mapSecrets(field, value, unseal, '');
  } catch {
    return undefined;
  }
}

/** Stored values skip `Field.check`, which can have become stricter since they were written. */
const stored = { checks: false };
/** Returns the values that match the schema; checks all together first, since nearly always all match. */
function checked(shape: Shape, values: Values, unusable: OnUnusable): Values {
  const whole = shapeSchema(shape, 'patch', stored).safeParse(values);
  if (whole.success) return whole.data;
  const fitting: Values = {};
  for (const [name, value] of Object.entries(values)) {
    const one = shapeSchema({ [name]: shape[name] as AnyField }, 'patch', stored).safeParse({ [name]: value });
    if (one.success) fitting[name] = one.data[name];
    else unusable(name, 'breaks_the_schema');
  }
  return fitting;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const member of Object.values(value)) deepFreeze(member);
    Object.freeze(value);
  }
  return value;
}
