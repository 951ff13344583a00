import { isDeepStrictEqual } from 'node:util';
import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { selectRows } from '../data/select-rows.ts';
import type { Field, FieldMode, RowOf, Shape } from '../field.ts';
import type { Person, PersonExport, peopleErase, peopleExport } from '../kernel/people.ts';
import { snake } from '../names.ts';
import { type AnyTable, type BaseRow, entityName, type Table } from '../table.ts';
import type { TapFn } from '../token.ts';
import { erasedEmail, normalizeEmail } from './contact.ts';

type RowIn<S extends Shape> = RowOf<S> & BaseRow;

/** How the rows of a table are found, exported and erased for a person. All but the table is derived from its fields. */
export interface PersonalRows<S extends Shape> {
  /** Table with `.personal()` fields. */
  readonly table: Table<S>;
  /**
   * Fields that name the person (`customer.email` inside an object), or a condition on the row `t`, undefined for no rows. Default: `customerId`, `userId`, and the
   * `.personal()` fields of kind e-mail and phone.
   */
  readonly by?: readonly string[] | ((person: Person) => RawBuilder<unknown> | undefined);
  /** Fields of the export. Default: all. */
  readonly exports?: readonly (keyof RowIn<S> & string)[];
  /** Rows as they are exported, for instance with names of what they refer to. Takes the place of `exports`. */
  present?(ctx: Ctx, rows: RowIn<S>[]): Promise<object[]> | object[];
  /**
   * What erased rows hold. Default: null in `.personal()` fields, in required ones `erased` or an address of no host. `removed`: the rows are
   * removed. `false`: they are only exported.
   */
  readonly erased?: Partial<RowIn<S>> | 'removed' | false;
  /** Rows that are still needed: the instant until when, or null for those that can be erased. */
  readonly keep?: { readonly reason: string; until(ctx: Ctx, row: RowIn<S>): Promise<string | null> | string | null };
  /** Erases what belongs to the erased rows elsewhere. */
  after?(ctx: Ctx, rows: readonly RowIn<S>[]): Promise<void>;
}

/** Checks the options of one table against its fields, for `personalTaps`. */
export const personalRows = <S extends Shape>(options: PersonalRows<S>): PersonalRows<Shape> => options as PersonalRows<Shape>;

/** Taps of `peopleExport` and `peopleErase`. */
export interface PersonalTaps {
  /** Tap of `peopleExport`. */
  readonly exportPerson: TapFn<typeof peopleExport>;
  /** Tap of `peopleErase`. */
  readonly erasePerson: TapFn<typeof peopleErase>;
}

/**
 * The taps of `people.export` and `people.erase` for a plugin's tables with `.personal()` fields. Exports list the tables in the order
 * given; an erasure finds the rows of all tables before it changes the first, so that one table may be found by another. Safe to repeat:
 * rows that hold the erased values already are neither changed nor counted.
 *
 * @example export const { exportPerson, erasePerson } = personalTaps(personalRows({ table: purchase }), personalRows({ table: ticket }));
 */
export function personalTaps(...tables: readonly PersonalRows<Shape>[]): PersonalTaps {
  const find = (ctx: Ctx, person: Person) => Promise.all(tables.map((one) => rowsOf(ctx, one, person)));
  return {
    async exportPerson(ctx, person) {
      const found = await find(ctx, person);
      return (await Promise.all(tables.map((one, i) => exportOf(ctx, one, found[i] ?? [])))).flat();
    },
    async erasePerson(ctx, person) {
      const found = await find(ctx, person);
      for (const [i, one] of tables.entries()) {
        const rows = found[i];
        if (rows && one.erased !== false) person.report(await erase(ctx, one, rows));
      }
    },
  };
}

/** The person's rows; undefined where the person is known by nothing that the table has. */
async function rowsOf(ctx: Ctx, { table, by }: PersonalRows<Shape>, person: Person): Promise<RowIn<Shape>[] | undefined> {
  const condition = typeof by === 'function' ? by(person) : conditionOf(table.fields, by ?? namesOf(table.fields), person);
  return condition && selectRows(ctx, table, condition);
}

async function exportOf(ctx: Ctx, options: PersonalRows<Shape>, found: RowIn<Shape>[]): Promise<PersonExport[]> {
  const { table, exports: names, present } = options;
  if (found.length === 0) return [];
  const pick = (row: RowIn<Shape>) => (names ? Object.fromEntries(names.map((name) => [name, row[name]])) : row);
  const rows = (present ? await present(ctx, found) : found.map(pick)) as Record<string, unknown>[];
  return [{ resource: entityName(table as AnyTable), rows }];
}

async function erase(ctx: Ctx, options: PersonalRows<Shape>, rows: readonly RowIn<Shape>[]) {
  const { table, keep } = options;
  const valuesOf = (id: string) => ({
    ...erasedValues(table.fields, id),
    ...(options.erased as Partial<RowIn<Shape>> | undefined),
  });
  const gone: RowIn<Shape>[] = [];
  const ends: string[] = [];
  for (const row of rows) {
    const until = keep ? await keep.until(ctx, row) : null;
    if (until === null) gone.push(row);
    else ends.push(until);
  }
  const changed = options.erased === 'removed' ? gone : gone.filter((row) => !isErased(row, valuesOf(row.id)));
  if (options.erased === 'removed') await ctx.rows(table).removeWhere({ id: gone.map(({ id }) => id) });
  else for (const { id } of changed) await ctx.rows(table).update(id, valuesOf(id));
  await options.after?.(ctx, gone);
  const until = ends.sort().at(-1);
  return {
    resource: entityName(table as AnyTable),
    erased: changed.length,
    ...(keep && until !== undefined ? { kept: { count: ends.length, reason: keep.reason, until } } : {}),
  };
}

/** A row without values to erase is one for `after`, and counts. */
function isErased(row: RowIn<Shape>, values: Record<string, unknown>): boolean {
  const entries = Object.entries(values);
  return entries.length > 0 && entries.every(([name, value]) => isDeepStrictEqual(row[name], value));
}

/** Values in place of the personal ones, by the kinds of the fields. */
function erasedValues(fields: Shape, id: string): Record<string, unknown> {
  const personal = Object.entries(fields).filter(([, { spec }]) => spec.personal && !spec.virtual);
  return Object.fromEntries(personal.map(([name, field]) => [name, erasedValue(name, field, id)]));
}
function erasedValue(name: string, { spec }: Field<unknown, FieldMode>, id: string): unknown {
  if (spec.nullable) return null;
  if (spec.kind === 'list') return [];
  if (spec.kind === 'email') return erasedEmail(id);
  if (spec.kind === 'text') return 'erased';
  throw new Error(`the personal field ${name} is required: say what an erased row holds in place of it`);
}

/** The fields that name a person: the two ids, and personal addresses and numbers, those inside objects too. */
function namesOf(fields: Shape): string[] {
  return Object.entries(fields).flatMap(([name, { spec }]) => {
    if (spec.virtual) return [];
    if (name === 'customerId' || name === 'userId') return [name];
    if (!spec.personal) return [];
    if (spec.shape)
      return Object.entries(spec.shape).flatMap(([inner, field]) => (isContact(field.spec.kind) ? [`${name}.${inner}`] : []));
    return isContact(spec.kind) ? [name] : [];
  });
}
const isContact = (kind: string): boolean => kind === 'email' || kind === 'phone';

function conditionOf(fields: Shape, names: readonly string[], person: Person): RawBuilder<unknown> | undefined {
  const parts = names.flatMap((path) => {
    const [name, inner] = path.split('.') as [string, string | undefined];
    const field = inner === undefined ? fields[name] : fields[name]?.spec.shape?.[inner];
    if (!field) throw new Error(`there is no field ${path}`);
    const column = inner === undefined ? sql.ref(`t.${snake(name)}`) : sql`${sql.ref(`t.${snake(name)}`)} ->> ${inner}`;
    const { customerId, userId, emails, phones } = person;
    if (name === 'customerId') return customerId === undefined ? [] : [sql`${column} = ${customerId}::uuid`];
    if (name === 'userId') return userId === undefined ? [] : [sql`${column} = ${userId}::uuid`];
    const values = field.spec.kind === 'email' ? emails.map(normalizeEmail) : [...phones];
    return values.length === 0 ? [] : [sql`${column} = any(${values}::text[])`];
  });
  return parts.length === 0 ? undefined : sql.join(parts, sql` or `);
}
