import { isShape, type SchemaLike, type Shape } from '@storeloom/plugin-sdk';
import { type Components, ref } from './components.ts';
import type { JsonSchema, View } from './json-schema.ts';
import { groupOf, operationId, pascal, summaryOf } from './naming.ts';
import { type FindRoute, parametersOf, takesKey } from './parameters.ts';
import { headerNames, type ProblemResponses } from './problem-responses.ts';
import type { DocumentedRoute } from './route.ts';
import { securityOf } from './security.ts';

export interface OperationContext {
  components: Components;
  problems: ProblemResponses;
  find: FindRoute;
}

export function operationOf(mounted: DocumentedRoute, context: OperationContext): Record<string, unknown> {
  const { components, problems, find } = context;
  const { route, plugin, path } = mounted;
  const { options } = route;
  const id = operationId(mounted);
  const tagged = answersWithTag(mounted, answerSchema(mounted, id, components, find), components);
  const parameters = parametersOf(mounted, { find, tagged });
  const body = requestBody(mounted, id, components);
  return {
    operationId: id,
    tags: [groupOf(mounted)],
    summary: summaryOf(mounted),
    ...description(mounted),
    ...(options.deprecated ? { deprecated: true } : {}),
    security: securityOf(mounted),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: { ...successes(mounted, id, context, tagged), ...problems.of(mounted) },
    ...(plugin === null ? {} : { 'x-plugin': plugin }),
    ...(options.permission ? { 'x-permission': options.permission } : {}),
    ...(options.additive ? { 'x-additive': true } : {}),
    ...(options.deprecated ? { 'x-deprecated': options.deprecated } : {}),
    ...(path.startsWith('/api/v1/') ? { 'x-mirror-of': `/api${path.slice('/api/v1'.length)}` } : {}),
  };
}

function description({ route, path }: DocumentedRoute): { description?: string } {
  const { options } = route;
  const sentences: string[] = [];
  if (options.permission) sentences.push(`Needs the permission \`${options.permission}\`.`);
  if (options.auth === 'customer') sentences.push('Needs a signed-in customer.');
  if (path.startsWith('/api/v1/')) sentences.push('The same route under a fixed version.');
  if (options.deprecated)
    sentences.push(
      `Deprecated since ${options.deprecated.since}${options.deprecated.sunset ? `, removed on ${options.deprecated.sunset}` : ''}${options.deprecated.replacement ? `; use ${options.deprecated.replacement}` : ''}.`,
    );
  return sentences.length === 0 ? {} : { description: sentences.join(' ') };
}

const viewOf = ({ family }: DocumentedRoute): View => (family === 'storefront' ? 'one-language' : 'every-language');

/** Schemas of a resource are called by its entity, others by their operation. */
function nameOf({ route, family }: DocumentedRoute, id: string, role: string): string {
  const { entity } = route.options;
  const mirrored = id.startsWith('v1') ? `${id.charAt(2).toLowerCase()}${id.slice(3)}` : id;
  return entity ? `${family === 'storefront' ? 'Public' : ''}${pascal(entity)}${role}` : `${pascal(mirrored)}${role || 'Answer'}`;
}

function requestBody(mounted: DocumentedRoute, id: string, components: Components): Record<string, unknown> | undefined {
  const { route, family } = mounted;
  const { options, method } = route;
  if (method === 'GET') return undefined;
  if (family === 'webhooks')
    return {
      required: true,
      description: 'As the provider sends it; the signature covers these bytes.',
      content: { '*/*': { schema: {} } },
    };
  if (options.rawBody) {
    const types = options.contentTypes ?? ['application/octet-stream'];
    return { required: true, content: Object.fromEntries(types.map((type) => [type, { schema: rawSchema(type) }])) };
  }
  const { body } = options;
  if (body === undefined) return undefined;
  const partial = options.partial ?? method === 'PATCH';
  const role = partial
    ? 'Change'
    : method === 'PUT'
      ? 'Replacement'
      : options.entity && options.status !== 201
        ? `${pascal(id)}Input`
        : 'Input';
  const name = role.endsWith('Input') && role !== 'Input' ? role : nameOf(mounted, id, role);
  const schema = components.schema(name, body, partial ? 'patch' : 'create', viewOf(mounted));
  return {
    ...(method === 'DELETE' || (partial && method !== 'PATCH') || !needsBody(body) ? {} : { required: true }),
    content: { 'application/json': { schema } },
  };
}
function needsBody(body: SchemaLike): boolean {
  return !isShape(body) || Object.values(body as Shape).some(({ spec }) => !spec.readonly && !spec.hasDefault && !spec.nullable);
}
function rawSchema(type: string): JsonSchema {
  if (type === 'multipart/form-data')
    return {
      type: 'object',
      properties: { file: { type: 'string', contentMediaType: 'application/octet-stream' } },
      required: ['file'],
    };
  return /^text\//.test(type) ? { type: 'string' } : {};
}

const header = (...names: string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [headerNames[name] as string, { $ref: `#/components/headers/${name}` }]));

const meanings: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; the work goes on.',
  204: 'Done; nothing to show.',
  302: 'On to another address.',
};

function successes(mounted: DocumentedRoute, id: string, context: OperationContext, tagged: boolean): Record<string, unknown> {
  const { route, family, path } = mounted;
  const { options, method } = route;
  const status = options.status ?? (method === 'DELETE' && options.response === undefined && family !== 'webhooks' ? 204 : 200);
  const description = meanings[status] ?? 'Done.';
  // A created row without a GET route has no address.
  const located = status === 302 || (status === 201 && (!options.entity || context.find(`GET ${path}/{id}`) !== undefined));
  const answer = answerSchema(mounted, id, context.components, context.find);
  const versioned = !options.list && hasVersion(answer, context.components);
  const added = [
    ...(takesKey(mounted) ? ['IdempotencyReplayed'] : []),
    ...(options.rateLimit === undefined ? [] : ['RateLimitPolicy', 'RateLimit']),
  ];
  const headers = header(
    'RequestId',
    ...(tagged || (method !== 'GET' && versioned) ? ['ETag'] : []),
    ...(options.list || propertiesOf(answer, context.components)?.page ? ['Link'] : []),
    ...(located ? ['Location'] : []),
    ...added,
  );
  const success =
    status === 204 || status === 302
      ? { description, headers }
      : { description, headers, content: content(mounted, id, context) };
  const others = Object.entries(options.otherResponses ?? {}).map(([other, shape], i) => {
    const schema = context.components.schema(`${pascal(id)}Answer${i + 2}`, shape, 'answer', viewOf(mounted));
    const tag = hasVersion(schema, context.components) ? ['ETag'] : [];
    const more = {
      description: meanings[Number(other)] ?? 'Done.',
      headers: header('RequestId', ...tag, ...added),
    };
    return [other, { ...more, content: { 'application/json': { schema } } }];
  });
  return {
    [String(status)]: success,
    ...Object.fromEntries(others),
    ...(tagged ? { 304: { description: 'The caller’s copy is still right.', headers: header('ETag') } } : {}),
  };
}

const acknowledgement: JsonSchema = {
  type: 'object',
  description: 'Accepted. Some providers require another body.',
  properties: { received: { type: 'boolean' } },
};
const binary: JsonSchema = {
  type: 'string',
  contentMediaType: 'application/octet-stream',
  description: 'The bytes of the file.',
};

function content(mounted: DocumentedRoute, id: string, { components, find }: OperationContext): Record<string, unknown> {
  const { route } = mounted;
  const { options } = route;
  const produced = [options.produces ?? 'application/json'].flat();
  if (mounted.family === 'webhooks')
    return {
      'application/json': { schema: acknowledgement },
      'text/plain': { schema: { type: 'string' } },
      '*/*': { schema: { type: 'string' } },
    };
  const schema = answerSchema(mounted, id, components, find);
  const json = { 'application/json': { schema: options.list ? page(schema) : schema } };
  if (options.produces === undefined) return json;
  const files = produced.map((type) => {
    const schema = /^text\//.test(type) ? { type: 'string' } : type === '*/*' ? binary : { ...binary, contentMediaType: type };
    return [type, { schema }] as const;
  });
  // Beside the file, what it answers where it can't give it yet.
  return { ...Object.fromEntries(files), ...(options.response === undefined ? {} : json) };
}
/** Whether a GET responds with an `ETag`: what is cached, and one object with a version. */
function answersWithTag({ route, family, path }: DocumentedRoute, answer: JsonSchema, components: Components): boolean {
  const { cache, list } = route.options;
  if (route.method !== 'GET') return false;
  if (family === 'core') return path === '/openapi.json' || path === '/files/{key}';
  return cache !== undefined || (!list && hasVersion(answer, components));
}
/** Whether a body has a version, which is its ETag. */
function hasVersion(answer: JsonSchema, components: Components): boolean {
  return [propertiesOf(answer, components)?.version?.type].flat().includes('integer');
}
function propertiesOf(answer: JsonSchema, components: Components): Readonly<Record<string, JsonSchema>> | undefined {
  const schema = typeof answer.$ref === 'string' ? components.resolve(answer.$ref) : answer;
  return schema?.properties as Readonly<Record<string, JsonSchema>> | undefined;
}
/** The answer, or a row of it. */
function answerSchema(mounted: DocumentedRoute, id: string, components: Components, find: FindRoute): JsonSchema {
  const { sameAs, response, list } = mounted.route.options;
  const other = sameAs?.response === undefined ? undefined : find(sameAs.response);
  const shape = other ? other.route.options.response : response;
  if (shape === undefined) return {};
  const name = other ? nameOf(other, operationId(other), '') : nameOf(mounted, id, list ? 'Row' : '');
  return components.schema(name, shape, 'answer', viewOf(mounted));
}
function page(row: JsonSchema): JsonSchema {
  const properties = {
    data: { type: 'array', items: row },
    page: ref('Page'),
    warnings: { type: 'array', items: ref('Warning') },
  };
  return { type: 'object', properties, required: ['data', 'page'] };
}
