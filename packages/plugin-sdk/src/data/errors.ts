import { camel } from '../names.ts';
import { Problem } from '../problem.ts';

interface DriverError {
  code: string;
  constraint?: string;
  table?: string;
  routine?: string;
}
function driverError(error: unknown): DriverError | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error) || typeof error.code !== 'string') return undefined;
  return error as DriverError;
}

/** Returns SQLSTATE and constraint name of a database error, to map a constraint to a problem; undefined for other errors. */
export function constraintOf(error: unknown): { sqlstate: string; constraint: string | undefined } | undefined {
  const known = driverError(error);
  return known && /^[0-9A-Z]{5}$/.test(known.code) ? { sqlstate: known.code, constraint: known.constraint } : undefined;
}

/** Returns true for a serialisation failure or deadlock: the whole unit of work can run again. */
export function isRetryable(error: unknown): boolean {
  const code = driverError(error)?.code;
  return code === '40001' || code === '40P01';
}

/**
 * Returns the field of a constraint: `catalog_product_slug_key` on `catalog_product` → `slug`. Unique indexes are named
 * `<table>_<columns>_key`.
 */
export function fieldOfConstraint(constraint: string | undefined, table: string | undefined): string {
  if (!constraint) return 'id';
  let name = constraint;
  if (table && name.startsWith(`${table}_`)) name = name.slice(table.length + 1);
  return camel(name.replace(/_(key|unique|excl|check|idx)$/, '').replace(/^tenant_id_/, ''));
}

const unavailableCodes = new Set([
  // PgBouncer timed out waiting for a server connection.
  '08P01',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  '57P01',
  '57P02',
  '57P03',
  '53100',
  '53200',
  '53300',
  '57014',
  '55P03',
  '25P03',
]);

/**
 * Returns the problem of a database error; undefined for other errors. Messages of the driver are never included, since they
 * contain values.
 */
export function databaseProblem(error: unknown): Problem | undefined {
  const known = driverError(error);
  if (!known) return undefined;
  const { code } = known;
  if (code === '23505' || code === '23P01')
    return new Problem('duplicate', { field: fieldOfConstraint(known.constraint, known.table) });
  if (code === '23503') return new Problem('in_use', { detail: 'Other rows refer to it.', counts: {} });
  if (code === '23514' || code === '23502')
    return new Problem('validation_failed', {
      detail: `The value of ${fieldOfConstraint(known.constraint, known.table)} violates a constraint.`,
      errors: [
        {
          pointer: `/${fieldOfConstraint(known.constraint, known.table)}`,
          code: 'invalid',
          message: 'violates a constraint of the database',
        },
      ],
    });
  if (code === '40001' || code === '40P01') return new Problem('conflict', {});
  if (code === '42501' && known.routine === 'ExecWithCheckOptions') return new Problem('not_found', {});
  if (code.startsWith('22') || (code === '08P01' && known.routine !== undefined))
    return new Problem('validation_failed', { detail: "A value can't be stored: it is out of range or not well-formed." });
  if (unavailableCodes.has(code) || code.startsWith('08')) return new Problem('unavailable', { retryAfter: 2 });
  return undefined;
}
