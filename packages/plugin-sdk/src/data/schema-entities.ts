import { type Dictionary, type EntityCtor, EntitySchema } from '@mikro-orm/core';
import type { Shape } from '../field.ts';
import { snake } from '../names.ts';
import { type AnyTable, entityName, type TableKey, tableName } from '../table.ts';
import { InstantType, moneyEntity, namedClass, type Property, scalarOf } from './column-types.ts';
import { tableSql } from './columns.ts';

/**
 * Compiles tables of one plugin into the entities that its schema is drafted from: the primary key is `(tenant_id, id)`, and a reference
 * inside the plugin is a foreign key with the tenant in it. They are never used for reading and writing.
 */
export function compileSchema(tables: Iterable<AnyTable>): EntitySchema[] {
  const entities = new Map([...tables].map((table) => [entityName(table), { table, entityClass: namedClass(tableName(table)) }]));
  const money = moneyEntity({ nullable: false });
  const uuid = { type: 'string', columnType: 'uuid' };
  const schemaOf = ({ table, entityClass }: { table: AnyTable; entityClass: EntityCtor<Dictionary> }): EntitySchema => {
    const properties: Record<string, Property> = {
      tenantId: { ...uuid, fieldName: 'tenant_id', primary: true },
      id: { ...uuid, primary: true },
    };
    const checks: { name: string; expression: string }[] = [];
    for (const [member, { spec }] of Object.entries(table.fields as Shape)) {
      if (spec.virtual) continue;
      const column = snake(member);
      const nullable = spec.nullable ? { nullable: true } : {};
      const target = spec.kind === 'ref' ? entities.get(spec.target as string)?.entityClass : undefined;
      if (spec.kind === 'money')
        properties[member] = {
          kind: 'embedded',
          entity: () => money.type,
          prefix: `${column}_`,
          prefixMode: 'absolute',
          ...nullable,
        };
      else if (target)
        properties[member] = {
          kind: 'm:1',
          entity: () => target,
          joinColumns: ['tenant_id', column],
          referencedColumnNames: ['tenant_id', 'id'],
          ownColumns: [column],
          deleteRule: 'no action',
          updateRule: 'no action',
          foreignKeyName: `${tableName(table)}_tenant_id_${column}_fkey`,
          ...nullable,
        };
      else {
        const { runtimeType: _, returning: __, ...scalar } = scalarOf(spec);
        properties[member] = { ...scalar, fieldName: column, ...nullable };
      }
      if (spec.kind === 'oneOf' && !spec.translatable)
        checks.push({
          name: `${tableName(table)}_${column}_check`,
          expression: `${column} in (${(spec.values ?? []).map((value) => `'${value.replaceAll("'", "''")}'`).join(', ')})`,
        });
    }
    properties.createdAt = { type: InstantType, fieldName: 'created_at' };
    if (!table.appendOnly) {
      properties.updatedAt = { type: InstantType, fieldName: 'updated_at' };
      properties.version = { type: 'integer', columnType: 'integer', defaultRaw: '1' };
    }
    if (table.softDelete) properties.deletedAt = { type: InstantType, fieldName: 'deleted_at', nullable: true };
    for (const [suffix, expression] of Object.entries(table.keys.checks))
      checks.push({ name: `${tableName(table)}_${suffix}_check`, expression });
    return new EntitySchema({
      class: entityClass,
      tableName: tableName(table),
      properties: properties,
      indexes: declaredKeys(table).map(({ name, unique, target }) => ({
        name,
        expression: `create ${unique ? 'unique ' : ''}index ${name} on ${tableName(table)} ${target}`,
      })),
      checks: checks,
    });
  };
  return [money.schema, ...[...entities.values()].map(schemaOf)];
}

/** An index or unique key that a table declares, as SQL. */
export interface DeclaredKey {
  /** Full name. */
  readonly name: string;
  /** True for a unique key. */
  readonly unique: boolean;
  /** Columns in parentheses, and the condition of a partial index: what follows the table in `create index`. */
  readonly target: string;
}

/**
 * Returns the indexes and unique keys that a table declares.
 *
 * @throws Error if a key names a property that is no field
 */
export function declaredKeys(table: AnyTable): DeclaredKey[] {
  const keyOf = ({ fields, where, name }: TableKey, suffix: 'idx' | 'key'): DeclaredKey => {
    const columns = fields.map((member) => columnOf(table, member));
    const condition = where === undefined ? '' : ` where ${where}`;
    return {
      name: name ?? [tableName(table), ...columns, suffix].join('_'),
      unique: suffix === 'key',
      target: `(${['tenant_id', ...columns].map((column) => `"${column}"`).join(', ')})${condition}`,
    };
  };
  const { indexes, uniques } = table.keys;
  return [...indexes.map((key) => keyOf(key, 'idx')), ...uniques.map((key) => keyOf(key, 'key'))];
}

const baseFields = ['id', 'createdAt', 'updatedAt'];

/** @throws Error where the table has no such field */
function columnOf(table: AnyTable, member: string): string {
  if (baseFields.includes(member)) return snake(member);
  const spec = tableSql(table).columns.get(member);
  if (!spec) throw new Error(`${tableName(table)}: a key names ${member}, which is no field`);
  return spec.kind === 'money' ? `${snake(member)}_amount` : snake(member);
}
