import { type EntityCtor, MikroORM } from '@mikro-orm/core';
import { type AnyTable, compileEntities, entityName, notFound, Statements } from '@storeloom/plugin-sdk';
import { TenantDriver } from './driver.ts';
import type { UnitEntityManager, UnitState } from './entity-manager.ts';
import { type Unit, unitOf } from './unit.ts';

/** MikroORM for the tables of all ready plugins. Each kernel creates one at boot; it opens no connection. */
export interface Orm {
  /** Statements of `ctx.rows`. */
  readonly statements: Statements;
  /** The entity manager of a unit of work, as a plugin sees it. */
  entityManager(unit: Unit, plugin: string): UnitEntityManager;
  /** The same identity map for another plugin. */
  sharedWith(em: UnitEntityManager, plugin: string): UnitEntityManager;
}

export function createOrm(tables: Iterable<AnyTable>): Orm {
  const all = [...tables];
  const { schemas, classes } = compileEntities(all, { unitOf });
  const orm = new MikroORM<TenantDriver>({
    driver: TenantDriver,
    entities: [...schemas],
    dbName: 'storeloom',
    ensureDatabase: false,
    debug: false,
    colors: false,
    logger: () => undefined,
    // Related rows are read by keys: through the driver, which adds the tenant. A join has row-level security alone.
    loadStrategy: 'select-in',
    useBatchUpdates: false,
    processOnCreateHooksEarly: true,
    forceUtcTimezone: true,
    findOneOrFailHandler: () => notFound(),
    findExactlyOneOrFailHandler: () => notFound(),
    discovery: { warnWhenNoEntities: false },
    metadataCache: { enabled: false },
  });
  const { driver } = orm;
  const root: UnitEntityManager = driver.createEntityManager();
  const classOf = (table: AnyTable): EntityCtor => {
    const found = classes.get(entityName(table));
    if (!found) throw new Error(`The entity ${entityName(table)} belongs to no plugin that is loaded.`);
    return found;
  };
  driver.tables = new Map(all.map((table) => [classOf(table), table]));
  const none = {};
  const statements = new Statements((table) => driver.createQueryBuilder(classOf(table), none, 'write', false, undefined, 't'));
  driver.statements = statements;

  const make = (plugin: string): UnitEntityManager => {
    const em = root.fork({ disableContextResolution: true });
    em.plugin = plugin;
    return em;
  };
  return {
    statements,
    entityManager(unit, plugin) {
      const em = make(plugin);
      em.state = { unit, classes, current: em, activity: { operation: undefined, nested: undefined } } satisfies UnitState;
      em.setTransactionContext({ unit });
      return em;
    },
    sharedWith(em, plugin) {
      const shared = make(plugin);
      shared.state = em.state;
      return shared;
    },
  };
}
