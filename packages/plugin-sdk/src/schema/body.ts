import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { LocalText, MoneyValue, Shape } from '../field.ts';
import type { FieldError } from '../problem.ts';
import type { SchemaLike } from '../route.ts';
import { type Issue, problemOf, validationProblem } from './faults.ts';
import { isChoice, isShape } from './schema-like.ts';
import { shapeSchema } from './shape-schema.ts';

/** What of the tenant the validation of a body depends on. */
export interface Locales {
  /** Locale that translated texts must have. */
  defaultLocale: string;
  /** Locales that translated texts can have. */
  locales: readonly string[];
  /** Time zone for the message about an instant without an offset. */
  timezone?: string;
  /** Currency that `own` money must have. */
  currency?: string;
}

/**
 * Converts a plain string to a text in the default locale, and checks locales and the currency of `own` money, in nested objects and lists
 * too.
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
    : [{ pointer: `${at}/currency`, code: 'currency_mismatch', message: `must be the shop's currency ${tenant.currency}` }];

/**
 * Validates a body and returns it with defaults filled in; with `partial` only what was sent.
 *
 * @throws Problem 422 `validation_failed` with every error, or the code that all errors share (`unknown_field`, `money_invalid`,
 * the codes of time)
 */
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
    if (!result.success) throw validationProblem(result.error.issues as Issue[], schema, options.tenant?.timezone);
    const parsed = result.data;
    if (options.partial) for (const key of Object.keys(parsed)) if (parsed[key] === undefined) delete parsed[key];
    const errors: FieldError[] = [];
    if (options.tenant) localise(schema, parsed, options.tenant, '', errors);
    if (errors.length > 0) throw problemOf(errors);
    return parsed;
  }
  const standard = schema as StandardSchemaV1;
  const result = await standard['~standard'].validate(value);
  if (result.issues) throw validationProblem(result.issues as readonly Issue[]);
  return result.value;
}
