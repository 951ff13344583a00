import {
  type Ctx,
  checkReferences,
  f,
  type LocalText,
  Problem,
  sanitizeRichText,
  validationProblem,
} from '@storeloom/plugin-sdk';
import { localizedText } from '@storeloom/plugin-sdk/public';
import { type ZodType, z } from 'zod';

/** JSON Schema of a theme, as the kernel has read it. */
export type Schema = Readonly<Record<string, unknown>>;
type FieldErrors = NonNullable<Problem['extra']['errors']>;

const parsers = new WeakMap<Schema, ZodType>();
function parserOf(schema: Schema): ZodType {
  let parser = parsers.get(schema);
  if (!parser) parsers.set(schema, (parser = z.fromJSONSchema(schema)));
  return parser;
}
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const membersOf = (schema: Schema): Readonly<Record<string, Schema>> =>
  isObject(schema.properties) ? (schema.properties as Record<string, Schema>) : {};
const itemsOf = (schema: Schema): Schema | undefined => (isObject(schema.items) ? schema.items : undefined);
const memberPath = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** `Themes.read` of the contract. */
export async function read(ctx: Ctx, schema: Schema, value: unknown, at: string): Promise<unknown> {
  const errors: FieldErrors = [];
  const parsed = parserOf(schema).safeParse(cleaned(schema, value, at, errors));
  if (!parsed.success) {
    const { code, extra } = validationProblem(parsed.error.issues as Parameters<typeof validationProblem>[0]);
    throw new Problem(code, {
      ...extra,
      errors: (extra.errors ?? []).map((fault) => ({ ...fault, pointer: `${at}${fault.pointer}` })),
    });
  }
  const stored = await finished(ctx, schema, parsed.data, at, errors);
  if (errors.length > 0) throw new Problem('validation_failed', { errors });
  return stored;
}

/** Texts in NFC without white space around them, and no null where a member may be left out. */
function cleaned(schema: Schema, value: unknown, at: string, errors: FieldErrors): unknown {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) errors.push({ pointer: at, code: 'invalid', message: 'is not well-formed Unicode' });
    return value.normalize('NFC').trim();
  }
  if (Array.isArray(value)) return value.map((item, i) => cleaned(itemsOf(schema) ?? {}, item, `${at}/${i}`, errors));
  if (!isObject(value)) return value;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const members = membersOf(schema);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => member !== null || required.includes(name))
      .map(([name, member]) => [
        name,
        cleaned(Object.hasOwn(members, name) ? (members[name] as Schema) : {}, member, at + memberPath(name), errors),
      ]),
  );
}

async function finished(ctx: Ctx, schema: Schema, value: unknown, at: string, errors: FieldErrors): Promise<unknown> {
  if (schema['x-translatable'] === true) return localised(ctx, schema, value as string | LocalText, at, errors);
  if (typeof value === 'string') {
    const target = schema['x-ref'];
    if (typeof target === 'string') {
      const cut = at.lastIndexOf('/');
      const name = at.slice(cut + 1);
      await checkReferences(ctx, { [name]: f.ref(target) }, { [name]: value }, at.slice(0, cut));
    }
    if (isAddress(schema)) checkAddress(value, at, errors);
    return isHtml(schema) ? sanitizeRichText(value) : value;
  }
  const items = itemsOf(schema);
  if (Array.isArray(value) && items) {
    const stored: unknown[] = [];
    for (const [i, item] of value.entries()) stored.push(await finished(ctx, items, item, `${at}/${i}`, errors));
    return stored;
  }
  if (!isObject(value)) return value;
  const members = membersOf(schema);
  const stored: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value))
    stored[name] = Object.hasOwn(members, name)
      ? await finished(ctx, members[name] as Schema, member, at + memberPath(name), errors)
      : member;
  return stored;
}
const isHtml = (schema: Schema): boolean => schema.contentMediaType === 'text/html';
/** A theme makes a link of it: a scheme that runs would be a script of the shop's. The reader of JSON Schema takes any scheme. */
const isAddress = (schema: Schema): boolean => schema.format === 'uri';
function checkAddress(value: string, at: string, errors: FieldErrors): void {
  if (!/^(?:https?:\/\/|mailto:|tel:)/i.test(value))
    errors.push({ pointer: at, code: 'invalid', message: 'must be an http(s), mailto or tel URL' });
}

function localised(ctx: Ctx, schema: Schema, value: string | LocalText, at: string, errors: FieldErrors): LocalText {
  const { defaultLocale, locales } = ctx.tenant;
  const texts = typeof value === 'string' ? { [defaultLocale]: value } : value;
  if (!Object.hasOwn(texts, defaultLocale))
    errors.push({
      pointer: `${at}/${defaultLocale}`,
      code: 'required',
      message: `the text in the default locale ${defaultLocale} is required`,
    });
  for (const [locale, text] of Object.entries(texts)) {
    if (!locales.includes(locale))
      errors.push({ pointer: `${at}/${locale}`, code: 'unknown_locale', message: `${locale} is not a locale of this shop` });
    if (isAddress(schema)) checkAddress(text, `${at}/${locale}`, errors);
  }
  return isHtml(schema)
    ? Object.fromEntries(Object.entries(texts).map(([locale, html]) => [locale, sanitizeRichText(html)]))
    : texts;
}

/** `Themes.shown` of the contract. What was stored may be of another theme, or of another version of this one. */
export function shown(ctx: Ctx, schema: Schema, value: unknown): unknown {
  if (schema.type === 'object' && schema.properties !== undefined) {
    const given = isObject(value) ? value : {};
    return Object.fromEntries(
      Object.entries(membersOf(schema)).map(([name, member]) => [
        name,
        shown(ctx, member, Object.hasOwn(given, name) ? given[name] : undefined),
      ]),
    );
  }
  const own = value !== null && value !== undefined && parserOf(schema).safeParse(value).success;
  const present = own ? value : (schema.default ?? null);
  if (present === null) return null;
  if (schema['x-translatable'] === true)
    return typeof present === 'string' ? present : localizedText(present as LocalText, ctx.locale, ctx.tenant.defaultLocale);
  const items = itemsOf(schema);
  if (Array.isArray(present) && items) return present.map((item) => shown(ctx, items, item));
  return present;
}
