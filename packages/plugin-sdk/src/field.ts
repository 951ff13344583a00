import type { LocalInstant } from './time/local.ts';

/**
 * `f`: one small language of fields. A field yields its column, its schema, filter, sort, search, form control, event payload and setting.
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

export type LocalText = Record<string, string>;
export interface MoneyValue {
  amount: number;
  currency: string;
}
export type Shape = Record<string, Field<unknown, FieldMode>>;
export type FieldMode = 'required' | 'optional' | 'default' | 'readonly';

export interface FieldSpec {
  kind: Kind;
  min?: number;
  max?: number;
  pattern?: RegExp;
  values?: readonly string[];
  item?: Field<unknown, FieldMode>;
  shape?: Shape;
  /** `<plugin>.<resource>` that a ref points at. */
  target?: string;
  nullable: boolean;
  hasDefault: boolean;
  defaultValue?: unknown;
  filter: boolean;
  sort: boolean;
  search: boolean;
  unique: boolean;
  readonly: boolean;
  hidden: boolean;
  virtual: boolean;
  /** In the bodies of POST and PATCH alone; always `virtual` too. */
  writeOnly?: boolean;
  translatable: boolean;
  store: boolean;
  /** Of kind `money`: in the shop's currency only. */
  own?: boolean;
  /** Of kind `json`: any value, not only an object. */
  anyValue?: boolean;
  sensitive?: string;
  /** Says something of a person that buys: the audit log keeps that it changed, not what. */
  personal?: boolean;
  /** In no storefront answer. */
  private?: boolean;
  since?: string;
  description?: string;
  /** Of kind `time`: `24:00` too. */
  endOfDay?: boolean;
  /** Of kind `instant`: also without an offset, for `parseInstant`. */
  local?: boolean;
  /** Faults of a value that its kind can't see. */
  check?: (value: unknown) => readonly ValueFault[];
}

/** What `check` finds: `path` below the field, the code for `errors[]`, a message after the field's name. */
export interface ValueFault {
  path?: (string | number)[];
  code: string;
  message: string;
}

/** `Out` is the value on a row; `Mode` says whether an input may leave it out. Immutable: each modifier gives a new field. */
export class Field<Out, Mode extends FieldMode = 'required'> {
  readonly spec: Readonly<FieldSpec>;
  /** Type only; never set. */
  declare readonly _out: Out;
  declare readonly _mode: Mode;
  constructor(spec: FieldSpec) {
    this.spec = Object.freeze(spec);
  }
  private with<O, M extends FieldMode>(change: Partial<FieldSpec>): Field<O, M> {
    return new Field<O, M>({ ...this.spec, ...change });
  }
  /** May be left out and may be null. */
  optional(): Field<Out | null, 'optional'> {
    return this.with({ nullable: true });
  }
  default(value: Out): Field<Out, 'default'> {
    return this.with({ hasDefault: true, defaultValue: value });
  }
  /** Lists take `?name=` and `?name[op]=`. */
  filter(): Field<Out, Mode> {
    return this.with({ filter: true });
  }
  sort(): Field<Out, Mode> {
    return this.with({ sort: true });
  }
  /** Searched by `q`. */
  search(): Field<Out, Mode> {
    return this.with({ search: true });
  }
  /** Unique in the tenant (without case for text): 409 `duplicate {field}`. The index is in the migration. */
  unique(): Field<Out, Mode> {
    return this.with({ unique: true });
  }
  /** Set by the server; refused in a body. */
  readonly(): Field<Out, 'readonly'> {
    return this.with({ readonly: true });
  }
  /** Left out of list rows. */
  hidden(): Field<Out, Mode> {
    return this.with({ hidden: true });
  }
  /** Null and named in `masked` for callers without the permission. */
  sensitive(permission: string): Field<Out, Mode> {
    return this.with({ sensitive: permission });
  }
  /** Of a person who may be erased: the audit log, which nobody can change, keeps that it changed, and never what. */
  personal(): Field<Out, Mode> {
    return this.with({ personal: true });
  }
  /** In no storefront answer: `publicView` leaves it out, and the leak test looks for what stands in it. */
  private(): Field<Out, Mode> {
    return this.with({ private: true });
  }
  /** Text in several languages: `{ro: "…", en: "…"}`, in a request also a plain string for the tenant's default locale. */
  translatable(): Field<null extends Out ? LocalText | null : LocalText, Mode> {
    return this.with({ translatable: true });
  }
  /** Has no column: read from the body by `after`, or filled by `present`. */
  virtual(): Field<Out, Mode> {
    return this.with({ virtual: true });
  }
  /** An input of POST and PATCH that is neither a column nor in a response: a switch (`force`), or rows of another table. */
  writeOnly(): WriteOnlyField<Out, Mode> {
    return this.with<Out, Mode>({ virtual: true, writeOnly: true }) as WriteOnlyField<Out, Mode>;
  }
  /** A setting that also shows in `settings/store`. */
  store(): Field<Out, Mode> {
    return this.with({ store: true });
  }
  /** A rule of the value that its kind can't see (an end after its start), seen with the other shape faults of a body. */
  check(faults: (value: NonNullable<Out>) => readonly ValueFault[]): Field<Out, Mode> {
    return this.with({ check: (value) => (value === null ? [] : faults(value as NonNullable<Out>)) });
  }
  since(version: string): Field<Out, Mode> {
    return this.with({ since: version });
  }
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

/** Length in characters after NFC and trimming. */
export interface TextLimits {
  min?: number;
  max?: number;
  pattern?: RegExp;
}

export const f = {
  text: (limits: TextLimits = {}): Field<string> => field('text', { min: 1, max: 200, ...limits }),
  /** Sanitised HTML. */
  richText: (limits: { max?: number } = {}): Field<string> => field('richText', { max: 50_000, ...limits }),
  /** `[a-z0-9]` words joined by `-`. */
  slug: (): Field<string> => field('slug', { min: 1, max: 120 }),
  /** Stored in lower case. */
  email: (): Field<string> => field('email', { max: 254 }),
  phone: (): Field<string> => field('phone', { min: 3, max: 32 }),
  url: (): Field<string> => field('url', { max: 2000 }),
  int: (limits: { min?: number; max?: number } = {}): Field<number> =>
    field('int', { min: -2_147_483_648, max: 2_147_483_647, ...limits }),
  /** Decimal string. */
  decimal: (limits: { min?: number; max?: number } = {}): Field<string> => field('decimal', limits),
  /** Parts per million, 0..1,000,000. */
  ppm: (): Field<number> => field('ppm', { min: 0, max: 1_000_000 }),
  /** Basis points, 0..10,000. */
  bp: (limits: { min?: number; max?: number } = {}): Field<number> => field('bp', { min: 0, max: 10_000, ...limits }),
  /** `{amount, currency}` in minor units. `min` bounds the amount; `own`: another currency than the shop's is 422 `currency_mismatch`. */
  money: (limits: { min?: number; own?: boolean } = {}): Field<MoneyValue> => field('money', limits),
  bool: (): Field<boolean> => field('bool'),
  /** Civil date `2026-11-27`. */
  date: (): Field<string> => field('date'),
  /** Wall time `HH:mm`; with `endOfDay` also `24:00`, as the end of hours. */
  time: (options: { endOfDay?: boolean } = {}): Field<string> => field('time', options),
  /**
   * RFC 3339 instant; input takes any offset, rows and answers are UTC with milliseconds. Without an offset, read in the tenant's zone:
   * `invalid_local_time`, `ambiguous_local_time` or `offset_required`.
   */
  instant: (): Field<string> => field('instant'),
  /**
   * An instant of a body whose zone only the handler knows: `parseInstant(value, zone, pointer)` makes it one, or says what is wrong. Has
   * no column.
   */
  localInstant: (): Field<LocalInstant> => field('instant', { local: true, virtual: true }),
  /** IANA zone, under its old or its new name. */
  timeZone: (): Field<string> => field('timeZone'),
  oneOf: <const V extends string>(values: readonly V[]): Field<V> => field('oneOf', { values }),
  /** An object of at most 16 KiB, or of `max` bytes. */
  json: (limits: { max?: number } = {}): Field<Record<string, unknown>> => field('json', { max: 16_384, ...limits }),
  /** Any JSON value but null, for a member whose kind another member decides. The plugin checks the rest. */
  anyJson: (limits: { max?: number } = {}): Field<unknown> => field('json', { max: 16_384, anyValue: true, ...limits }),
  i18n: (limits: TextLimits = {}): Field<LocalText> => field('text', { min: 1, max: 200, ...limits, translatable: true }),
  /** A UUID that is no reference (an id inside a nested object, or of a thing that may be gone). */
  id: (): Field<string> => field('id'),
  /** `<plugin>.<resource>`; checked on write in the tenant's scope (404 with the pointer). */
  ref: (target: string): Field<string> => field('ref', { target }),
  list: <O, M extends FieldMode>(item: Field<O, M>, limits: { min?: number; max?: number } = {}): Field<O[]> =>
    field('list', { item: item as Field<unknown, FieldMode>, min: 0, max: 500, ...limits }),
  object: <S extends Shape>(shape: S): Field<RowOf<S>> => field('object', { shape }),
  /** Storage key of an uploaded file. */
  file: (): Field<string> => field('file', { max: 300 }),
  /** Encrypted at rest, written only, read back as `••••1234`. */
  secret: (): Field<string> => field('secret', { min: 1, max: 4000 }),
};

type OutOf<X> = X extends Field<infer O, FieldMode> ? O : never;
type ModeOf<X> = X extends Field<unknown, infer M> ? M : never;

type Stored<S extends Shape> = { [K in keyof S as S[K] extends { readonly _writeOnly: true } ? never : K]: S[K] };

/** A row as handlers see it: every field but the write-only ones, null where empty. */
export type RowOf<S extends Shape> = { -readonly [K in keyof Stored<S>]: OutOf<S[K]> };

type Writable<S extends Shape> = { [K in keyof S as ModeOf<S[K]> extends 'readonly' ? never : K]: S[K] };
type RequiredKeys<S extends Shape> = { [K in keyof Stored<S>]: ModeOf<S[K]> extends 'required' ? K : never }[keyof Stored<S>];

/** A create body after validation: defaults filled, optional ones null. */
export type CreateOf<S extends Shape> = { -readonly [K in keyof Writable<S>]: OutOf<S[K]> };
/** What code may pass to insert: defaults and optional ones may be missing, readonly ones may be set. */
export type InsertOf<S extends Shape> = { [K in RequiredKeys<S>]: OutOf<S[K]> } & { [K in keyof S]?: OutOf<S[K]> | undefined };
/** A PATCH body after validation: only what was sent. */
export type PatchOf<S extends Shape> = Partial<CreateOf<S>>;
