export type { Log } from './cluster.ts';
export { type EmbeddedDatabase, type EmbeddedOptions, startEmbedded } from './launcher.ts';
export { DataDirInUse } from './lock.ts';
export { databaseUrl, withDatabase } from './roles.ts';
