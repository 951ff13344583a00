/** Codes of failures of a snapshot. */
export type SnapshotErrorCode =
  /** Files, hashes or row counts differ from the record, or the server finds damage. */
  | 'snapshot_invalid'
  | 'snapshot_not_found'
  /** No `pg_dump`, `pg_restore` or `psql` of the server's major version or newer. */
  | 'program_missing'
  /** Processes are still connected to the database, or run on the data directory. */
  | 'database_busy'
  | 'snapshot_failed'
  /** The database is as before. */
  | 'restore_failed';

/** The first lines of a list of faults, for a message, and how many more there are. */
export function listed(lines: readonly string[]): string {
  const shown = lines.slice(0, 10).map((line) => `\n  - ${line}`);
  return `${shown.join('')}${lines.length > 10 ? `\n  and ${lines.length - 10} more` : ''}`;
}

/** A snapshot can't be created, verified or restored. Nothing was replaced. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
  /** Exit code of the command line: 5 for a failed restore, which needs a person, otherwise 1. */
  readonly exitCode: number;
  readonly code: SnapshotErrorCode;
  constructor(code: SnapshotErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.exitCode = code === 'restore_failed' ? 5 : 1;
  }
}

/** True for an error whose code says more than `restore_failed`: a damaged snapshot, a busy database, missing programs. */
export const hasOwnCode = (error: unknown): boolean => error instanceof SnapshotError && error.code !== 'snapshot_failed';
