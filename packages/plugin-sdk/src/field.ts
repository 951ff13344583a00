import type { Warning } from './reply.ts';
import type { LocalInstant } from './time/local.ts';

/**
 * Kinds of fields. A field determines its column, validation schema, filter, sort, search, form control, event payload and
 * setting.
 */
export type Kind =
  | 'text'
  | 'richText'
  | 'slug'
  | 'email'
  | 'phone'
  | 'url'
  | 'int'
  | 'decimal'
  | 'ppm'
  | 'bp'
  | 'money'
  | 'bool'
  | 'date'
  | 'time'
  | 'instant'
  | 'timeZone'
  | 'oneOf'
  | 'json'
  | 'i18n'
  | 'id'
  | 'ref'
  | 'list'
  | 'object'
  | 'file'
  | 'secret';

/** Text by locale. */
export type LocalText = Record<string, string>;
/** Money in the API. */
export interface MoneyValue {
  /** Minor units of the currency. */
  amount: number;
  currency: string;
}
/** Fields by property name. */
export type Shape = Record<string, Field<unknown, FieldMode>>;
/** Whether an input can omit the field: `required`, `optional` (null), `default`, or never accepted (`readonly`). */
export type FieldMode = 'required' | 'optional' | 'default' | 'readonly';

/** Everything that is declared about a field. */
export interface FieldSpec {
  /** Kind of the value. */
  kind: Kind;
  /** Minimum of a number, of the length of a text, or of the items of a list. */
  min?: number;
  /** Maximum of a number, of the length of a text, of the items of a list, or of the bytes of JSON. */
  max?: number;
  /** Pattern of a text. */
  pattern?: RegExp;
  /** Values of kind `oneOf`. */
  values?: readonly string[];
  /** Field of the items of a list. */
  item?: Field<unknown, FieldMode>;
  /** Fields of an object. */
  shape?: Shape;
  /** `<plugin>.<resource>` that a ref refers to. */
  target?: string;
  /** True if the value can be null or omitted. */
  nullable: boolean;
  /** True if there is a default. */
  hasDefault: boolean;
  /** Value of an omitted property. */
  defaultValue?: unknown;
  /** True if lists can be filtered by it. */
  filter: boolean;
  /** True if lists can be sorted by it. */
  sort: boolean;
  /** True if `q` searches it. */
  search: boolean;
  /** True if it is unique within the tenant. */
  unique: boolean;
  /** True if only the server sets it. */
  readonly: boolean;
  /** True if list rows omit it. */
  hidden: boolean;
  /** True if it has no column. */
  virtual: boolean;
  /** True if only the bodies of POST and PATCH have it; then `virtual` is true as well. */
  writeOnly?: boolean;
  /** True for a text by locale. */
  translatable: boolean;
  /** True for a setting that also shows in `settings/store`. */
  store: boolean;
  /** Kind `money`: true if only the shop's currency is accepted. */
  own?: boolean;
  /** Kind `json`: true if any value is accepted, not only an object. */
  anyValue?: boolean;
  /** Permission without which the value is masked. */
  sensitive?: string;
  /** True for personal data: the audit log records that it changed, not the value. */
  personal?: boolean;
  /** True if no storefront response may contain it. */
  private?: boolean;
  /** Version of the plugin that added it. */
  since?: string;
  /** Description for OpenAPI and forms. */
  description?: string;
  /** Value in the examples of OpenAPI, or a function that returns it. */
  example?: unknown;
  /** Kind `time`: true if `24:00` is accepted. */
  endOfDay?: boolean;
  /** Kind `instant`: true if a value without an offset is accepted, for `parseInstant`. */
  local?: boolean;
  /** Returns the errors of a value beyond those of its kind. */
  check?: (value: unknown) => readonly ValueFault[];
}

/** An error found by `Field.check`. */
export interface ValueFault {
  /** Path below the field. */
  path?: (string | number)[];
  code: string;
  /** What is wrong; continues a sentence that begins with the field's name. */
  message: string;
}

/**
 * A field. `Out` is its value on a row; `Mode` tells whether an input can omit it. Immutable: each modifier returns a new field.
 */
export class Field<Out, Mode extends FieldMode = 'required'> {
  /** Everything that is declared about the field. */
  readonly spec: Readonly<FieldSpec>;
  /** Type tag; never set. */
  declare readonly _out: Out;
  /** Type tag; never set. */
  declare readonly _mode: Mode;
  constructor(spec: FieldSpec) {
    this.spec = Object.freeze(spec);
  }
  private with<O, M extends FieldMode>(change: Partial<FieldSpec>): Field<O, M> {
    return new Field<O, M>({ ...this.spec, ...change });
  }
  /** Accepts null; an omitted value is null. */
  optional(): Field<Out | null, 'optional'> {
    return this.with({ nullable: true });
  }
  /** Uses this value if the property is omitted. */
  default(value: Out): Field<Out, 'default'> {
    return this.with({ hasDefault: true, defaultValue: value });
  }
  /** Lets lists filter by the field: `?name=` and `?name[op]=`. */
  filter(): Field<Out, Mode> {
    return this.with({ filter: true });
  }
  /** Lets lists sort by the field. */
  sort(): Field<Out, Mode> {
    return this.with({ sort: true });
  }
  /** Includes the field in the search `q` of lists. */
  search(): Field<Out, Mode> {
    return this.with({ search: true });
  }
  /**
   * Requires a unique value within the tenant (ignoring case for text): 409 `duplicate {field}`. The index is in the migration.
   */
  unique(): Field<Out, Mode> {
    return this.with({ unique: true });
  }
  /** Only the server sets the field; a request body with it is rejected. */
  readonly(): Field<Out, 'readonly'> {
    return this.with({ readonly: true });
  }
  /** Omits the field from list rows. */
  hidden(): Field<Out, Mode> {
    return this.with({ hidden: true });
  }
  /** Masks the value for callers without the permission: null, and listed in `masked`. */
  sensitive(permission: string): Field<Out, Mode> {
    return this.with({ sensitive: permission });
  }
  /** Marks personal data: the append-only audit log records that the value changed, but never the value. */
  personal(): Field<Out, Mode> {
    return this.with({ personal: true });
  }
  /** Excludes the field from storefront responses: `publicView` rejects it, and the leak test searches for its values. */
  private(): Field<Out, Mode> {
    return this.with({ private: true });
  }
  /** Text by locale: `{ro: "…", en: "…"}`; a request can send a plain string for the tenant's default locale. */
  translatable(): Field<null extends Out ? LocalText | null : LocalText, Mode> {
    return this.with({ translatable: true });
  }
  /** A field without a column: read from the body by `after`, or filled by `present`. */
  virtual(): Field<Out, Mode> {
    return this.with({ virtual: true });
  }
  /** An input of POST and PATCH that is neither a column nor in a response: a switch (`force`), or rows of another table. */
  writeOnly(): WriteOnlyField<Out, Mode> {
    return this.with<Out, Mode>({ virtual: true, writeOnly: true }) as WriteOnlyField<Out, Mode>;
  }
  /** Shows a setting in `settings/store` too. */
  store(): Field<Out, Mode> {
    return this.with({ store: true });
  }
  /** Adds a rule that the kind doesn't cover (an end after its start); its errors are reported with the others of the body. */
  check(faults: (value: NonNullable<Out>) => readonly ValueFault[]): Field<Out, Mode> {
    return this.with({ check: (value) => (value === null ? [] : faults(value as NonNullable<Out>)) });
  }
  /** Version of the plugin that added the field. */
  since(version: string): Field<Out, Mode> {
    return this.with({ since: version });
  }
  /**
   * Value in the examples of OpenAPI, for a field whose rules the schema can't express. `null` for an optional field that excludes
   * another. A function is called whenever the document is built, for a time that has to be near.
   */
  example(example: unknown): Field<Out, Mode> {
    return this.with({ example });
  }
  /** Description for OpenAPI and forms. */
  describe(description: string): Field<Out, Mode> {
    return this.with({ description });
  }
}

/** A field of `writeOnly()`: in the inputs of a resource, not in its rows. */
export type WriteOnlyField<Out, Mode extends FieldMode> = Field<Out, Mode> & { readonly _writeOnly: true };

const base = {
  nullable: false,
  hasDefault: false,
  filter: false,
  sort: false,
  search: false,
  unique: false,
  readonly: false,
  hidden: false,
  virtual: false,
  translatable: false,
  store: false,
};
function field<Out>(kind: Kind, more: Partial<FieldSpec> = {}): Field<Out> {
  return new Field<Out>({ kind, ...base, ...more });
}

/** Limits of a text; lengths in characters after NFC normalisation and trimming. */
export interface TextLimits {
  /** Minimum length. */
  min?: number;
  /** Maximum length. */
  max?: number;
  /** Pattern that the text must match. */
  pattern?: RegExp;
}

/** The field builders. Each returns a required field; change it with the modifiers of `Field`. */
export const f = {
  /** Text of 1 to 200 characters unless limits are given. */
  text: (limits: TextLimits = {}): Field<string> => field('text', { min: 1, max: 200, ...limits }),
  /** Sanitised HTML of at most 50,000 characters. */
  richText: (limits: { max?: number } = {}): Field<string> => field('richText', { max: 50_000, ...limits }),
  /** Words of `[a-z0-9]` joined by `-`, at most 120 characters. */
  slug: (): Field<string> => field('slug', { min: 1, max: 120 }),
  /** E-mail address, stored in lower case. */
  email: (): Field<string> => field('email', { max: 254 }),
  /** Phone number as entered, 3 to 32 characters. */
  phone: (): Field<string> => field('phone', { min: 3, max: 32 }),
  /** An http(s) URL. */
  url: (): Field<string> => field('url', { max: 2000 }),
  /** Integer of 32 bits. */
  int: (limits: { min?: number; max?: number } = {}): Field<number> =>
    field('int', { min: -2_147_483_648, max: 2_147_483_647, ...limits }),
  /** Decimal number as a string. */
  decimal: (limits: { min?: number; max?: number } = {}): Field<string> => field('decimal', limits),
  /** Parts per million, 0..1,000,000. */
  ppm: (): Field<number> => field('ppm', { min: 0, max: 1_000_000 }),
  /** Basis points, 0..10,000. */
  bp: (limits: { min?: number; max?: number } = {}): Field<number> => field('bp', { min: 0, max: 10_000, ...limits }),
  /**
   * `{amount, currency}` in minor units. `min` limits the amount; with `own` a currency other than the shop's is 422
   * `currency_mismatch`.
   */
  money: (limits: { min?: number; own?: boolean } = {}): Field<MoneyValue> => field('money', limits),
  /** Boolean. */
  bool: (): Field<boolean> => field('bool'),
  /** Civil date `2026-11-27`. */
  date: (): Field<string> => field('date'),
  /** Wall time `HH:mm`; with `endOfDay` also `24:00`, as the end of hours. */
  time: (options: { endOfDay?: boolean } = {}): Field<string> => field('time', options),
  /**
   * RFC 3339 instant; an input can have any offset, rows and responses are UTC with milliseconds. A value without an offset is
   * 422 `invalid_local_time`, `ambiguous_local_time` or `offset_required`, checked in the tenant's time zone.
   */
  instant: (): Field<string> => field('instant'),
  /**
   * An instant whose time zone only the handler knows: `parseInstant(value, timeZone, pointer)` converts it. It has no column.
   */
  localInstant: (): Field<LocalInstant> => field('instant', { local: true, virtual: true }),
  /** IANA time zone, by its old or new name. */
  timeZone: (): Field<string> => field('timeZone'),
  /** One of these values. */
  oneOf: <const V extends string>(values: readonly V[]): Field<V> => field('oneOf', { values }),
  /**
   * A JSON object of at most 16 KiB, or of `max` bytes. `T` is the type of what the plugin itself stores: only that it is an object is
   * checked, so leave it out for a property that requests set.
   */
  json: <T extends object = Record<string, unknown>>(limits: { max?: number } = {}): Field<T> =>
    field('json', { max: 16_384, ...limits }),
  /** Any JSON value except null, for a property whose kind another property determines. The plugin checks the rest. */
  anyJson: (limits: { max?: number } = {}): Field<unknown> => field('json', { max: 16_384, anyValue: true, ...limits }),
  /** Text by locale. */
  i18n: (limits: TextLimits = {}): Field<LocalText> => field('text', { min: 1, max: 200, ...limits, translatable: true }),
  /** A UUID that isn't a reference (in a nested object, or of a row that may no longer exist). */
  id: (): Field<string> => field('id'),
  /** A reference to `<plugin>.<resource>`; checked on write within the tenant: 404 `not_found` with the pointer. */
  ref: (target: string): Field<string> => field('ref', { target }),
  /** A list of at most 500 items unless limits are given. */
  list: <O, M extends FieldMode>(item: Field<O, M>, limits: { min?: number; max?: number } = {}): Field<O[]> =>
    field('list', { item: item as Field<unknown, FieldMode>, min: 0, max: 500, ...limits }),
  /** A nested object. */
  object: <S extends Shape>(shape: S): Field<RowOf<S>> => field('object', { shape }),
  /** Warnings of a response that succeeded. */
  warnings: (): Field<Warning[]> =>
    field('list', {
      item: f.object({ code: f.text(), message: f.text({ max: 1000 }), pointer: f.text({ max: 1000 }).optional() }),
      min: 0,
      max: 500,
    }),
  /** Storage key of an uploaded file. */
  file: (): Field<string> => field('file', { max: 300 }),
  /** A secret: encrypted at rest, write-only, read as `••••1234`. */
  secret: (): Field<string> => field('secret', { min: 1, max: 4000 }),
};

type OutOf<X> = X extends Field<infer O, FieldMode> ? O : never;
type ModeOf<X> = X extends Field<unknown, infer M> ? M : never;

/** The fields of a shape without write-only ones. */
export type StoredOf<S extends Shape> = { [K in keyof S as S[K] extends { readonly _writeOnly: true } ? never : K]: S[K] };

/** A row as handlers see it: every property except write-only ones, null if empty. */
export type RowOf<S extends Shape> = { -readonly [K in keyof StoredOf<S>]: OutOf<S[K]> };

type Writable<S extends Shape> = { [K in keyof S as ModeOf<S[K]> extends 'readonly' ? never : K]: S[K] };
type RequiredKeys<S extends Shape> = { [K in keyof StoredOf<S>]: ModeOf<S[K]> extends 'required' ? K : never }[keyof StoredOf<S>];

/** The body of a create after validation: defaults filled in, optional properties null. */
export type CreateOf<S extends Shape> = { -readonly [K in keyof Writable<S>]: OutOf<S[K]> };
/** What `rows.insert` accepts: properties with defaults and optional ones can be missing, readonly ones can be set. */
export type InsertOf<S extends Shape> = { [K in RequiredKeys<S>]: OutOf<S[K]> } & { [K in keyof S]?: OutOf<S[K]> | undefined };
/** The body of a PATCH after validation: only the properties sent. */
export type PatchOf<S extends Shape> = Partial<CreateOf<S>>;
