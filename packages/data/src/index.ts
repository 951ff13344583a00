export { asRequest, inBackground } from './database/background-work.ts';
export type { BatchResult } from './database/batch.ts';
export { ConfigurationMemory } from './database/configuration-memory.ts';
export {
  createDatabase,
  type Database,
  type DatabaseOptions,
  databaseClock,
  TenantScopeError,
  type UnitOptions,
} from './database/database.ts';
export { ExternalCallPending } from './database/external-calls.ts';
export { currentFrame, Frame } from './database/frame.ts';
export { type Listener, listen } from './database/listener.ts';
export {
  type MigrateOptions,
  type MigrationReport,
  type MigrationSet,
  type MigrationStatus,
  MigrationsPending,
  migrate,
  migrationStatus,
  pendingMigrations,
} from './database/migrate.ts';
export { createPool, statementName } from './database/pool.ts';
export { asRefusal, DatabaseRefused, isConnectionLost } from './database/refused.ts';
export { ensureRoles, runtimeRole, runtimeUrl } from './database/roles.ts';
export { SavepointTimeoutError, Session } from './database/session.ts';
export { StaleTenantError } from './database/stale-tenant-error.ts';
export type { Tx } from './database/tx.ts';
export { UnitEntities } from './orm/entities.ts';
export { UnitEntityManager } from './orm/entity-manager.ts';
export { createOrm, type Orm } from './orm/orm.ts';
export { type Unit, unitOf } from './orm/unit.ts';
