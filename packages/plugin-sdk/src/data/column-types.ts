import { type Dictionary, type EntityCtor, EntitySchema, type EntitySchemaProperty, Type } from '@mikro-orm/core';
import type { FieldSpec } from '../field.ts';
import { isJson } from './columns.ts';

/** Amount of money in minor units: `bigint` in the database, a number here (`f.money` allows no larger one). */
class AmountType extends Type<number | null> {
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
export type Property = EntitySchemaProperty<Dictionary, Dictionary>;
/** Options of a property with a column. */
export type ColumnProperty = Exclude<Property, { kind: unknown } | { enum: unknown }>;

/** What a column of this kind is to MikroORM. */
export function scalarOf(spec: FieldSpec): ColumnProperty {
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

/** Money of a row: two columns, whose names begin with the prefix of the property. */
export interface MoneyEntity {
  /** The embeddable class. */
  readonly type: EntityCtor<Dictionary>;
  /** For MikroORM's `entities` option. */
  readonly schema: EntitySchema;
}

/** Returns the embeddable of money. Each compilation has its own: MikroORM writes metadata on the class. */
export function moneyEntity({ nullable }: { nullable: boolean }): MoneyEntity {
  const type = namedClass('Money');
  const optional = nullable ? { nullable: true } : {};
  const schema = new EntitySchema({
    class: type,
    embeddable: true,
    properties: {
      amount: { type: AmountType, fieldName: 'amount', ...optional },
      currency: { type: 'string', columnType: 'char(3)', fieldName: 'currency', ...optional },
    },
  });
  return { type, schema };
}

/** Returns a class of this name for MikroORM, which writes metadata on its prototype. */
export function namedClass(name: string): EntityCtor<Dictionary> {
  const entityClass = class {};
  Object.defineProperty(entityClass, 'name', { value: name });
  return entityClass;
}
