import { isConnectionLost, TenantScopeError } from '@storeloom/data';
import {
  databaseProblem,
  type FieldError,
  generalProblems,
  Problem,
  type ProblemType,
  sharedProblems,
} from '@storeloom/plugin-sdk';
import { HookError } from '../hooks/hook-error.ts';

export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string | null;
  instance: string;
  requestId: string;
  errors: FieldError[];
  [member: string]: unknown;
}

/** All problem codes: general ones, codes shared by plugins, and codes that plugins declare. */
export type ProblemTable = ReadonlyMap<string, ProblemType>;
export function problemTable(domain: Iterable<readonly [string, ProblemType]>): Map<string, ProblemType> {
  return new Map<string, ProblemType>([...Object.entries(generalProblems), ...Object.entries(sharedProblems), ...domain]);
}

/** Converts an error to a problem: database errors by SQLSTATE, unknown ones to 500 without their cause. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof TenantScopeError) return new Problem('internal_error');
  // A failed tap is an internal error, unless its cause is an outage.
  if (error instanceof HookError) {
    const cause = asProblem(error.cause);
    return cause.code === 'unavailable' ? cause : new Problem('internal_error');
  }
  const database = databaseProblem(error);
  if (database) return database;
  if (error instanceof RangeError && /call stack|string length/i.test(error.message))
    return new Problem('malformed_request', { detail: 'The body is too complex.' });
  if (isConnectionLost(error)) return new Problem('unavailable', { retryAfter: 2 });
  return new Problem('internal_error');
}

export function problemBody(problem: Problem, table: ProblemTable, instance: string, requestId: string): ProblemBody {
  const { detail, errors, retryAfter: _, ...members } = problem.extra;
  const type = table.get(problem.code);
  const code = type ? problem.code : 'internal_error';
  const { status, title } = type ?? generalProblems.internal_error;
  return {
    ...members,
    type: `urn:storeloom:error:${code}`,
    title,
    status,
    code,
    detail: detail ?? null,
    instance,
    requestId,
    errors: errors ?? [],
  };
}
