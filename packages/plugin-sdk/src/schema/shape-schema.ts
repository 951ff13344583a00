import { type ZodType, z } from 'zod';
import type { Field, FieldMode, FieldSpec, RowOf, Shape, StoredOf } from '../field.ts';
import { isCurrency } from '../money/currency.ts';
import { maxAmount } from '../money/rounding.ts';
import { sanitizeRichText } from '../rich-text.ts';
import { isCivilDate } from '../time/civil.ts';
import { localFault, localFaultMessage, normalizeInstant } from '../time/local.ts';
import { isTimeZone } from '../time/zone.ts';

/** How a shape is validated: the body of a create, the body of a change (no defaults), or a response. */
export type SchemaMode = 'create' | 'patch' | 'answer';

/** Matches a UUID in lower case. */
export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Matches a slug: words of `[a-z0-9]` joined by `-`. */
export const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const emailPattern = /^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+\.[^\s@<>"(),:;\\[\].]{2,}$/;
const phonePattern = /^\+?[\d\s().\-/]{3,32}$/;
const localeKey = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/;

/** Unicode NFC, trimmed. */
function clean(text: string): string {
  return text.normalize('NFC').trim();
}
function text({ min = 0, max = 200, pattern }: Pick<FieldSpec, 'min' | 'max' | 'pattern'>): ZodType<string> {
  let schema = z
    .string()
    .refine((v) => v.isWellFormed(), { message: 'must be well-formed Unicode' })
    .overwrite(clean)
    // Stop at the length: a pattern can be slow on long input.
    .max(max, { abort: true });
  if (min > 0) schema = schema.min(min);
  if (pattern) schema = schema.regex(pattern);
  return schema;
}
const money = z
  .strictObject({
    amount: z.int().min(-maxAmount).max(maxAmount),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .refine(isCurrency, { message: 'must be an ISO 4217 code' }),
  })
  .meta({ id: 'Money' });

const anyValue: ZodType = z.union([
  z.string().refine((v) => v.isWellFormed(), { message: 'must be well-formed Unicode' }),
  z.number(),
  z.boolean(),
  z.array(z.unknown()),
  z.record(z.string(), z.unknown()),
]);

/** Returns the zod schema of a field's kind, without what applies to every kind: null, default, translations, checks. */
export function baseSchema(spec: FieldSpec, mode: SchemaMode, checks = true): ZodType {
  return (mode === 'answer' && unlimited(spec)) || limited(spec, mode, checks);
}

/**
 * Limits are those of an input: a response can have a value of an earlier limit, a sum, or a mask. Undefined for the kinds whose
 * format every value has.
 */
function unlimited(spec: FieldSpec): ZodType | undefined {
  switch (spec.kind) {
    case 'text':
    case 'i18n':
    case 'file':
    case 'secret':
    case 'richText':
    case 'phone':
      return z.string();
    case 'email':
      return z.string().meta({ format: 'email' });
    case 'int':
    case 'ppm':
    case 'bp':
      return z.int();
    case 'money':
      return money;
    case 'list':
      return z.array(fieldSchema(spec.item as Field<unknown, FieldMode>, 'answer', false));
    default:
      return undefined;
  }
}

function limited(spec: FieldSpec, mode: SchemaMode, checks: boolean): ZodType {
  switch (spec.kind) {
    case 'text':
    case 'i18n':
    case 'file':
    case 'secret':
      return text(spec);
    case 'richText':
      return z
        .string()
        .refine((v) => v.isWellFormed(), { message: 'must be well-formed Unicode' })
        .max(spec.max ?? 50_000)
        .overwrite((v) => sanitizeRichText(clean(v)));
    case 'slug':
      return text({ min: 1, max: spec.max ?? 120, pattern: slugPattern });
    case 'email':
      return z
        .string()
        .refine((v) => v.isWellFormed(), { message: 'must be well-formed Unicode' })
        .overwrite((v) => clean(v).toLowerCase())
        .max(254, { abort: true })
        .regex(emailPattern, { message: 'must be an e-mail address' })
        .meta({ format: 'email' });
    case 'phone':
      return text({ ...spec, pattern: phonePattern });
    case 'url':
      return text({ min: 1, max: spec.max ?? 2000 })
        .refine((v) => /^https?:\/\//i.test(v) && URL.canParse(v), { message: 'must be an http(s) URL' })
        .meta({ format: 'uri' });
    case 'int':
    case 'ppm':
    case 'bp':
      return z
        .int()
        .min(spec.min ?? Number.MIN_SAFE_INTEGER)
        .max(spec.max ?? Number.MAX_SAFE_INTEGER);
    case 'decimal':
      return z
        .string()
        .regex(/^-?\d{1,15}(?:\.\d{1,12})?$/, { message: 'must be a decimal string' })
        .refine((v) => (spec.min === undefined || Number(v) >= spec.min) && (spec.max === undefined || Number(v) <= spec.max), {
          message: `must be between ${spec.min ?? '-∞'} and ${spec.max ?? '∞'}`,
        });
    case 'money':
      return spec.min === undefined
        ? money
        : money.refine((m) => m.amount >= (spec.min ?? 0), { message: `must be at least ${spec.min}`, path: ['amount'] });
    case 'bool':
      return z.boolean();
    case 'date':
      return z.string().refine(isCivilDate, { message: 'must be a date YYYY-MM-DD' }).meta({ format: 'date' });
    case 'time':
      return spec.endOfDay
        ? z.string().regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, { message: 'must be a time HH:mm, at most 24:00' })
        : z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { message: 'must be a time HH:mm' });
    case 'instant':
      return z
        .string()
        .superRefine((v, ctx) => {
          const local = normalizeInstant(v) === undefined && localFault(v, 'UTC') !== undefined;
          if (local && spec.local) return;
          if (local) ctx.addIssue({ code: 'custom', message: localFaultMessage('offset_required'), params: { wall: v } });
          else if (normalizeInstant(v) === undefined)
            ctx.addIssue({ code: 'custom', message: 'must be an instant with a UTC offset' });
        })
        .overwrite((v) => normalizeInstant(v) ?? v)
        .meta({ format: 'date-time' });
    case 'timeZone':
      return z
        .string()
        .refine(isTimeZone, { message: 'must be an IANA time zone' })
        .meta({ examples: ['Europe/Bucharest'] });
    case 'oneOf':
      return z.enum(spec.values as [string, ...string[]]);
    case 'id':
    case 'ref':
      return z.string().regex(uuidPattern, { message: 'must be a UUID' }).meta({ format: 'uuid' });
    case 'json':
      return (spec.anyValue ? anyValue : z.record(z.string(), z.unknown())).refine(
        (v) => Buffer.byteLength(JSON.stringify(v)) <= (spec.max ?? 16_384),
        {
          message: `must be at most ${spec.max ?? 16_384} bytes`,
        },
      );
    case 'list':
      return z
        .array(fieldSchema(spec.item as Field<unknown, FieldMode>, mode === 'patch' ? 'create' : mode, checks))
        .min(spec.min ?? 0)
        .max(spec.max ?? 500);
    case 'object':
      return shapeSchema(spec.shape as Shape, mode === 'patch' ? 'create' : mode, { checks });
  }
}

function fieldSchema(field: Field<unknown, FieldMode>, mode: SchemaMode, checks: boolean): ZodType {
  const { spec } = field;
  let schema = baseSchema(spec, mode, checks);
  if (spec.translatable)
    schema =
      mode === 'answer' ? z.record(z.string(), z.string()) : z.union([schema, z.record(z.string().regex(localeKey), schema)]);
  const { check } = spec;
  if (check && checks && mode !== 'answer')
    schema = schema.superRefine((value, ctx) => {
      for (const { path = [], code, message } of check(value)) ctx.addIssue({ code: 'custom', message, path, params: { code } });
    });
  if (spec.description) schema = schema.describe(spec.description);
  if (spec.writeOnly) schema = schema.meta({ writeOnly: true });
  if (spec.nullable || (mode === 'answer' && spec.sensitive)) schema = schema.nullable();
  if (mode === 'patch') return schema.optional();
  if (mode === 'create') {
    if (spec.hasDefault) return schema.default(spec.defaultValue);
    if (spec.nullable) return schema.default(null);
  }
  return schema;
}

/** The zod schema of a response with these fields. */
export type ResponseSchema<S extends Shape> = z.ZodObject<{ [K in keyof StoredOf<S>]: ZodType<RowOf<S>[K & keyof RowOf<S>]> }>;

/** Sensitive properties that are null because the caller may not see them. */
const masked = (): ZodType =>
  z
    .array(z.string())
    .meta({ description: 'Properties that are null because the caller may not see them.', examples: [[]] })
    .optional();

const cache = new WeakMap<Shape, Map<string, ZodType>>();
/** Returns the strict zod schema of a response with these fields; built once. */
export function shapeSchema<S extends Shape>(shape: S, mode: 'answer'): ResponseSchema<S>;
/**
 * Returns the strict zod schema of a shape; built once. `checks: false` omits `Field.check`, for stored values that were valid
 * under an earlier release.
 */
export function shapeSchema(shape: Shape, mode: SchemaMode, options?: { checks?: boolean }): ZodType<Record<string, unknown>>;
export function shapeSchema(
  shape: Shape,
  mode: SchemaMode,
  { checks = true }: { checks?: boolean } = {},
): ZodType<Record<string, unknown>> {
  let modes = cache.get(shape);
  if (!modes) cache.set(shape, (modes = new Map()));
  const key = `${mode} ${checks}`;
  let schema = modes.get(key);
  if (!schema) {
    const members: Record<string, ZodType> = {};
    for (const [name, field] of Object.entries(shape)) {
      if (mode === 'answer' ? field.spec.writeOnly : field.spec.readonly) continue;
      members[name] = fieldSchema(field, mode, checks);
    }
    if (mode === 'answer' && Object.values(shape).some((field) => field.spec.sensitive)) members.masked ??= masked();
    schema = z.strictObject(members);
    modes.set(key, schema);
  }
  return schema as ZodType<Record<string, unknown>>;
}
