import { branded } from './brand.ts';

/**
 * Status and title of a problem code (RFC 9457). A code is never reused with another meaning. Plugins declare theirs in
 * `definePlugin({ errors })`.
 */
export interface ProblemType {
  /** HTTP status. */
  status: number;
  /** Short description, the same for every occurrence of the code. */
  title: string;
  /** What the caller can do, in one sentence; shown at `/errors/<code>`. Default: the advice for the status. */
  help?: string;
  /** Routes of other plugins that answer with it since a tap throws it, `POST /api/storefront/checkout/place`. For OpenAPI. */
  routes?: readonly string[];
}

/** An invalid field of a request. */
export interface FieldError {
  /** JSON pointer into the body, or `?name` for a query parameter. */
  pointer: string;
  code: string;
  /** What is wrong; continues a sentence that begins with the field's name. */
  message: string;
}

/** General problem codes of the API. */
export const generalProblems = {
  malformed_request: {
    status: 400,
    title: 'Malformed request',
    help: 'Send well-formed JSON and HTTP; `detail` says what could not be read.',
  },
  invalid_parameter: {
    status: 400,
    title: 'Invalid parameter',
    help: 'Correct the parameter in `errors`; the OpenAPI document lists the parameters of the route.',
  },
  body_too_deep: { status: 400, title: 'Body nested too deeply', help: 'Send a body with fewer levels of nesting.' },
  unauthenticated: {
    status: 401,
    title: 'Authentication required',
    help: 'Sign in, or renew the access token, and send it as `Authorization: Bearer`.',
  },
  two_factor_required: {
    status: 401,
    title: 'Second factor required',
    help: 'Complete the sign-in with a code of the second factor.',
  },
  signature_invalid: {
    status: 401,
    title: 'Invalid signature',
    help: 'Sign exactly the bytes that are sent, with the key that the receiver knows. Download a licence or package again.',
  },
  reauthentication_required: {
    status: 401,
    title: 'Recent sign-in required',
    help: 'Sign in again: this change requires a recent sign-in.',
  },
  quota_exceeded: {
    status: 402,
    title: 'Plan limit reached',
    help: 'Remove items that are not needed, or change to a plan with a higher limit.',
  },
  payment_required: { status: 402, title: 'Payment required', help: 'Pay first, then repeat the request.' },
  forbidden: {
    status: 403,
    title: 'Permission denied',
    help: 'Ask an administrator of the shop for the permission in `permission`.',
  },
  plugin_not_enabled: {
    status: 403,
    title: 'Plugin not enabled',
    help: 'Enable the plugin for the shop; if the plan does not include it, contact the operator.',
  },
  license_required: {
    status: 403,
    title: 'Not covered by the licence',
    help: 'The operator of the installation needs a licence that covers this.',
  },
  privilege_escalation: {
    status: 403,
    title: 'Privilege escalation',
    help: 'Grant only permissions that the account itself has.',
  },
  csrf_failed: {
    status: 403,
    title: 'Invalid CSRF token',
    help: 'Get a token from `/api/csrf-token` and send it as `X-CSRF-Token` from the same origin, or use a bearer token.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    help: 'Check the URL and the id. Objects of another shop are not found either.',
  },
  tenant_not_found: {
    status: 404,
    title: 'Shop not found',
    help: 'Check the host name, and that it is registered for the shop.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    help: 'Use one of the methods in the `Allow` header.',
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    help: 'Accept a media type that the route produces.',
  },
  invalid_transition: {
    status: 409,
    title: 'Status change not allowed',
    help: 'Read the current status; `allowed` lists the statuses that it can change to.',
  },
  duplicate: { status: 409, title: 'Already exists', help: 'Choose another value for `field`, or use the existing object.' },
  in_use: { status: 409, title: 'In use', help: 'Remove the references first; `counts` says where they are.' },
  conflict: { status: 409, title: 'Concurrent change', help: 'Another request changed the same object. Send the request again.' },
  idempotency_in_flight: {
    status: 409,
    title: 'Request in progress',
    help: 'A request with this idempotency key is still running. Send it again later, with the same key.',
  },
  expired: { status: 410, title: 'Expired or already used', help: 'Request a new one.' },
  version_conflict: {
    status: 412,
    title: 'Version conflict',
    help: 'Read the object again, apply the change to it, and send its version as `If-Match`.',
  },
  payload_too_large: { status: 413, title: 'Body too large', help: 'Send a smaller body; `detail` states the limit.' },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    help: 'Send the content type in `detail`.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'Range not satisfiable',
    help: 'Request a range within the size that `Content-Range` states.',
  },
  validation_failed: { status: 422, title: 'Validation failed', help: 'Correct the fields in `errors`.' },
  unknown_field: {
    status: 422,
    title: 'Unknown field',
    help: 'Remove the fields in `errors`, or correct their spelling.',
  },
  money_invalid: {
    status: 422,
    title: 'Invalid amount',
    help: 'Send amounts as integers in minor units with an ISO 4217 currency.',
  },
  offset_required: {
    status: 422,
    title: 'UTC offset required',
    help: 'Send the time with its offset from UTC, `2026-07-01T10:00:00+03:00`, or with `Z`.',
  },
  invalid_local_time: {
    status: 422,
    title: 'Local time does not exist',
    help: 'Clocks go forward over this time: choose another time, or send an offset.',
  },
  ambiguous_local_time: {
    status: 422,
    title: 'Ambiguous local time',
    help: 'Clocks go back and the time occurs twice: send the offset.',
  },
  invalid_interval: { status: 422, title: 'Invalid interval', help: 'Send an end that is after the start.' },
  currency_mismatch: {
    status: 422,
    title: 'Currency mismatch',
    help: 'Use the same currency for amounts that are calculated together.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    help: 'Use a new key for each different request.',
  },
  rate_limited: { status: 429, title: 'Too many requests', help: 'Wait for the seconds in `Retry-After`.' },
  internal_error: {
    status: 500,
    title: 'Internal error',
    help: 'Report it with the `requestId`, which identifies the cause in the log.',
  },
  provider_not_configured: {
    status: 501,
    title: 'Provider not configured',
    help: 'An administrator must configure the provider in `provider`.',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    help: 'Wait for the seconds in `Retry-After` and send the request again.',
  },
  tenant_suspended: { status: 503, title: 'Shop suspended', help: 'The owner of the shop must contact the operator.' },
  plugin_unavailable: {
    status: 503,
    title: 'Plugin unavailable',
    help: 'The operator finds the reason at `/health`.',
  },
} as const satisfies Record<string, ProblemType>;

/** Problem codes of the domain that several plugins use; no plugin declares them again. */
export const sharedProblems = {
  insufficient_stock: { status: 409, title: 'Insufficient stock' },
  rate_overlap: { status: 409, title: 'Rates overlap' },
  payment_method_unavailable: { status: 422, title: 'Payment method unavailable' },
  refund_exceeds_captured: { status: 409, title: 'Refund exceeds the captured amount' },
  coupon_not_found: { status: 404, title: 'Discount code not found' },
  coupon_not_combinable: { status: 422, title: 'Discount code not combinable' },
  change_not_cash: { status: 422, title: 'Change for cash only' },
  outside_hours: { status: 422, title: 'Outside opening hours' },
  too_soon: { status: 422, title: 'Minimum notice not met' },
  too_far: { status: 422, title: 'Too far in advance' },
  cutoff_passed: { status: 409, title: 'Change deadline passed' },
} as const satisfies Record<string, ProblemType>;

/** Further properties of a problem. */
export interface ProblemExtra {
  /** What failed in this occurrence, on which value, and what to do. */
  detail?: string;
  /** Invalid fields. */
  errors?: FieldError[];
  [member: string]: unknown;
}

const problemBrand = Symbol.for('storeloom.problem');

/** An error that is answered with application/problem+json. `code` is a general code, or one that a plugin declares. */
export class Problem extends Error {
  readonly [problemBrand] = true;
  static override [Symbol.hasInstance](value: unknown): value is Problem {
    return branded(this, Problem, problemBrand, value);
  }
  /** Problem code. */
  readonly code: string;
  /** Further properties of the response. */
  readonly extra: ProblemExtra;
  constructor(code: string, extra: ProblemExtra = {}) {
    super(extra.detail ?? code);
    this.name = 'Problem';
    this.code = code;
    this.extra = extra;
  }
}

/**
 * Returns a problem to throw: `throw problem('insufficient_stock', { available: 2 })`. Properties of `extra` become properties of
 * the response.
 */
export function problem(code: string, extra: ProblemExtra = {}): Problem {
  return new Problem(code, extra);
}

/**
 * Returns a 422 for one invalid field. A general code is the code of the problem; otherwise it is `validation_failed`, and
 * `errors[0]` has the code.
 */
export function invalid(pointer: string, code: string, message: string, extra: ProblemExtra = {}): Problem {
  const top = code in generalProblems ? code : 'validation_failed';
  return new Problem(top, { detail: message, ...extra, errors: [{ pointer, code, message }] });
}

/**
 * Returns a problem for a rule of the domain: `code` is the code of the problem (declared by the plugin) and of `errors[0]`,
 * which has the pointer.
 */
export function domainError(pointer: string, code: string, message: string, extra: ProblemExtra = {}): Problem {
  return new Problem(code, { detail: message, ...extra, errors: [{ pointer, code, message }] });
}

/** Returns a 404 `not_found`. */
export function notFound(detail?: string): Problem {
  return new Problem('not_found', detail ? { detail } : {});
}

/** Returns a 404 `not_found` for an id in a body that is unknown, belongs to another tenant, or to a plugin that is off. */
export function referenceNotFound(pointer: string): Problem {
  return new Problem('not_found', {
    detail: `The id at ${pointer} does not exist.`,
    errors: [{ pointer, code: 'not_found', message: 'does not exist' }],
  });
}
