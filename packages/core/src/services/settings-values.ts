import { type CreateOf, type Field, type FieldError, type FieldMode, isMask, maskSecret, type Shape, shapeSchema } from '@storeloom/plugin-sdk'
import { writableShape } from '../openapi/json-schema.ts'

type AnyField = Field<unknown, FieldMode>
export type Values = Record<string, unknown>

/** Calls `fn` with every secret inside a value, and puts what it gives in its place. */
function mapSecrets(field: AnyField, value: unknown, fn: (secret: string, path: string) => unknown, path: string): unknown {
  const { spec } = field
  if (value === null || value === undefined) return value
  if (spec.kind === 'secret') return typeof value === 'string' ? fn(value, path) : value
  if (spec.kind === 'list' && Array.isArray(value)) return value.map((item, i) => mapSecrets(spec.item as AnyField, item, fn, `${path}/${i}`))
  if (spec.kind === 'object' && typeof value === 'object') return mapShape(spec.shape as Shape, value as Values, fn, path)
  return value
}
function mapShape(shape: Shape, values: Values, fn: (secret: string, path: string) => unknown, path: string): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Object.hasOwn(shape, name) ? mapSecrets(shape[name] as AnyField, value, fn, `${path}/${name}`) : value]))
}

export function sealValues(shape: Shape, values: Values, seal: (text: string) => string): Values {
  return mapShape(shape, values, seal, '')
}
export function maskValues(shape: Shape, values: Values): Values {
  return mapShape(shape, values, maskSecret, '')
}

/** For the audit row: says that a secret is there or has changed, and not a character of it. */
export function hideSecrets(shape: Shape, values: Values, other: Values): Values {
  const theirs = secretsOf(shape, other)
  return mapShape(shape, values, (secret, path) => (theirs.has(path) && theirs.get(path) !== secret ? '[changed secret]' : '[secret]'), '')
}
function secretsOf(shape: Shape, values: Values): Map<string, string> {
  const found = new Map<string, string>()
  mapShape(shape, values, (secret, path) => void found.set(path, secret), '')
  return found
}

/** A mask that comes back stands for the secret that is stored there. A mask that no stored secret has is a fault. */
export function unmask(shape: Shape, sent: Values, current: Values, faults: FieldError[]): Values {
  const stored = secretsOf(shape, current)
  return mapShape(
    shape,
    sent,
    (secret, path) => {
      if (!isMask(secret)) return secret
      const kept = stored.get(path)
      if (kept !== undefined && maskSecret(kept) === secret) return kept
      faults.push({ pointer: path, code: 'invalid', message: 'is a mask of no secret that is stored here' })
      return secret
    },
    '',
  )
}

/** Told of a stored value that can't be used: the default stands in its place. */
export type OnUnusable = (name: string, why: 'unreadable_secret' | 'breaks_the_schema') => void

/** What a plugin sees: stored values that still fit, secrets in clear, defaults where nothing is stored. Frozen, since all units of work share it. */
export function openValues<S extends Shape>(shape: S, stored: Values, unseal: (sealed: string) => string, unusable: OnUnusable): CreateOf<S> {
  const writable = writableShape(shape)
  const open: Values = {}
  for (const [name, field] of Object.entries(writable)) {
    const { spec } = field
    const preset = spec.hasDefault ? spec.defaultValue : null
    open[name] = preset
    const value = stored[name]
    if (value === undefined) continue
    try {
      const clear = mapSecrets(field, value, unseal, '')
      const checked = shapeSchema({ [name]: field }, 'patch').safeParse({ [name]: clear })
      if (checked.success) open[name] = checked.data[name]
      else unusable(name, 'breaks_the_schema')
    } catch {
      // Sealed with a key that is gone: what needs it says that it isn't configured.
      unusable(name, 'unreadable_secret')
    }
  }
  return deepFreeze(open) as CreateOf<S>
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const member of Object.values(value)) deepFreeze(member)
    Object.freeze(value)
  }
  return value
}

/** Why a shape can't be that of settings: every one needs a value from the start. */
export function settingsFault(plugin: string, shape: Shape): string | undefined {
  for (const [name, { spec }] of Object.entries(shape)) {
    if (!/^[a-z][A-Za-z0-9]*$/.test(name)) return `the setting ${plugin}.${name} must be named in camelCase`
    if (!spec.hasDefault && !spec.nullable) return `the setting ${plugin}.${name} needs default(…) or optional()`
    if (spec.virtual || spec.unique) return `the setting ${plugin}.${name} can be neither virtual nor unique`
  }
  return undefined
}
