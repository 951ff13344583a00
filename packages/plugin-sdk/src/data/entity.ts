import { type Collection, type EntityClass, type EntityName, EntitySchema, type OptionalProps, Type } from '@mikro-orm/core';
import type { Clock } from '../context.ts';
import type { Field, FieldSpec, RowOf, Shape } from '../field.ts';
import { uuidv7 } from '../id.ts';
import { snake } from '../names.ts';
import { type AnyTable, type BaseRow, entityName, type Table, tableName } from '../table.ts';
import { isJson } from './columns.ts';

/** The relation to one row of a table of the same plugin, through the member that holds its id. */
export interface OneRelation<S extends Shape = Shape> {
  /** Tells the two kinds apart. */
  readonly kind: 'one';
  /** The table that the relation leads to. */
  readonly table: AnyTable;
  /** The field of the entity that holds the other row's id. */
  readonly member: string;
  /** Type only. */
  readonly _fields?: S;
}
/** The relation to the rows of a table of the same plugin that hold this row's id in `member`. */
export interface ManyRelation<S extends Shape = Shape> {
  /** Tells the two kinds apart. */
  readonly kind: 'many';
  /** The table that the relation leads to. */
  readonly table: AnyTable;
  /** The field of the other rows that holds the entity's id. */
  readonly member: string;
  /** Type only. */
  readonly _fields?: S;
  /** Default: by id, which is the order of creation. */
  readonly orderBy: Readonly<Record<string, 'asc' | 'desc'>> | undefined;
}
/** Relations of an entity by name. */
export type Relations = Readonly<Record<string, OneRelation | ManyRelation>>;

/** `one(room, 'roomId')`: the room whose id is in `roomId`, for `populate`. */
export function one<S extends Shape>(table: Table<S>, member: string): OneRelation<S> {
  return { kind: 'one', table: table, member };
}

/** `many(night, 'reservationId')`: the nights that hold this row's id in `reservationId`. Sorted by id unless `orderBy` says otherwise. */
export function many<S extends Shape>(
  table: Table<S>,
  member: string & keyof S,
  options: { orderBy?: Readonly<Partial<Record<keyof S | keyof BaseRow, 'asc' | 'desc'>>> } = {},
): ManyRelation<S> {
  return { kind: 'many', table: table, member, orderBy: options.orderBy as ManyRelation['orderBy'] };
}

type OptionalKeys<S extends Shape> = {
  [K in keyof S]: S[K] extends Field<unknown, infer M> ? (M extends 'required' ? never : K) : never;
}[keyof S];

/** An entity without relations: a row in wire shape. Secrets are sealed text (`ctx.seal`). */
export type RowEntity<S extends Shape> = RowOf<S> & BaseRow & { [OptionalProps]?: OptionalKeys<S> | keyof BaseRow };

/** The entity of a table, with the relations it was declared with. */
export type EntityOf<S extends Shape, R extends Relations = Record<never, never>> = RowOf<S> &
  BaseRow & {
    [K in keyof R]: R[K] extends OneRelation<infer T>
      ? RowEntity<T> | null
      : R[K] extends ManyRelation<infer T>
        ? Collection<RowEntity<T>>
        : never;
  } & { [OptionalProps]?: OptionalKeys<S> | keyof BaseRow | keyof R };

/** The type of an entity's instances: `EntityRow<typeof Reservation>`. */
export type EntityRow<E> = E extends EntityName<infer T> ? T : never;

/** Options of `entityOf`. */
export interface EntityOptions<R extends Relations> {
  /** What `populate` can load, by name: `one(…)` and `many(…)`. */
  relations?: R;
  /** Other plugins may use it through `ctx.em`. Set for entities that the plugin's contract exports. */
  offered?: boolean;
}

interface Declared {
  readonly handle: EntityHandle;
  readonly relations: Relations;
  readonly offered: boolean;
}
const declared = new WeakMap<object, Declared>();

/** What `entityOf` gives: names the table's entity. Each kernel compiles its own class for it. */
export class EntityHandle {
  /** The table. */
  readonly table: AnyTable;
  constructor(table: AnyTable) {
    this.table = table;
    Object.freeze(this);
  }
  /** As errors and metadata name it: that of the SQL table. */
  get name(): string {
    return tableName(this.table);
  }
}

/**
 * The MikroORM entity of a table, for `ctx.em`. Its members are those of a row. `relations` adds what `populate` can load; they are for
 * reading: to point at another row, set the member that holds its id. A table has one entity: declare it once, where the table is.
 * @throws Error where the entity was declared before
 */
export function entityOf<S extends Shape, const R extends Relations = Record<never, never>>(
  table: Table<S>,
  options: EntityOptions<R> = {},
): EntityClass<EntityOf<S, R>> {
  const known = declared.get(table);
  const relations: Relations = options.relations ?? {};
  if (known) {
    if (options.relations !== undefined || options.offered !== undefined)
      throw new Error(`The entity of table ${table.noun} is declared twice. Export the first and import it.`);
    return known.handle as unknown as EntityClass<EntityOf<S, R>>;
  }
  const handle = new EntityHandle(table);
  declared.set(table, { handle, relations, offered: options.offered ?? false });
  return handle as unknown as EntityClass<EntityOf<S, R>>;
}

/** Whether other plugins may use the table's entity. */
export function isOffered(table: AnyTable): boolean {
  return declared.get(table)?.offered ?? false;
}

/** What the callbacks of an entity need of the unit of work. */
export interface EntityUnit {
  /** Id of the tenant. */
  readonly tenantId: string;
  /** The current time. */
  readonly clock: Clock;
}

/** Amount of money in minor units: `bigint` in the database, a number here (`f.money` allows no larger one). */
export class AmountType extends Type<number | null> {
  override getColumnType(): string {
    return 'bigint';
  }
  override get runtimeType(): string {
    return 'number';
  }
  override compareAsType(): string {
    return 'number';
  }
}
/** A type whose values are text here and in the connection's result: MikroORM's own would make `Date` objects. */
abstract class TextualType extends Type<string | null> {
  override get runtimeType(): string {
    return 'string';
  }
  override compareAsType(): string {
    return 'string';
  }
}
class NumericType extends TextualType {
  override getColumnType(): string {
    return 'numeric';
  }
}
class CivilDateType extends TextualType {
  override getColumnType(): string {
    return 'date';
  }
}
/** An RFC 3339 instant. */
export class InstantType extends TextualType {
  override getColumnType(): string {
    return 'timestamptz';
  }
}
class TimeType extends TextualType {
  override getColumnType(): string {
    return 'time';
  }
  override convertToJSValue(value: string | null): string | null {
    return typeof value === 'string' ? value.slice(0, 5) : value;
  }
}
/** The connection has parsed it already: a second parse would turn the JSON string `"1"` into a number. */
class JsonbType extends Type<unknown, string | null> {
  override getColumnType(): string {
    return 'jsonb';
  }
  override get runtimeType(): string {
    return 'any';
  }
  override compareAsType(): string {
    return 'any';
  }
  override convertToDatabaseValue(value: unknown): string | null {
    return value === null || value === undefined ? null : JSON.stringify(value);
  }
  override convertToJSValue(value: unknown): unknown {
    return value;
  }
  /** Objects that differ in the order of their keys only are the same value. */
  override compareValues(a: unknown, b: unknown): boolean {
    return canonical(a) === canonical(b);
  }
  override ensureComparable(): boolean {
    return true;
  }
}
function canonical(value: unknown): string {
  const read = typeof value === 'string' ? (JSON.parse(value) as unknown) : value;
  return JSON.stringify(read, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** A property of an entity schema. */
export type Property = Record<string, unknown>;

/** What a column of this kind is to MikroORM. */
export function scalarOf(spec: FieldSpec): Property {
  if (isJson(spec)) return { type: JsonbType };
  switch (spec.kind) {
    case 'int':
    case 'ppm':
    case 'bp':
      return { type: 'integer', columnType: 'integer', runtimeType: 'number' };
    case 'decimal':
      // The column rounds and pads it, so that what is stored may be written otherwise.
      return { type: NumericType, returning: true };
    case 'bool':
      return { type: 'boolean', columnType: 'boolean' };
    case 'date':
      return { type: CivilDateType };
    case 'time':
      return { type: TimeType };
    case 'instant':
      return { type: InstantType };
    case 'id':
    case 'ref':
      return { type: 'string', columnType: 'uuid', runtimeType: 'string' };
    default:
      return { type: 'string', columnType: 'text', runtimeType: 'string' };
  }
}

/** Options of `compileEntities`. */
export interface CompileOptions {
  /** Returns the unit of work of an entity manager. */
  unitOf(em: unknown): EntityUnit;
}

/** The entities of one kernel. */
export interface CompiledEntities {
  /** For MikroORM's `entities` option. */
  readonly schemas: readonly EntitySchema<never>[];
  /** The class by the entity's name, `hotel.room`: two resources may share one table. */
  readonly classes: ReadonlyMap<string, EntityClass<object>>;
}

/**
 * The name of the reference that goes through a field: the one it was declared with, else `roomId` → `room`. Where a field has that name
 * already, `roomIdRow`.
 */
function referenceName(table: AnyTable, member: string): string {
  for (const [name, relation] of Object.entries(declared.get(table)?.relations ?? {}))
    if (relation.kind === 'one' && relation.member === member) return name;
  const short = member.replace(/Id$/, '');
  return short !== '' && short !== member && !Object.hasOwn(table.fields, short) ? short : `${member}Row`;
}

/**
 * Compiles tables into MikroORM entities for one kernel: classes are created for each kernel, since MikroORM writes metadata on their prototypes.
 * The primary key is `id` alone; the driver adds the tenant to every statement.
 */
export function compileEntities(tables: Iterable<AnyTable>, { unitOf }: CompileOptions): CompiledEntities {
  const byName = new Map<string, AnyTable>();
  for (const table of tables) if (!byName.has(entityName(table))) byName.set(entityName(table), table);
  const classes = new Map([...byName].map(([name, table]) => [name, entityClass(table)]));
  class Money {}
  const money = new EntitySchema<never>({
    class: Money as never,
    embeddable: true,
    properties: {
      amount: { type: AmountType, fieldName: 'amount', nullable: true },
      currency: { type: 'string', columnType: 'char(3)', fieldName: 'currency', nullable: true },
    } as never,
  });
  const clock = (em: unknown): string => unitOf(em).clock.now();

  const schemaOf = (table: AnyTable): EntitySchema<never> => {
    const properties: Record<string, Property> = {
      id: {
        type: 'string',
        columnType: 'uuid',
        runtimeType: 'string',
        primary: true,
        onCreate: (_: unknown, em: unknown) => uuidv7(unitOf(em).clock.ms()),
      },
      tenantId: {
        type: 'string',
        columnType: 'uuid',
        runtimeType: 'string',
        fieldName: 'tenant_id',
        hidden: true,
        lazy: true,
        // The driver sets it and compares it. An entity doesn't hold it, so that nothing can change it.
        persist: false,
      },
      createdAt: { type: InstantType, fieldName: 'created_at', onCreate: (_: unknown, em: unknown) => clock(em) },
    };
    if (!table.appendOnly) {
      const now = (_: unknown, em: unknown): string => clock(em);
      properties.updatedAt = { type: InstantType, fieldName: 'updated_at', onCreate: now, onUpdate: now };
      properties.version = { type: 'integer', columnType: 'integer', runtimeType: 'number', version: true, onCreate: () => 1 };
    }
    if (table.softDelete)
      properties.deletedAt = { type: InstantType, fieldName: 'deleted_at', nullable: true, hidden: true, lazy: true };
    for (const [member, { spec }] of Object.entries(table.fields)) {
      if (spec.virtual) continue;
      const optional = {
        ...(spec.nullable ? { nullable: true } : {}),
        ...(spec.hasDefault
          ? { onCreate: () => structuredClone(spec.defaultValue) }
          : spec.nullable
            ? { onCreate: () => null }
            : {}),
      };
      if (spec.kind === 'money') {
        properties[member] = {
          kind: 'embedded',
          entity: () => Money,
          prefix: `${snake(member)}_`,
          prefixMode: 'absolute',
          object: false,
          ...optional,
        } as unknown as Property;
        continue;
      }
      properties[member] = { ...scalarOf(spec), fieldName: snake(member), ...optional };
      const target = spec.kind === 'ref' ? byName.get(spec.target as string) : undefined;
      // Within the plugin there is a foreign key: rows that are created together are inserted in its order.
      if (target && entityName(target).split('.')[0] === entityName(table).split('.')[0])
        addReference(
          properties,
          referenceName(table, member),
          member,
          classes.get(entityName(target)) as EntityClass<object>,
          spec.nullable,
        );
    }
    for (const [name, relation] of Object.entries(declared.get(table)?.relations ?? {})) {
      const target = classes.get(entityName(relation.table));
      if (!target) throw new Error(`${entityName(table)}: relation ${name} leads to a table that is none of the plugin's`);
      if (relation.kind === 'one') {
        const spec = (table.fields as Shape)[relation.member]?.spec;
        if (!spec) throw new Error(`${entityName(table)}: relation ${name} goes through ${relation.member}, which is no field`);
        if (!Object.hasOwn(properties, name) || Object.hasOwn(table.fields, name))
          addReference(properties, name, relation.member, target, spec.nullable);
      } else {
        const { table: holder, member } = relation;
        if ((holder.fields as Shape)[member]?.spec.target !== entityName(table))
          throw new Error(`${entityName(table)}: relation ${name} needs ${member} to be f.ref('${entityName(table)}')`);
        properties[name] = {
          kind: '1:m',
          entity: () => target,
          mappedBy: referenceName(holder, member),
          orderBy: relation.orderBy ?? { id: 'asc' },
          cascade: [],
        } as unknown as Property;
      }
    }
    return new EntitySchema<never>({
      class: classes.get(entityName(table)) as never,
      tableName: tableName(table),
      properties: properties as never,
    });
  };
  return { schemas: [money, ...[...byName.values()].map(schemaOf)], classes };
}

/** A reference beside the member that holds the id: that one is written, this one is for `populate` and for the order of inserts. */
function addReference(
  properties: Record<string, Property>,
  name: string,
  member: string,
  target: EntityClass<object>,
  nullable: boolean,
): void {
  if (Object.hasOwn(properties, name)) throw new Error(`The relation ${name} has the name of a field.`);
  properties[name] = {
    kind: 'm:1',
    entity: () => target,
    joinColumn: snake(member),
    persist: false,
    hidden: true,
    cascade: [],
    ...(nullable ? { nullable: true } : {}),
  } as unknown as Property;
}

/** An append-only row has neither `updated_at` nor `version`: both read as those of its creation. */
function entityClass(table: AnyTable): EntityClass<object> {
  const name = tableName(table);
  const made = { [name]: class {} }[name] as unknown as EntityClass<object> & { prototype: object };
  if (table.appendOnly)
    Object.defineProperties(made.prototype, {
      updatedAt: {
        get(this: { createdAt: string }) {
          return this.createdAt;
        },
        configurable: true,
      },
      version: { get: () => 1, configurable: true },
    });
  return made;
}
