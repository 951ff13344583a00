import type { Field, FieldMode, Shape } from '../field.ts';
import { type FieldError, Problem } from '../problem.ts';
import { localFault, localFaultMessage } from '../time/local.ts';

/** What zod, or any Standard Schema, says of a value. */
export interface Issue {
  code?: string;
  path?: PropertyKey[] | readonly (PropertyKey | { key: PropertyKey })[];
  message: string;
  keys?: string[];
  origin?: string;
  errors?: Issue[][];
  /** Of our own issues: the code for the wire, or the time whose fault depends on the zone. */
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
/** A wall time where an instant belongs: what is wrong with it in the tenant's zone, where one is known. */
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
        errors.push({ pointer: `${where}${pointer([key])}`, code: 'unknown_field', message: 'is not a member here' });
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

/** Codes of a shape fault that stand on top where every fault has the same one. */
const ownCodes = new Set([
  'unknown_field',
  'money_invalid',
  'offset_required',
  'invalid_local_time',
  'ambiguous_local_time',
  'invalid_interval',
  'currency_mismatch',
]);

/** Shape faults, all together. One fault of a general code (`unknown_field`, `money_invalid`, those of time) stands on top. */
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

export function invalidParameter(parameter: string, message: string): Problem {
  return new Problem('invalid_parameter', {
    parameter,
    detail: `${parameter} ${message}.`,
    errors: [{ pointer: `?${parameter}`, code: 'invalid_parameter', message }],
  });
}
