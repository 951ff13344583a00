import { type Dictionary, type EntityCtor, EntitySchema } from '@mikro-orm/core';
import type { Clock } from '../context.ts';
import type { Shape } from '../field.ts';
import { uuidv7 } from '../id.ts';
import { snake } from '../names.ts';
import { type AnyTable, entityName, tableName } from '../table.ts';
import { InstantType, moneyEntity, namedClass, type Property, scalarOf } from './column-types.ts';
import { relationsOf } from './entity.ts';

/** What the callbacks of an entity need of the unit of work. */
export interface EntityUnit {
  /** Id of the tenant. */
  readonly tenantId: string;
  /** The current time. */
  readonly clock: Clock;
}

/** Options of `compileEntities`. */
export interface CompileOptions {
  /** Returns the unit of work of an entity manager. */
  unitOf(em: unknown): EntityUnit;
}

/** The entities of one kernel. */
export interface CompiledEntities {
  /** For MikroORM's `entities` option. */
  readonly schemas: readonly EntitySchema[];
  /** The class by the entity's name, `hotel.room`: two resources may share one table. */
  readonly classes: ReadonlyMap<string, EntityCtor<Dictionary>>;
}

/**
 * The name of the reference that goes through a field: the one it was declared with, else `roomId` → `room`. Where a field has that name
 * already, `roomIdRow`.
 */
function referenceName(table: AnyTable, member: string): string {
  for (const [name, relation] of Object.entries(relationsOf(table)))
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
  const money = moneyEntity({ nullable: true });
  const classOf = (table: AnyTable): EntityCtor<Dictionary> => {
    const found = classes.get(entityName(table));
    if (!found) throw new Error(`${entityName(table)} isn't among the compiled tables`);
    return found;
  };
  const clock = (em: unknown): string => unitOf(em).clock.now();

  const schemaOf = (table: AnyTable): EntitySchema => {
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
          entity: () => money.type,
          prefix: `${snake(member)}_`,
          prefixMode: 'absolute',
          object: false,
          ...optional,
        };
        continue;
      }
      properties[member] = { ...scalarOf(spec), fieldName: snake(member), ...optional };
      const target = spec.kind === 'ref' ? byName.get(spec.target as string) : undefined;
      // Within the plugin there is a foreign key: rows that are created together are inserted in its order.
      if (target && entityName(target).split('.')[0] === entityName(table).split('.')[0])
        addReference(properties, referenceName(table, member), member, classOf(target), spec.nullable);
    }
    for (const [name, relation] of Object.entries(relationsOf(table))) {
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
        };
      }
    }
    return new EntitySchema({
      class: classOf(table),
      tableName: tableName(table),
      properties,
    });
  };
  return { schemas: [money.schema, ...[...byName.values()].map(schemaOf)], classes };
}

/** A reference beside the member that holds the id: that one is written, this one is for `populate` and for the order of inserts. */
function addReference(
  properties: Record<string, Property>,
  name: string,
  member: string,
  target: EntityCtor<Dictionary>,
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
  };
}

/** An append-only row has neither `updated_at` nor `version`: both read as those of its creation. */
function entityClass(table: AnyTable): EntityCtor<Dictionary> {
  const made = namedClass(tableName(table));
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
