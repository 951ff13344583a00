import { branded } from './brand.ts';

/**
 * One problem table for the wire and the terminal (RFC 9457). A code is never reused with another meaning.
 * Plugins add their domain codes through `definePlugin({ errors })`.
 */
export interface ProblemType {
  status: number;
  title: string;
}

/** One faulty member of a request. `pointer` is a JSON pointer into the body, or `?name` for a query parameter. */
export interface FieldError {
  pointer: string;
  code: string;
  message: string;
}

/** The general codes of the wire contract. */
export const generalProblems = {
  malformed_request: { status: 400, title: 'The request cannot be read' },
  invalid_parameter: { status: 400, title: 'A query parameter is not accepted' },
  body_too_deep: { status: 400, title: 'The body is nested too deeply' },
  unauthenticated: { status: 401, title: 'Sign in first' },
  two_factor_required: { status: 401, title: 'A second factor is needed' },
  signature_invalid: { status: 401, title: 'The signature does not match' },
  reauthentication_required: { status: 401, title: 'Sign in again to do this' },
  quota_exceeded: { status: 402, title: 'A limit of the plan is reached' },
  payment_required: { status: 402, title: 'Payment is needed' },
  forbidden: { status: 403, title: 'This is not allowed' },
  plugin_not_enabled: { status: 403, title: 'The plugin is not on for this tenant' },
  license_required: { status: 403, title: 'The licence does not cover this' },
  privilege_escalation: { status: 403, title: 'Nobody can grant what they lack' },
  csrf_failed: { status: 403, title: 'The CSRF token is missing or wrong' },
  not_found: { status: 404, title: 'Not found' },
  tenant_not_found: { status: 404, title: 'No shop answers at this host' },
  method_not_allowed: { status: 405, title: 'The path does not take this method' },
  not_acceptable: { status: 406, title: 'The answer cannot be given in this form' },
  invalid_transition: { status: 409, title: 'The thing cannot make this move' },
  duplicate: { status: 409, title: 'It exists already' },
  in_use: { status: 409, title: 'It is in use' },
  conflict: { status: 409, title: 'Another request changed the same thing; try again' },
  idempotency_in_flight: { status: 409, title: 'A request with this key is still running' },
  expired: { status: 410, title: 'It has expired or was used' },
  version_conflict: { status: 412, title: 'It was changed meanwhile' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body has a type that is not taken' },
  validation_failed: { status: 422, title: 'A value is wrong' },
  unknown_field: { status: 422, title: 'A member is not known' },
  money_invalid: { status: 422, title: 'An amount of money is wrong' },
  offset_required: { status: 422, title: 'A time needs an offset' },
  invalid_local_time: { status: 422, title: 'A time does not exist that day' },
  ambiguous_local_time: { status: 422, title: 'A time exists twice that day' },
  invalid_interval: { status: 422, title: 'An end does not lie after its start' },
  currency_mismatch: { status: 422, title: 'The currencies differ' },
  idempotency_key_reused: { status: 422, title: 'The key was used for another request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  provider_not_configured: { status: 501, title: 'No provider is configured for this' },
  unavailable: { status: 503, title: 'Not available at the moment' },
  tenant_suspended: { status: 503, title: 'The shop is suspended' },
  plugin_unavailable: { status: 503, title: 'The plugin did not load' },
} as const satisfies Record<string, ProblemType>;

export interface ProblemExtra {
  detail?: string;
  errors?: FieldError[];
  [member: string]: unknown;
}

const problemBrand = Symbol.for('storeloom.problem');

/** Thrown to answer with problem+json. `code` is looked up in the kernel's table (general codes and those of plugins). */
export class Problem extends Error {
  readonly [problemBrand] = true;
  static override [Symbol.hasInstance](value: unknown): value is Problem {
    return branded(this, Problem, problemBrand, value);
  }
  readonly code: string;
  readonly extra: ProblemExtra;
  constructor(code: string, extra: ProblemExtra = {}) {
    super(extra.detail ?? code);
    this.name = 'Problem';
    this.code = code;
    this.extra = extra;
  }
}

/** `throw problem('insufficient_stock', { available: 2 })`. Members of `extra` become members of the answer. */
export function problem(code: string, extra: ProblemExtra = {}): Problem {
  return new Problem(code, extra);
}

/** 422 with one faulty member; the domain code stands on top and again in `errors[0]`. */
export function invalid(pointer: string, code: string, message: string, extra: ProblemExtra = {}): Problem {
  const top = code in generalProblems ? code : 'validation_failed';
  return new Problem(top, { detail: message, ...extra, errors: [{ pointer, code, message }] });
}

/** 422 for a rule of the domain: `code` on top (declared by the plugin), repeated in `errors[0]` with the pointer. */
export function domainError(pointer: string, code: string, message: string, extra: ProblemExtra = {}): Problem {
  return new Problem(code, { detail: message, ...extra, errors: [{ pointer, code, message }] });
}

export function notFound(detail?: string): Problem {
  return new Problem('not_found', detail ? { detail } : {});
}

/** 404 for an id in a body that is unknown, another tenant's, or of a plugin that is off. */
export function referenceNotFound(pointer: string): Problem {
  return new Problem('not_found', {
    detail: `Nothing has the id given at ${pointer}.`,
    errors: [{ pointer, code: 'not_found', message: 'nothing has this id' }],
  });
}
