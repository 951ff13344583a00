import { MikroORM } from '@mikro-orm/postgresql';
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
  const orm = new MikroORM({
    driver: TenantDriver,
    entities: schemas as never[],
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
    discovery: { warnWhenNoEntities: false, disableDynamicFileAccess: true },
    metadataCache: { enabled: false },
  } as never);
  const driver = orm.driver as unknown as TenantDriver;
  driver.tables = new Map(all.map((table) => [classes.get(entityName(table)) as unknown, table]));
  const root = orm.em as unknown as UnitEntityManager;
  const none = {};
  const statements = new Statements(
    (table) =>
      driver.createQueryBuilder(classes.get(entityName(table)) as never, none as never, 'write', false, undefined, 't') as never,
  );
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
      em.setTransactionContext({ unit } as never);
      return em;
    },
    sharedWith(em, plugin) {
      const shared = make(plugin);
      shared.state = em.state;
      return shared;
    },
  };
}
