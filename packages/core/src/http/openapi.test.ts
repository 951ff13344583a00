import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOpenApi, type OpenApiInput } from '@storeloom/openapi';
import { isShape, List, parseBody, type Shape } from '@storeloom/plugin-sdk';
import { afterAll, expect, test } from 'vitest';
import { synthetic } from '../../test/synthetic-plugins.ts';
import { mountRoutes } from '../plugins/mount.ts';
import { problemTable } from './problems.ts';
import type { MountedRoute } from './routes.ts';

const wrong: string[] = [];
const routes: MountedRoute[] = mountRoutes('synthetic', synthetic, (problem) => wrong.push(problem)).routes;
const input: OpenApiInput = {
  version: '1.2.3',
  routes,
  contributions: {
    inbound: Object.entries(synthetic.webhooks ?? {}).map(([key, inbound]) => ({
      plugin: 'synthetic',
      path: `/api/webhooks/${key}`,
      methods: ['POST', 'GET'] as const,
      inbound,
    })),
    stats: [
      {
        plugin: 'synthetic',
        name: 'things',
        path: '/api/admin/dashboard/things-stats',
        permission: 'synthetic.stats.read',
      },
    ],
  },
  schemas: new Map([['synthetic', synthetic.schemas ?? {}]]),
  errors: problemTable(Object.entries(synthetic.errors ?? {})),
};
const document = buildOpenApi(input);
type Operation = Record<string, unknown> & {
  operationId: string;
  parameters?: Record<string, unknown>[];
  responses: Record<string, Record<string, unknown>>;
  security: unknown[];
};
const operation = (method: string, path: string): Operation => document.paths[path]?.[method] as Operation;
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, one]) => ({ path, method, operation: one as Operation })),
);
const component = (name: string): Record<string, unknown> => document.components.schemas?.[name] as Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: a JSON document is walked
const at = (value: unknown, ...path: string[]): any =>
  path.reduce((one, key) => (one as Record<string, unknown> | undefined)?.[key], value);

const dir = mkdtempSync(join(tmpdir(), 'storeloom-openapi-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const file = join(dir, 'openapi.json');
writeFileSync(file, JSON.stringify(document));

test('every mounted route is there once, by its path without a slash at the end', () => {
  expect(wrong).toEqual([]);
  const shape = (method: string, path: string): string => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`;
  expect(operations.map((one) => shape(one.method, one.path)).sort()).toEqual(
    [
      ...routes.map((one) => shape(one.route.method, one.path)),
      'GET /api/admin/dashboard/things-stats',
      'GET /api/webhooks/payment-x/{}',
      'POST /api/webhooks/payment-x/{}',
    ].sort(),
  );
  const ids = operations.map((one) => one.operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]+$/);
  expect(operation('post', '/api/admin/things/{id}/ship').operationId).toBe('adminPostThingsByIdShip');
  expect(operation('get', '/api/v1/storefront/things').operationId).toBe('v1StorefrontGetThings');
});

test('two spellings of one path are one path', () => {
  expect(Object.keys(document.paths).filter((path) => /^\/api\/admin\/things\/\{\w+\}\/parts\/\{\w+\}$/.test(path))).toHaveLength(
    1,
  );
});

test('a resource reads as it is served: create, change, row, whole, moves, children', () => {
  const create = at(operation('post', '/api/admin/things'), 'requestBody', 'content', 'application/json', 'schema');
  expect(create).toEqual({ $ref: '#/components/schemas/SyntheticThingInput' });
  const body = component('SyntheticThingInput');
  expect(body).toMatchObject({ type: 'object', additionalProperties: false });
  expect(at(body, 'properties', 'total')).toBeUndefined();
  expect(at(body, 'properties', 'status')).toBeUndefined();
  expect(body.required).toEqual(expect.arrayContaining(['text', 'slug', 'money', 'name', 'prices']));
  expect(body.required).not.toContain('int');
  expect(at(body, 'properties', 'money')).toEqual({ $ref: '#/components/schemas/Money' });
  expect(at(body, 'properties', 'otherId', 'anyOf')[0]).toMatchObject({ format: 'uuid', 'x-entity': 'synthetic.other' });
  expect(at(body, 'properties', 'email', 'anyOf')[0]).toMatchObject({ format: 'email' });
  expect(at(body, 'properties', 'instant', 'anyOf')[0]).toMatchObject({ format: 'date-time' });
  expect(at(body, 'properties', 'secret', 'anyOf')[0]).toMatchObject({ format: 'password' });
  const change = component('SyntheticThingChange');
  expect(change.required).toBeUndefined();
  expect(at(change, 'properties', 'status', 'anyOf')[0].enum).toEqual(['open']);
  const whole = component('SyntheticThing');
  expect(whole.required).toEqual(expect.arrayContaining(['id', 'createdAt', 'updatedAt', 'version', 'status', 'total', 'long']));
  expect(whole.additionalProperties).toBeUndefined();
  expect(at(whole, 'properties', 'masked')).toMatchObject({ type: 'array' });
  expect(at(whole, 'properties', 'total')).toEqual({ $ref: '#/components/schemas/Money', readOnly: true });
  expect(at(whole, 'properties', 'name')).toEqual({ $ref: '#/components/schemas/LocalText' });
  const page = at(operation('get', '/api/admin/things'), 'responses', '200', 'content', 'application/json', 'schema');
  expect(page).toMatchObject({
    properties: {
      data: { items: { $ref: '#/components/schemas/SyntheticThingRow' } },
      page: { $ref: '#/components/schemas/Page' },
    },
    required: ['data', 'page'],
  });
  expect(at(component('SyntheticThingRow'), 'properties', 'long')).toBeUndefined();
  expect(at(operation('post', '/api/admin/things/{id}/ship'), 'requestBody', 'required')).toBe(true);
  expect(at(operation('patch', '/api/admin/things/{id}/void'), 'requestBody')).toBeDefined();
  expect(operation('post', '/api/admin/things/{id}/reopen')).toBeUndefined();
  expect(operation('post', '/api/admin/things/{id}/expire')).toBeUndefined();
  expect(operation('get', '/api/admin/things/{id}/parts')).toBeDefined();
  expect(at(operation('post', '/api/admin/things'), 'responses', '201', 'headers', 'Location')).toBeDefined();
  expect(at(operation('delete', '/api/admin/things/{id}'), 'responses', '204', 'content')).toBeUndefined();
});

test('the storefront speaks one language, the administration all', () => {
  const row = at(
    operation('get', '/api/storefront/things'),
    'responses',
    '200',
    'content',
    'application/json',
    'schema',
    'properties',
    'data',
    'items',
  );
  const schema = component(row.$ref.split('/').at(-1));
  expect(at(schema, 'properties', 'name')).toEqual({ type: 'string' });
  expect(at(schema, 'properties', 'note', 'anyOf')[0]).toEqual({ type: 'string' });
});

test('marks: plugin, permission, additive, deprecated, mirror, audience', () => {
  expect(operation('post', '/api/admin/things/{id}/ship')).toMatchObject({
    'x-plugin': 'synthetic',
    'x-permission': 'synthetic.thing.ship',
    summary: 'Ship the thing',
    tags: ['things'],
    security: [{ adminToken: [] }],
  });
  expect(operation('put', '/api/admin/others/{id}')).toMatchObject({ 'x-additive': true });
  expect(operation('get', '/api/admin/others/{id}')).not.toHaveProperty('x-additive');
  expect(
    document.paths['/api/admin/things/{id}/parts/{partId}']?.put ??
      document.paths['/api/admin/things/{thingId}/parts/{partId}']?.put,
  ).toMatchObject({ deprecated: true });
  expect(operation('get', '/api/v1/storefront/things')).toMatchObject({ 'x-mirror-of': '/api/storefront/things' });
  expect(operation('get', '/api/storefront/account/things').security).toEqual([{ customerToken: [] }]);
  expect(operation('post', '/api/storefront/cart/items').security).toContainEqual({ cartCookie: [], csrfToken: [] });
  expect(operation('get', '/api/super-admin/tenants').security).toEqual([{ operatorToken: [] }]);
  expect(operation('post', '/api/internal/setup').security).toEqual([{ setupToken: [] }]);
  expect(operation('post', '/api/webhooks/payment-x/{tenantId}').security).toEqual([{ webhookSignature: [] }]);
  expect(operation('post', '/api/admin/2fa/verify').security).toEqual([{}, { adminToken: [] }]);
});

test('a route of a router is an operation like every other one', () => {
  const preview = operation('post', '/api/admin/things/{id}/previews');
  expect(preview).toMatchObject({
    summary: 'Preview a thing',
    tags: ['things'],
    'x-permission': 'synthetic.thing.read',
    security: [{ adminToken: [] }],
    parameters: [{ name: 'id', in: 'path', required: true, schema: { format: 'uuid' } }],
  });
  const body = at(preview, 'requestBody', 'content', 'application/json', 'schema');
  expect(component(body.$ref.split('/').at(-1))).toMatchObject({ properties: { width: { type: 'integer', minimum: 1 } } });
  // Without a transaction no response is stored, so the key is not offered.
  expect(preview.parameters).toHaveLength(1);
  expect(Object.keys(document.paths['/things/any/{id}'] ?? {}).sort()).toEqual(['delete', 'get', 'patch', 'post', 'put']);
  expect(operation('get', '/api/v1/storefront/things/{slug}/feed')).toMatchObject({
    'x-mirror-of': '/api/storefront/things/{slug}/feed',
  });
});

test('a route names the problems that it can answer, and no others', () => {
  const codes = (method: string, path: string, status: string): string[] | undefined => {
    const reference = operation(method, path).responses[status]?.$ref as string | undefined;
    const response = reference && document.components.responses?.[reference.split('/').at(-1) as string];
    return response && at(response, 'content', 'application/problem+json', 'schema', 'allOf')[1].properties.code.enum;
  };
  expect(codes('get', '/api/admin/things', '404')).toBeUndefined();
  expect(codes('get', '/api/admin/things', '403')).toEqual(['forbidden', 'plugin_not_enabled']);
  expect(codes('post', '/api/admin/things', '409')).toEqual(['conflict', 'duplicate', 'idempotency_in_flight']);
  expect(codes('post', '/api/admin/things', '422')).toEqual([
    'ambiguous_local_time',
    'currency_mismatch',
    'idempotency_key_reused',
    'invalid_local_time',
    'money_invalid',
    'offset_required',
    'unknown_field',
    'validation_failed',
  ]);
  expect(codes('post', '/api/admin/things/{id}/ship', '409')).toEqual([
    'conflict',
    'idempotency_in_flight',
    'invalid_transition',
  ]);
  expect(codes('patch', '/api/admin/things/{id}', '409')).toEqual(['conflict', 'duplicate', 'invalid_transition']);
  expect(codes('patch', '/api/admin/things/{id}', '412')).toEqual(['version_conflict']);
  expect(codes('delete', '/api/admin/things/{id}', '409')).toEqual(['conflict', 'in_use']);
  expect(codes('post', '/api/storefront/cart/items', '409')).toEqual([
    'conflict',
    'idempotency_in_flight',
    'insufficient_things',
  ]);
  expect(codes('post', '/api/storefront/cart/items', '429')).toEqual(['rate_limited']);
  expect(codes('get', '/api/storefront/things', '429')).toBeUndefined();
  expect(codes('get', '/api/admin/things/report', '501')).toEqual(['provider_not_configured']);
  expect(JSON.stringify(document)).not.toContain('code_of_a_plugin_that_is_not_here');
  expect(codes('post', '/api/webhooks/payment-x/{tenantId}', '401')).toEqual(['signature_invalid']);
  expect(component('Problem').properties).toMatchObject({
    code: { enum: expect.arrayContaining(['not_found', 'insufficient_things']) },
  });
});

test('the list really takes every parameter with its example, and no undocumented operator', () => {
  for (const { route, path } of routes) {
    const { query } = route.options;
    if (!(query instanceof List)) continue;
    const parameters = (operation(route.method.toLowerCase(), path).parameters ?? []).map((parameter) =>
      '$ref' in parameter ? at(document, ...String(parameter.$ref).slice(2).split('/')) : parameter,
    );
    const named = parameters.filter((parameter) => parameter.in === 'query');
    expect(named.length).toBeGreaterThan(3);
    for (const { name, example, schema } of named) {
      if (name === 'cursor') continue;
      const value = example ?? schema.default;
      expect(value, `${path} ${name}`).toBeDefined();
      expect(
        () => query.parse(new URLSearchParams([[name, Array.isArray(value) ? value.join() : String(value)]])),
        `${path} ${name}`,
      ).not.toThrow();
    }
    const known = new Set(named.map((parameter) => parameter.name));
    for (const filter of Object.keys(query.options.filters ?? {}))
      for (const operator of ['ne', 'gt', 'gte', 'lt', 'lte', 'in']) {
        const name = `${filter}[${operator}]`;
        let taken = true;
        try {
          query.parse(new URLSearchParams([[name, '1']]));
        } catch (error) {
          taken = !/is not taken/.test((error as Error).message);
        }
        expect(known.has(name), name).toBe(taken);
      }
  }
});

test('every request example is taken by the route itself, and every component has one', async () => {
  let checked = 0;
  for (const { route, path } of routes) {
    const { body, partial } = route.options;
    if (!body) continue;
    const schema = at(
      operation(route.method.toLowerCase(), path) ??
        Object.entries(document.paths).find(([known]) => known.replace(/\{\w+\}/g, '{}') === path.replace(/\{\w+\}/g, '{}'))?.[1][
          route.method.toLowerCase()
        ],
      'requestBody',
      'content',
      'application/json',
      'schema',
    );
    const [example] = component(schema.$ref.split('/').at(-1)).examples as unknown[];
    expect(example, path).toBeDefined();
    await parseBody(body, structuredClone(example), {
      partial: partial ?? route.method === 'PATCH',
      tenant: { defaultLocale: 'ro', locales: ['ro', 'en'] },
    });
    if (isShape(body))
      expect(Object.keys(example as object).sort()).toEqual(
        Object.keys(body as Shape)
          .filter((name) => !(body as Shape)[name]?.spec.readonly)
          .sort(),
      );
    checked++;
  }
  expect(checked).toBeGreaterThan(15);
  const without = Object.entries(document.components.schemas ?? {}).filter(
    ([, schema]) => !(schema as { examples?: unknown[] }).examples,
  );
  expect(without.map(([name]) => name)).toEqual([]);
});

test('it is the same each time, for any order of the routes', () => {
  expect(JSON.stringify(buildOpenApi(input))).toBe(JSON.stringify(document));
  expect(JSON.stringify(buildOpenApi({ ...input, routes: [...routes].reverse() }))).toHaveLength(JSON.stringify(document).length);
});

test('hundreds of routes stay below a few megabytes', () => {
  const many = Array.from({ length: 18 }, (_, n) => {
    const own = routes.filter((mounted) => !mounted.path.startsWith('/api/v1/'));
    return own.map((mounted): MountedRoute => {
      const { body, response } = mounted.route.options;
      const copy = <T>(value: T): T =>
        typeof value === 'object' && value !== null && isShape(value as Shape) ? ({ ...value } as T) : value;
      return {
        ...mounted,
        path: mounted.path.replace(/^(\/api\/[\w-]+)/, `$1/p${n}`),
        route: {
          ...mounted.route,
          options: {
            ...mounted.route.options,
            ...(body ? { body: copy(body) } : {}),
            ...(response ? { response: copy(response) } : {}),
          },
        },
      };
    });
  }).flat();
  expect(many.length).toBeGreaterThan(550);
  const text = JSON.stringify(buildOpenApi({ ...input, routes: many }));
  expect(text.length).toBeLessThan(8_000_000);
});

const bin = (name: string): string => new URL(`../../../../node_modules/.bin/${name}`, import.meta.url).pathname;

test('redocly has no error', { timeout: 300_000 }, () => {
  const { status, stdout, stderr } = spawnSync(bin('redocly'), ['lint', file, '--extends=recommended', '--format=json'], {
    cwd: dir,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  const report = JSON.parse(stdout) as { problems: { severity: string; message: string; location: unknown[] }[] };
  expect(
    report.problems.filter((problem) => problem.severity === 'error'),
    stderr,
  ).toEqual([]);
  expect(status).toBe(0);
});

test('spectral has no error', { timeout: 300_000 }, () => {
  const ruleset = join(dir, 'ruleset.json');
  writeFileSync(ruleset, JSON.stringify({ extends: 'spectral:oas' }));
  const { status, stdout, stderr } = spawnSync(
    bin('spectral'),
    ['lint', file, '--ruleset', ruleset, '--format', 'json', '--quiet'],
    { cwd: dir, encoding: 'utf8' },
  );
  const report = JSON.parse(stdout) as { severity: number; message: string; path: string[] }[];
  expect(
    report.filter((problem) => problem.severity === 0),
    stderr,
  ).toEqual([]);
  expect(status).toBe(0);
});

test('the document of one plugin has its operations and events alone, with the same schemas as the whole', () => {
  const alone = buildOpenApi({ ...input, plugin: 'synthetic' });
  const none = buildOpenApi({ ...input, plugin: 'other' });
  expect(Object.keys(alone.paths)).toEqual(Object.keys(document.paths));
  expect(alone.components.schemas).toEqual(document.components.schemas);
  expect([none.paths, Object.keys(none.components.schemas ?? {}).filter((name) => name.startsWith('Synthetic'))]).toEqual([
    {},
    [],
  ]);
});
