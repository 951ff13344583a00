import { branded } from './brand.ts';

/**
 * One problem table for the wire and the terminal (RFC 9457). A code is never reused with another meaning.
 * Plugins add their domain codes through `definePlugin({ errors })`.
 */
export interface ProblemType {
  status: number;
  title: string;
  /** What the caller can do about it: one sentence, told at `/errors/<code>`. Default: the advice of the status. */
  help?: string;
}

/** One faulty member of a request. `pointer` is a JSON pointer into the body, or `?name` for a query parameter. */
export interface FieldError {
  pointer: string;
  code: string;
  message: string;
}

/** The general codes of the wire contract. */
export const generalProblems = {
  malformed_request: {
    status: 400,
    title: 'The request cannot be read',
    help: 'Send well-formed JSON and HTTP; `detail` names what could not be read.',
  },
  invalid_parameter: {
    status: 400,
    title: 'A parameter is not accepted',
    help: 'Correct the parameter that `errors` points at; the OpenAPI document lists the ones that the route takes.',
  },
  body_too_deep: { status: 400, title: 'The body is nested too deeply', help: 'Nest the body less deeply.' },
  unauthenticated: {
    status: 401,
    title: 'Sign in first',
    help: 'Sign in, or renew the access token, and send it as `Authorization: Bearer`.',
  },
  two_factor_required: {
    status: 401,
    title: 'A second factor is needed',
    help: 'Complete the sign-in with a code of the second factor.',
  },
  signature_invalid: {
    status: 401,
    title: 'The signature does not match',
    help: 'Sign exactly the bytes that are sent, with the key that the receiver knows; fetch a licence or a package again.',
  },
  reauthentication_required: {
    status: 401,
    title: 'Sign in again to do this',
    help: 'Sign in again; what this changes asks for a recent sign-in.',
  },
  quota_exceeded: {
    status: 402,
    title: 'A limit of the plan is reached',
    help: 'Remove something, or move to a plan with a higher limit.',
  },
  payment_required: { status: 402, title: 'Payment is needed', help: 'Pay first, then repeat the request.' },
  forbidden: {
    status: 403,
    title: 'This is not allowed',
    help: 'Ask an administrator of the shop for the permission that `permission` names.',
  },
  plugin_not_enabled: {
    status: 403,
    title: 'The plugin is not on for this tenant',
    help: 'Turn the plugin on for the shop; where the plan lacks it, ask the operator.',
  },
  license_required: {
    status: 403,
    title: 'The licence does not cover this',
    help: 'Let the operator of the installation obtain a licence that covers this.',
  },
  privilege_escalation: {
    status: 403,
    title: 'Nobody can grant what they lack',
    help: 'Grant only permissions that the account itself has.',
  },
  csrf_failed: {
    status: 403,
    title: 'The CSRF token is missing or wrong',
    help: 'Fetch a token at `/api/csrf-token` and send it as `X-CSRF-Token` from the same origin, or use a bearer token.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    help: 'Check the address and the id. What belongs to another shop looks the same as what does not exist.',
  },
  tenant_not_found: {
    status: 404,
    title: 'No shop answers at this host',
    help: 'Check the host name, and that it is registered for the shop.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The path does not take this method',
    help: 'Use one of the methods that the `Allow` header names.',
  },
  not_acceptable: {
    status: 406,
    title: 'The answer cannot be given in this form',
    help: 'Ask for a media type that the route produces.',
  },
  invalid_transition: {
    status: 409,
    title: 'The thing cannot make this move',
    help: 'Read the present state of the thing; `allowed` names the moves that it can make.',
  },
  duplicate: { status: 409, title: 'It exists already', help: 'Choose another value for `field`, or use the thing that exists.' },
  in_use: { status: 409, title: 'It is in use', help: 'Remove what refers to it first; `counts` says where.' },
  conflict: { status: 409, title: 'Another request changed the same thing; try again', help: 'Send the same request again.' },
  idempotency_in_flight: {
    status: 409,
    title: 'A request with this key is still running',
    help: 'Wait a moment and send the same request with the same key again.',
  },
  expired: { status: 410, title: 'It has expired or was used', help: 'Ask for a new one.' },
  version_conflict: {
    status: 412,
    title: 'It was changed meanwhile',
    help: 'Read the thing again, apply the change to that, and send its version as `If-Match`.',
  },
  payload_too_large: { status: 413, title: 'The body is too large', help: 'Send less at once; `detail` gives the limit.' },
  unsupported_media_type: {
    status: 415,
    title: 'The body has a type that is not taken',
    help: 'Send the content type that `detail` names.',
  },
  validation_failed: { status: 422, title: 'A value is wrong', help: 'Correct the members that `errors` points at.' },
  unknown_field: {
    status: 422,
    title: 'A member is not known',
    help: 'Leave out, or spell correctly, the members that `errors` points at.',
  },
  money_invalid: {
    status: 422,
    title: 'An amount of money is wrong',
    help: 'Send amounts as whole numbers of minor units with an ISO 4217 currency.',
  },
  offset_required: {
    status: 422,
    title: 'A time needs an offset',
    help: 'Send the time with its offset from UTC, `2026-07-01T10:00:00+03:00`, or with `Z`.',
  },
  invalid_local_time: {
    status: 422,
    title: 'A time does not exist that day',
    help: 'The clock is put forward over it: choose another time, or send an offset.',
  },
  ambiguous_local_time: {
    status: 422,
    title: 'A time exists twice that day',
    help: 'The clock is put back over it: send the offset that is meant.',
  },
  invalid_interval: { status: 422, title: 'An end does not lie after its start', help: 'Send an end that lies after the start.' },
  currency_mismatch: {
    status: 422,
    title: 'The currencies differ',
    help: 'Use one currency for everything that is calculated together.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The key was used for another request',
    help: 'Use a new key for each different request.',
  },
  rate_limited: { status: 429, title: 'Too many requests', help: 'Wait for the seconds of `Retry-After`.' },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    help: 'Report it with the `requestId`: by that the log has the cause.',
  },
  provider_not_configured: {
    status: 501,
    title: 'No provider is configured for this',
    help: 'Let an administrator configure the provider that `provider` names.',
  },
  unavailable: {
    status: 503,
    title: 'Not available at the moment',
    help: 'Wait for the seconds of `Retry-After` and send the same request again.',
  },
  tenant_suspended: { status: 503, title: 'The shop is suspended', help: 'Let the owner of the shop ask the operator.' },
  plugin_unavailable: {
    status: 503,
    title: 'The plugin did not load',
    help: 'Let the operator look at `/health`, which gives the reason.',
  },
} as const satisfies Record<string, ProblemType>;

/** Codes of the domain that several plugins answer with: they stand here once, and no plugin declares them. */
export const sharedProblems = {
  insufficient_stock: { status: 409, title: 'There is not enough in stock' },
  rate_overlap: { status: 409, title: 'The rates overlap' },
  payment_method_unavailable: { status: 422, title: 'The payment method is not available' },
  refund_exceeds_captured: { status: 409, title: 'More than can be given back' },
  coupon_not_found: { status: 404, title: 'The code is not known' },
  coupon_not_combinable: { status: 422, title: 'The code does not combine with others' },
  outside_hours: { status: 422, title: 'The time lies outside of the hours' },
  too_soon: { status: 422, title: 'The time is too soon' },
  too_far: { status: 422, title: 'The time is too far ahead' },
  cutoff_passed: { status: 409, title: 'It is too late to change it' },
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
