export { withConnection } from './client.ts';
export type { WrittenRows } from './database-state.ts';
export type { Restored } from './dump.ts';
export { SnapshotError, type SnapshotErrorCode } from './errors.ts';
export { findPrograms, type Programs } from './programs.ts';
export {
  dataPath,
  listSnapshots,
  pruneSnapshots,
  readRecord,
  type SnapshotRecord,
  type SnapshotSummary,
  snapshotIds,
  type TableCount,
} from './record.ts';
export { createSnapshot, restoreSnapshot, rowsWrittenSince, verifySnapshot } from './snapshot.ts';
export type { Say, SnapshotSource } from './source.ts';
