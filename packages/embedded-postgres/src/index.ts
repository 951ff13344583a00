export type { Log } from './cluster.ts';
export { type EmbeddedCluster, embeddedCluster, isDataDirHeld, replaceCluster, serveCopy } from './copy.ts';
export { ClusterError } from './errors.ts';
export { type EmbeddedDatabase, type EmbeddedOptions, embeddedPostgres, runningEmbedded, startEmbedded } from './launcher.ts';
export { DataDirInUse } from './lock.ts';
export { startOf as processStart } from './processes.ts';
export { databaseUrl, withDatabase } from './roles.ts';
