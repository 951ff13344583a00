/** The database that a snapshot is taken of or restored into. */
export interface SnapshotSource {
  /** URL of the owner role on the server itself, not on a pooler. Without it, the embedded database of `dataDir`. */
  readonly url?: string | undefined;
  /** Data directory of the installation. */
  readonly dataDir: string;
}

/** Receives progress messages. */
export type Say = (line: string) => void;
