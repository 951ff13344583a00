/** The cluster of a data directory is missing, or belongs to another PostgreSQL major. The command line exits with 2. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
  readonly code = 'config_invalid';
  readonly exitCode = 2;
}
