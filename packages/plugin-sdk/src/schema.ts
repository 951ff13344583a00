import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type ZodType, z } from 'zod';
import type { Field, FieldMode, FieldSpec, LocalText, MoneyValue, Shape } from './field.ts';
import { isCurrency } from './money/currency.ts';
import { type FieldError, Problem } from './problem.ts';
import { sanitizeRichText } from './rich-text.ts';
import type { Choice, SchemaLike } from './route.ts';
import { isCivilDate } from './time/civil.ts';
import { localFault, localFaultMessage, normalInstant } from './time/local.ts';
import { isTimeZone } from './time/zone.ts';

export { isCivilDate, normalInstant };

/** How a shape is read: a body that creates, a body that changes (nothing is filled in), or an answer. */
export type SchemaMode = 'create' | 'patch' | 'answer';
export interface Locales {
  defaultLocale: string;
  locales: readonly string[];
  /** Says what is wrong with an instant without an offset. */
  timezone?: string;
  /** The one that `own` money has to be in. */
  currency?: string;
}

export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const emailPattern = /^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+\.[^\s@<>"(),:;\\[\].]{2,}$/;
const phonePattern = /^\+?[\d\s().\-/]{3,32}$/;
const localeKey = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/;
export const maxMoney = 10_000_000_000_000;

/** Unicode NFC, trimmed. */
function clean(text: string): string {
  return text.normalize('NFC').trim();
}
function text({ min = 0, max = 200, pattern }: Pick<FieldSpec, 'min' | 'max' | 'pattern'>): ZodType<string> {
  let schema = z
    .string()
    .refine((v) => v.isWellFormed(), { message: 'is not well-formed Unicode' })
    .overwrite(clean)
    // What is too long is not looked at further: a pattern may take its time with it.
    .max(max, { abort: true });
  if (min > 0) schema = schema.min(min);
  if (pattern) schema = schema.regex(pattern);
  return schema;
}
const money = z
  .strictObject({
    amount: z.int().min(-maxMoney).max(maxMoney),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .refine(isCurrency, { message: 'is no ISO 4217 code' }),
  })
  .meta({ id: 'Money' });

const anyValue: ZodType = z.union([
  z.string().refine((v) => v.isWellFormed(), { message: 'is not well-formed Unicode' }),
  z.number(),
  z.boolean(),
  z.array(z.unknown()),
  z.record(z.string(), z.unknown()),
]);

function baseSchema(spec: FieldSpec, mode: SchemaMode): ZodType {
  switch (spec.kind) {
    case 'text':
    case 'i18n':
    case 'file':
    case 'secret':
      return text(spec);
    case 'richText':
      return z
        .string()
        .refine((v) => v.isWellFormed(), { message: 'is not well-formed Unicode' })
        .max(spec.max ?? 50_000)
        .overwrite((v) => sanitizeRichText(clean(v)));
    case 'slug':
      return text({ min: 1, max: spec.max ?? 120, pattern: slugPattern });
    case 'email':
      return z
        .string()
        .refine((v) => v.isWellFormed(), { message: 'is not well-formed Unicode' })
        .overwrite((v) => clean(v).toLowerCase())
        .max(254, { abort: true })
        .regex(emailPattern, { message: 'is no e-mail address' })
        .meta({ format: 'email' });
    case 'phone':
      return text({ ...spec, pattern: phonePattern });
    case 'url':
      return text({ min: 1, max: spec.max ?? 2000 })
        .refine((v) => /^https?:\/\//i.test(v) && URL.canParse(v), { message: 'is no http(s) address' })
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
        .regex(/^-?\d{1,15}(?:\.\d{1,12})?$/, { message: 'is no decimal string' })
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
      return z.string().refine(isCivilDate, { message: 'is no civil date (YYYY-MM-DD)' }).meta({ format: 'date' });
    case 'time':
      return spec.endOfDay
        ? z.string().regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, { message: 'is no wall time (HH:mm, at most 24:00)' })
        : z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { message: 'is no wall time (HH:mm)' });
    case 'instant':
      return z
        .string()
        .superRefine((v, ctx) => {
          const local = normalInstant(v) === undefined && localFault(v, 'UTC') !== undefined;
          if (local && spec.local) return;
          if (local) ctx.addIssue({ code: 'custom', message: localFaultMessage('offset_required'), params: { wall: v } });
          else if (normalInstant(v) === undefined) ctx.addIssue({ code: 'custom', message: 'is no instant with an offset' });
        })
        .overwrite((v) => normalInstant(v) ?? v)
        .meta({ format: 'date-time' });
    case 'timeZone':
      return z
        .string()
        .refine(isTimeZone, { message: 'is no IANA time zone' })
        .meta({ examples: ['Europe/Bucharest'] });
    case 'oneOf':
      return z.enum(spec.values as [string, ...string[]]);
    case 'id':
    case 'ref':
      return z.string().regex(uuidPattern, { message: 'is no id' }).meta({ format: 'uuid' });
    case 'json':
      return (spec.anyValue ? anyValue : z.record(z.string(), z.unknown())).refine(
        (v) => Buffer.byteLength(JSON.stringify(v)) <= (spec.max ?? 16_384),
        {
          message: `must be at most ${spec.max ?? 16_384} bytes`,
        },
      );
    case 'list':
      return z
        .array(fieldSchema(spec.item as Field<unknown, FieldMode>, mode === 'patch' ? 'create' : mode))
        .min(spec.min ?? 0)
        .max(spec.max ?? 500);
    case 'object':
      return shapeSchema(spec.shape as Shape, mode === 'patch' ? 'create' : mode);
  }
}

function fieldSchema(field: Field<unknown, FieldMode>, mode: SchemaMode): ZodType {
  const { spec } = field;
  let schema = baseSchema(spec, mode);
  if (spec.translatable)
    schema =
      mode === 'answer' ? z.record(z.string(), z.string()) : z.union([schema, z.record(z.string().regex(localeKey), schema)]);
  const { check } = spec;
  if (check && mode !== 'answer')
    schema = schema.superRefine((value, ctx) => {
      for (const { path = [], code, message } of check(value)) ctx.addIssue({ code: 'custom', message, path, params: { code } });
    });
  if (spec.description) schema = schema.describe(spec.description);
  if (spec.nullable || (mode === 'answer' && spec.sensitive)) schema = schema.nullable();
  if (mode === 'patch') return schema.optional();
  if (mode === 'create') {
    if (spec.hasDefault) return schema.default(spec.defaultValue);
    if (spec.nullable) return schema.default(null);
  }
  return schema;
}

const cache = new WeakMap<Shape, Map<SchemaMode, ZodType>>();
/** The strict zod schema of a shape. Built once, when first needed. */
export function shapeSchema(shape: Shape, mode: SchemaMode): ZodType<Record<string, unknown>> {
  let modes = cache.get(shape);
  if (!modes) cache.set(shape, (modes = new Map()));
  let schema = modes.get(mode);
  if (!schema) {
    const members: Record<string, ZodType> = {};
    for (const [name, field] of Object.entries(shape)) {
      if (mode !== 'answer' && field.spec.readonly) continue;
      members[name] = fieldSchema(field, mode);
    }
    schema = z.strictObject(members);
    modes.set(mode, schema);
  }
  return schema as ZodType<Record<string, unknown>>;
}

export function isShape(schema: SchemaLike): schema is Shape {
  return !('~standard' in schema || '~choice' in schema);
}
export function isChoice(schema: SchemaLike): schema is Choice {
  return '~choice' in schema;
}
/** A body that is `second` where `isSecond` says so, else `first`: one route that makes a thing and changes it. */
export function choice<A extends Shape, B extends Shape>(
  first: A,
  second: B,
  isSecond: (body: Readonly<Record<string, unknown>>) => boolean,
): Choice<A | B> {
  return Object.freeze({
    '~choice': {
      shapes: [first, second],
      shapeOf: (body: Readonly<Record<string, unknown>>) => (isSecond(body) ? second : first),
    },
  });
}
export function isZod(schema: SchemaLike): schema is ZodType {
  return '_zod' in schema;
}

interface Issue {
  code?: string;
  path?: PropertyKey[] | readonly (PropertyKey | { key: PropertyKey })[];
  message: string;
  keys?: string[];
  origin?: string;
  errors?: Issue[][];
  /** Of our own issues: the code for the wire, or the time whose fault depends on the zone. */
  params?: { code?: string; wall?: string };
}
function pointer(path: Issue['path']): string {
  return (path ?? [])
    .map(
      (step) =>
        `/${String(typeof step === 'object' ? step.key : step)
          .replace(/~/g, '~0')
          .replace(/\//g, '~1')}`,
    )
    .join('');
}
/** A wall time where an instant belongs: what is wrong with it in the tenant's zone, where one is known. */
function wallError(at: string, wall: string, timezone: string | undefined): FieldError {
  const code = (timezone && localFault(wall, timezone)) || 'offset_required';
  return { pointer: at, code, message: localFaultMessage(code) };
}
function flatten(issues: readonly Issue[], at: string, timezone: string | undefined): FieldError[] {
  const errors: FieldError[] = [];
  for (const issue of issues) {
    const where = at + pointer(issue.path);
    if (issue.code === 'unrecognized_keys')
      for (const key of issue.keys ?? [])
        errors.push({ pointer: `${where}${pointer([key])}`, code: 'unknown_field', message: 'is not a member here' });
    else if (issue.code === 'invalid_union' && issue.errors?.length)
      errors.push(...flatten([...issue.errors].sort((a, b) => depth(b) - depth(a))[0] ?? [], where, timezone));
    else if (issue.params?.wall) errors.push(wallError(where, issue.params.wall, timezone));
    else
      errors.push({
        pointer: where,
        code: issue.params?.code ?? (issue.code === 'custom' || issue.code === undefined ? 'invalid' : issue.code),
        message: issue.message,
      });
  }
  return errors;
}
function depth(issues: Issue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path?.length ?? 0));
}
function moneyAt(shape: Shape | undefined, error: FieldError): boolean {
  let fields: Shape | undefined = shape;
  let item: Field<unknown, FieldMode> | undefined;
  for (const step of error.pointer.split('/').slice(1)) {
    const field: Field<unknown, FieldMode> | undefined = item && /^\d+$/.test(step) ? item : fields?.[step];
    if (!field) return false;
    if (field.spec.kind === 'money') return true;
    fields = field.spec.shape;
    item = field.spec.item;
  }
  return false;
}

/** Codes of a shape fault that stand on top where every fault has the same one. */
const ownCodes = new Set([
  'unknown_field',
  'money_invalid',
  'offset_required',
  'invalid_local_time',
  'ambiguous_local_time',
  'invalid_interval',
  'currency_mismatch',
]);

/** Shape faults, all together. One fault of a general code (`unknown_field`, `money_invalid`, those of time) stands on top. */
export function faults(issues: readonly Issue[], shape?: Shape, timezone?: string): Problem {
  return problemOf(
    flatten(issues, '', timezone).map((error) => (moneyAt(shape, error) ? { ...error, code: 'money_invalid' } : error)),
  );
}

function problemOf(errors: FieldError[]): Problem {
  const codes = new Set(errors.map((error) => error.code));
  const only = codes.size === 1 ? [...codes][0] : undefined;
  const top = only && ownCodes.has(only) ? only : 'validation_failed';
  return new Problem(top, {
    detail: errors
      .map((e) => `${e.pointer || 'the body'}: ${e.message}`)
      .slice(0, 5)
      .join('; '),
    errors,
  });
}

/**
 * A plain string means the default locale; the default locale must be there. `own` money is in the shop's currency. Walks nested objects and
 * lists.
 */
function localise(shape: Shape, value: Record<string, unknown>, tenant: Locales, at: string, errors: FieldError[]): void {
  for (const [name, field] of Object.entries(shape)) {
    const member = value[name];
    if (member === undefined || member === null) continue;
    const { spec } = field;
    const where = `${at}/${name}`;
    if (spec.translatable) {
      const texts: LocalText = typeof member === 'string' ? { [tenant.defaultLocale]: member } : (member as LocalText);
      if (typeof texts[tenant.defaultLocale] !== 'string')
        errors.push({
          pointer: `${where}/${tenant.defaultLocale}`,
          code: 'required',
          message: `the text in the default locale ${tenant.defaultLocale} is required`,
        });
      for (const locale of Object.keys(texts))
        if (!tenant.locales.includes(locale))
          errors.push({
            pointer: `${where}/${locale}`,
            code: 'unknown_locale',
            message: `${locale} is not a locale of this shop`,
          });
      value[name] = texts;
    } else if (spec.own) errors.push(...foreign(member as MoneyValue, tenant, where));
    else if (spec.item?.spec.own)
      errors.push(...(member as MoneyValue[]).flatMap((value, i) => foreign(value, tenant, `${where}/${i}`)));
    else if (spec.shape) localise(spec.shape, member as Record<string, unknown>, tenant, where, errors);
    else if (spec.item?.spec.shape)
      for (const [i, item] of (member as Record<string, unknown>[]).entries())
        localise(spec.item.spec.shape, item, tenant, `${where}/${i}`, errors);
  }
}

const foreign = ({ currency }: MoneyValue, tenant: Locales, at: string): FieldError[] =>
  tenant.currency === undefined || currency === tenant.currency
    ? []
    : [{ pointer: `${at}/currency`, code: 'currency_mismatch', message: `is not the shop's ${tenant.currency}` }];

/** Validates a body. Throws `validation_failed`, or the code that all faults share (`unknown_field`, `money_invalid`, those of time), with every fault. */
export async function parseBody(
  schema: SchemaLike,
  value: unknown,
  options: { partial: boolean; tenant?: Locales },
): Promise<unknown> {
  if (isChoice(schema)) {
    const { shapes, shapeOf } = schema['~choice'];
    const readable = typeof value === 'object' && value !== null && !Array.isArray(value);
    return parseBody(readable ? shapeOf(value as Record<string, unknown>) : (shapes[0] as Shape), value, options);
  }
  if (isShape(schema)) {
    const result = shapeSchema(schema, options.partial ? 'patch' : 'create').safeParse(value);
    if (!result.success) throw faults(result.error.issues as Issue[], schema, options.tenant?.timezone);
    const parsed = result.data;
    if (options.partial) for (const key of Object.keys(parsed)) if (parsed[key] === undefined) delete parsed[key];
    const errors: FieldError[] = [];
    if (options.tenant) localise(schema, parsed, options.tenant, '', errors);
    if (errors.length > 0) throw problemOf(errors);
    return parsed;
  }
  const standard = schema as StandardSchemaV1;
  const result = await standard['~standard'].validate(value);
  if (result.issues) throw faults(result.issues as readonly Issue[]);
  return result.value;
}

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
  for (const name of params.keys()) if (!(name in shape)) throw badParameter(name, 'is not a parameter here');
  for (const [name, field] of Object.entries(shape)) {
    const given = params.getAll(name);
    if (given.length > 1) throw badParameter(name, 'stands there twice');
    if (given.length === 0) {
      if (!field.spec.hasDefault && !field.spec.nullable) throw badParameter(name, 'is required');
      values[name] = field.spec.hasDefault ? field.spec.defaultValue : null;
      continue;
    }
    const value = parseParameter(field.spec, given[0] as string);
    if (value === undefined) throw badParameter(name, 'has a value that is not accepted');
    values[name] = value;
  }
  return values;
}

export function badParameter(parameter: string, message: string): Problem {
  return new Problem('invalid_parameter', {
    parameter,
    detail: `${parameter} ${message}.`,
    errors: [{ pointer: `?${parameter}`, code: 'invalid_parameter', message }],
  });
}
