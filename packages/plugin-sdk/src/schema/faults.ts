import type { Field, FieldMode, Shape } from '../field.ts';
import { type FieldError, Problem } from '../problem.ts';
import { localFault, localFaultMessage } from '../time/local.ts';

/** An issue of zod or another Standard Schema. */
export interface Issue {
  code?: string;
  path?: PropertyKey[] | readonly (PropertyKey | { key: PropertyKey })[];
  message: string;
  keys?: string[];
  origin?: string;
  errors?: Issue[][];
  /** Of our own issues: the code for the response, or the time that must be checked in a time zone. */
  params?: { code?: string; wall?: string };
}
function pointer(path: Issue['path']): string {
  return (path ?? [])
    .map(
      (step) =>
        `/${String(typeof step === 'object' ? step.key : step)
          .replace(/~/g, '~0')
          .replace(/\//g, '~1')}`,
    )
    .join('');
}
/** Returns the error of a local time given instead of an instant, checked in the tenant's time zone if it is known. */
function wallError(at: string, wall: string, timezone: string | undefined): FieldError {
  const code = (timezone && localFault(wall, timezone)) || 'offset_required';
  return { pointer: at, code, message: localFaultMessage(code) };
}
function flatten(issues: readonly Issue[], at: string, timezone: string | undefined): FieldError[] {
  const errors: FieldError[] = [];
  for (const issue of issues) {
    const where = at + pointer(issue.path);
    if (issue.code === 'unrecognized_keys')
      for (const key of issue.keys ?? [])
        errors.push({ pointer: `${where}${pointer([key])}`, code: 'unknown_field', message: 'is not a known property' });
    else if (issue.code === 'invalid_union' && issue.errors?.length)
      errors.push(...flatten([...issue.errors].sort((a, b) => depth(b) - depth(a))[0] ?? [], where, timezone));
    else if (issue.params?.wall) errors.push(wallError(where, issue.params.wall, timezone));
    else
      errors.push({
        pointer: where,
        code: issue.params?.code ?? (issue.code === 'custom' || issue.code === undefined ? 'invalid' : issue.code),
        message: issue.message,
      });
  }
  return errors;
}
function depth(issues: Issue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path?.length ?? 0));
}
function moneyAt(shape: Shape | undefined, error: FieldError): boolean {
  let fields: Shape | undefined = shape;
  let item: Field<unknown, FieldMode> | undefined;
  for (const step of error.pointer.split('/').slice(1)) {
    const field: Field<unknown, FieldMode> | undefined = item && /^\d+$/.test(step) ? item : fields?.[step];
    if (!field) return false;
    if (field.spec.kind === 'money') return true;
    fields = field.spec.shape;
    item = field.spec.item;
  }
  return false;
}

/** Codes that become the code of the problem if all errors have the same one. */
const ownCodes = new Set([
  'unknown_field',
  'money_invalid',
  'offset_required',
  'invalid_local_time',
  'ambiguous_local_time',
  'invalid_interval',
  'currency_mismatch',
]);

/**
 * Converts the issues of a schema to one 422 problem with all `errors`. Its code is `validation_failed`, or the code that all
 * errors share if it is a general one (`unknown_field`, `money_invalid`, the codes of time).
 */
export function validationProblem(issues: readonly Issue[], shape?: Shape, timezone?: string): Problem {
  return problemOf(
    flatten(issues, '', timezone).map((error) => (moneyAt(shape, error) ? { ...error, code: 'money_invalid' } : error)),
  );
}

export function problemOf(errors: FieldError[]): Problem {
  const codes = new Set(errors.map((error) => error.code));
  const only = codes.size === 1 ? [...codes][0] : undefined;
  const top = only && ownCodes.has(only) ? only : 'validation_failed';
  return new Problem(top, {
    detail: errors
      .map((e) => `${e.pointer || 'the body'}: ${e.message}`)
      .slice(0, 5)
      .join('; '),
    errors,
  });
}

/** Returns a 400 `invalid_parameter` for a query or path parameter. `message` continues a sentence that begins with its name. */
export function invalidParameter(parameter: string, message: string): Problem {
  return new Problem('invalid_parameter', {
    parameter,
    detail: `${parameter} ${message}.`,
    errors: [{ pointer: `?${parameter}`, code: 'invalid_parameter', message }],
  });
}
