import type { EntityClass } from '@mikro-orm/core';
import type { Shape } from '../field.ts';
import { type AnyTable, type Table, tableName } from '../table.ts';
import type { EntityOf, Relations } from './relations.ts';

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
  let entity = declared.get(table);
  if (!entity) {
    entity = { handle: new EntityHandle(table), relations: options.relations ?? {}, offered: options.offered ?? false };
    declared.set(table, entity);
  } else if (options.relations !== undefined || options.offered !== undefined)
    throw new Error(`The entity of table ${table.noun} is declared twice. Export the first and import it.`);
  // cast: MikroORM's methods take classes; the kernel's entity manager replaces the handle by the class that it compiled.
  return entity.handle as unknown as EntityClass<EntityOf<S, R>>;
}

/** Whether other plugins may use the table's entity. */
export function isOffered(table: AnyTable): boolean {
  return declared.get(table)?.offered ?? false;
}

/** Returns the relations that the table's entity was declared with. */
export function relationsOf(table: AnyTable): Relations {
  return declared.get(table)?.relations ?? {};
}
