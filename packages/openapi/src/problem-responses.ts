import { type Field, type FieldMode, isChoice, isShape, type Shape } from '@storeloom/plugin-sdk';
import { ref } from './components.ts';
import type { JsonSchema } from './json-schema.ts';
import { pascal } from './naming.ts';
import { takesKey, takesVersion } from './parameters.ts';
import type { DocumentedRoute, ProblemTable } from './route.ts';

type Response = Record<string, unknown>;
type AnyField = Field<unknown, FieldMode>;

/** The problem responses of all operations, each written once under `components.responses`. */
export interface ProblemResponses {
  readonly responses: Record<string, Response>;
  /** Status → reference, for the codes that a route may answer. */
  of(route: DocumentedRoute): Record<string, Response>;
}

export function createProblemResponses(errors: ProblemTable): ProblemResponses {
  const responses: Record<string, Response> = {};
  const reference = (status: number, codes: readonly string[]): Response => {
    const name = status === 0 ? 'Problem' : `Problem${status}${pascal(codes.join(' '))}`;
    responses[name] ??= status === 0 ? anyProblem() : problemResponse(status, codes, errors);
    return { $ref: `#/components/responses/${name}` };
  };
  return {
    responses,
    of(route) {
      const byStatus = new Map<number, Set<string>>();
      const name = `${route.route.method} ${route.path.replace(/^\/api\/v1\//, '/api/')}`;
      const tapped = [...errors].filter(([, { routes }]) => routes?.includes(name)).map(([code]) => code);
      for (const code of [...codesOf(route), ...tapped]) {
        // A code whose plugin isn't installed can't come either.
        const type = errors.get(code);
        if (!type) continue;
        const codes = byStatus.get(type.status);
        if (codes) codes.add(code);
        else byStatus.set(type.status, new Set([code]));
      }
      const entries = [...byStatus]
        .sort(([a], [b]) => a - b)
        .map(([status, codes]) => [String(status), reference(status, [...codes].sort())] as const);
      return { ...Object.fromEntries(entries), default: reference(0, []) };
    },
  };
}

function anyProblem(): Response {
  return { description: 'Any other problem.', content: { 'application/problem+json': { schema: ref('Problem') } } };
}

function problemResponse(status: number, codes: readonly string[], errors: ProblemTable): Response {
  const lines = codes.map((code) => `- \`${code}\`: ${errors.get(code)?.title ?? ''}`);
  const [code] = codes as [string];
  const example = {
    type: `urn:storeloom:error:${code}`,
    title: errors.get(code)?.title ?? '',
    status,
    code,
    detail: null,
    instance: '/api/example',
    requestId: '0190a7c4-6b5e-7c3a-9f21-5d8e4b7a1c02',
    errors: [],
  };
  const schema: JsonSchema = {
    allOf: [ref('Problem'), { type: 'object', properties: { code: { type: 'string', enum: [...codes] } } }],
  };
  const headers = status === 429 ? ['RetryAfter', 'RateLimitPolicy', 'RateLimit'] : status === 503 ? ['RetryAfter'] : [];
  return {
    description: lines.join('\n'),
    ...(headers.length > 0
      ? {
          headers: Object.fromEntries(
            headers.map((name) => [headerNames[name] as string, { $ref: `#/components/headers/${name}` }]),
          ),
        }
      : {}),
    content: { 'application/problem+json': { schema, example } },
  };
}

export const headerNames: Readonly<Record<string, string>> = {
  RetryAfter: 'Retry-After',
  RateLimitPolicy: 'RateLimit-Policy',
  RateLimit: 'RateLimit',
  Location: 'Location',
  ETag: 'ETag',
  Link: 'Link',
  RequestId: 'X-Request-Id',
  IdempotencyReplayed: 'Idempotency-Replayed',
};

/** The general codes that the pipeline may answer for this route, and those that the plugin names. */
function codesOf(mounted: DocumentedRoute): Set<string> {
  const { route, family, path } = mounted;
  const { options, method } = route;
  const codes = new Set<string>(options.problems ?? []);
  const add = (...more: string[]): void => {
    for (const code of more) codes.add(code);
  };
  if (family === 'webhooks') {
    add('malformed_request', 'signature_invalid', 'not_found', 'payload_too_large', 'unsupported_media_type', 'unavailable');
    return codes;
  }
  add('not_acceptable');
  if (family === 'core') {
    if (path === '/metrics') add('unauthenticated');
    if (path.includes('{')) add('not_found');
    if (path === '/files/{key}') add('range_not_satisfiable');
    return codes;
  }
  // A route without a body rejects one.
  const body = method !== 'GET';
  add('malformed_request', 'invalid_parameter', 'unavailable', 'plugin_unavailable');
  if (family !== 'system') add('unauthenticated');
  if (family === 'admin') add('forbidden', 'plugin_not_enabled');
  if (family === 'super-admin') add('forbidden');
  if (family === 'storefront')
    add('tenant_not_found', 'not_found', 'tenant_suspended', ...(method === 'GET' ? [] : ['csrf_failed']));
  if (family === 'admin' && method !== 'GET') add('tenant_suspended');
  // An id of the path or of the body that is unknown.
  if (path.includes('{') || options.body !== undefined) add('not_found');
  if (takesKey(mounted)) add('idempotency_in_flight', 'idempotency_key_reused');
  if (takesVersion(mounted)) add('version_conflict');
  if (method === 'DELETE' && family === 'admin') add('in_use');
  if (options.rateLimit !== undefined) add('rate_limited');
  if (body) {
    // Simultaneous changes of the same rows that didn't end in time.
    add('conflict');
    add('payload_too_large', 'unsupported_media_type');
    add('validation_failed', 'unknown_field');
    if (!options.rawBody) add('body_too_deep');
    const shapes = !options.body
      ? []
      : isChoice(options.body)
        ? options.body['~choice'].shapes
        : isShape(options.body)
          ? [options.body]
          : [];
    for (const shape of shapes) addForShape(shape, method === 'PATCH', add);
  }
  return codes;
}

function addForShape(shape: Shape, patch: boolean, add: (...codes: string[]) => void): void {
  for (const [name, field] of Object.entries(shape)) {
    if (field.spec.unique) add('duplicate');
    if (patch && name === 'status' && !field.spec.readonly) add('invalid_transition');
    if (holds(field, 'money')) add('money_invalid', 'currency_mismatch');
    if (holds(field, 'instant')) add('offset_required', 'invalid_local_time', 'ambiguous_local_time');
    if (holds(field, 'ref')) add('not_found');
  }
}
function holds(field: AnyField, kind: string): boolean {
  const { spec } = field;
  if (spec.kind === kind) return true;
  if (spec.item) return holds(spec.item, kind);
  return spec.shape !== undefined && Object.values(spec.shape).some((inner) => holds(inner, kind));
}
