import { expect, test } from 'vitest';
import { bare, compareNames, compareSurfaces, mayBreak, operationSurface, referredIn } from './surface-compare.mjs';

type Json = Record<string, unknown>;
const row = (more: Json = {}, required = ['id', 'status']): Json => ({
  type: 'object',
  properties: {
    id: { type: 'string', format: 'uuid' },
    status: { type: 'string', enum: ['open', 'paid'] },
    note: { type: 'string' },
    ...more,
  },
  required,
});
const input = (more: Json = {}, required = ['title']): Json => ({
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 100 },
    kind: { type: 'string', enum: ['a', 'b'] },
    count: { type: ['integer', 'null'], maximum: 10 },
    ...more,
  },
  required,
});

/** A surface with one route that takes `Input` and returns `Row`, and one event. */
function surface({ parts = {}, schemas = {} }: { parts?: Json; schemas?: Json } = {}): Json {
  const document = { components: { parameters: {} } };
  const operation = {
    operationId: 'adminPostThings',
    'x-permission': 'shop.thing.create',
    parameters: [{ name: 'q', in: 'query', schema: { type: 'string', maxLength: 10 } }],
    requestBody: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/Input' } } } },
    responses: { '201': { content: { 'application/json': { schema: { $ref: '#/components/schemas/Row' } } } }, '422': {} },
    ...parts,
  };
  return {
    operations: { 'POST /api/admin/things': operationSurface(operation, document) },
    events: { 'shop.thing.created': { $ref: '#/components/schemas/Row' } },
    schemas: { Row: row(), Input: input(), ...schemas },
  };
}
const breaking = (after: Json): string[] =>
  compareSurfaces(surface(), after)
    .filter(({ kind }: { kind: string }) => kind === 'breaking')
    .map(({ where, what }: { where: string; what: string }) => `${where}: ${what}`);

test('the same surface has no changes when only its texts differ', () => {
  expect(
    compareSurfaces(surface(), surface({ schemas: { Row: bare({ ...row(), description: 'A row.', examples: [{}] }) as Json } })),
  ).toEqual([]);
});

test.each([
  ['an operation is gone', { ...surface(), operations: {} }, /POST \/api\/admin\/things: the operation was removed/],
  ['an event is gone', { ...surface(), events: {} }, /event shop\.thing\.created: the event was removed/],
  [
    'another permission',
    surface({ parts: { 'x-permission': 'shop.thing.write' } }),
    /permission shop\.thing\.create became shop\.thing\.write/,
  ],
  ['another operationId', surface({ parts: { operationId: 'other' } }), /operationId/],
  ['a parameter is gone', surface({ parts: { parameters: [] } }), /query parameter q was removed/],
  [
    'a new required parameter',
    surface({
      parts: {
        parameters: [
          { name: 'q', in: 'query', schema: { type: 'string', maxLength: 10 } },
          { name: 'r', in: 'query', required: true, schema: {} },
        ],
      },
    }),
    /query parameter r is new and required/,
  ],
  [
    'a shorter parameter',
    surface({ parts: { parameters: [{ name: 'q', in: 'query', schema: { type: 'string', maxLength: 5 } }] } }),
    /maxLength 10 became 5/,
  ],
  ['another status', surface({ parts: { responses: { '202': {} } } }), /the status 201 was removed/],
  [
    'another media type',
    surface({ parts: { responses: { '201': { content: { 'text/csv': { schema: {} } } } } } }),
    /201 is no longer application\/json/,
  ],
  [
    'bodies of another type',
    surface({ parts: { requestBody: { content: { 'text/csv': { schema: {} } } } } }),
    /bodies of application\/json aren't accepted/,
  ],
  ['a property of a response is gone', surface({ schemas: { Row: row({ note: undefined }) } }), undefined],
  ['a property of a response may be missing', surface({ schemas: { Row: row({}, ['id']) } }), /201\.status: became optional/],
  [
    'a property of a response may be null',
    surface({ schemas: { Row: row({ note: { type: ['string', 'null'] } }) } }),
    /201\.note: the type string became string \| null/,
  ],
  [
    'a property of a response has another type',
    surface({ schemas: { Row: row({ note: { type: 'integer' } }) } }),
    /the type string became integer/,
  ],
  [
    'a property of a response has another format',
    surface({ schemas: { Row: row({ id: { type: 'string' } }) } }),
    /the format uuid became none/,
  ],
  [
    'a nested property',
    surface({ schemas: { Row: row({ note: { type: 'array', items: { type: 'integer' } } }) } }),
    /the type string became array/,
  ],
  [
    'a new required property of a request',
    surface({ schemas: { Input: input({ color: { type: 'string' } }, ['title', 'color']) } }),
    /body\.color: new and required/,
  ],
  [
    'a property of a request becomes required',
    surface({ schemas: { Input: input({}, ['title', 'kind']) } }),
    /body\.kind: became required/,
  ],
  [
    'a request accepts fewer values',
    surface({ schemas: { Input: input({ kind: { type: 'string', enum: ['a'] } }) } }),
    /body\.kind: without the values b/,
  ],
  [
    'a request accepts no null',
    surface({ schemas: { Input: input({ count: { type: 'integer', maximum: 10 } }) } }),
    /body\.count: the type integer \| null became integer/,
  ],
  [
    'a request accepts shorter texts',
    surface({ schemas: { Input: input({ title: { type: 'string', minLength: 1, maxLength: 50 } }) } }),
    /body\.title: maxLength 100 became 50/,
  ],
  [
    'a request accepts a pattern only',
    surface({ schemas: { Input: input({ title: { type: 'string', minLength: 1, maxLength: 100, pattern: '^a' } }) } }),
    /body\.title: the pattern none became \^a/,
  ],
])('breaking: %s', (_, after, message) => {
  const changed = JSON.parse(JSON.stringify(after)) as Json;
  const found = breaking(changed).join('\n');
  if (message === undefined) expect(found).toMatch(/201\.note: the property was removed/);
  else expect(found).toMatch(message);
});

test.each([
  [
    'a new operation',
    {
      ...surface(),
      operations: {
        ...(surface().operations as Json),
        'GET /api/admin/things': (surface().operations as Json)['POST /api/admin/things'],
      },
    },
  ],
  ['a new event', { ...surface(), events: { ...(surface().events as Json), 'shop.thing.deleted': {} } }],
  [
    'a new optional parameter',
    surface({
      parts: {
        parameters: [
          { name: 'q', in: 'query', schema: { type: 'string', maxLength: 10 } },
          { name: 'r', in: 'query', schema: {} },
        ],
      },
    }),
  ],
  ['a new property of a response', surface({ schemas: { Row: row({ color: { type: 'string' } }) } })],
  [
    'a new value of a response',
    surface({ schemas: { Row: row({ status: { type: 'string', enum: ['open', 'paid', 'void'] } }) } }),
  ],
  ['a property that is always there now', surface({ schemas: { Row: row({}, ['id', 'status', 'note']) } })],
  ['a new optional property of a request', surface({ schemas: { Input: input({ color: { type: 'string' } }) } })],
  ['a request accepts more values', surface({ schemas: { Input: input({ kind: { type: 'string', enum: ['a', 'b', 'c'] } }) } })],
  [
    'a request accepts longer texts',
    surface({ schemas: { Input: input({ title: { type: 'string', minLength: 1, maxLength: 200 } }) } }),
  ],
  [
    'an enumeration is written with null as a variant',
    surface({
      schemas: { Row: row({ color: { type: 'string' }, status: { anyOf: [{ type: 'string', enum: ['open', 'paid'] }] } }) },
    }),
  ],
  ['a property of a request becomes optional', surface({ schemas: { Input: input({}, []) } })],
])('additive: %s', (_, after) => {
  const changes = compareSurfaces(surface(), after);
  expect(changes.length).toBeGreaterThan(0);
  expect(changes.filter(({ kind }: { kind: string }) => kind === 'breaking')).toEqual([]);
});

test('schemas that contain themselves are compared to their end', () => {
  const tree = (type: string): Json => ({
    type: 'object',
    properties: { value: { type }, children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
    required: ['value'],
  });
  const of = (type: string): Json => ({
    operations: {},
    events: { grown: { $ref: '#/components/schemas/Tree' } },
    schemas: referredIn({ $ref: '#/components/schemas/Tree' }, { Tree: tree(type) }),
  });
  expect(compareSurfaces(of('string'), of('string'))).toEqual([]);
  expect(compareSurfaces(of('string'), of('integer'))).toEqual([
    { kind: 'breaking', where: 'event grown.value', what: 'the type string became integer' },
  ]);
});

test('a method of the client that is gone or renamed is breaking, a new one is additive', () => {
  expect(
    compareNames(
      ['admin.orders.get GET /orders/{id}', 'type orders Order'],
      ['admin.orders.read GET /orders/{id}', 'type orders Order'],
    ),
  ).toEqual([
    { kind: 'breaking', where: 'admin.orders.get GET /orders/{id}', what: 'removed or changed' },
    { kind: 'additive', where: 'admin.orders.read GET /orders/{id}', what: 'new' },
  ]);
});

test('licence claims may change only so that old licences pass new kernels, and new licences old kernels', () => {
  const claims = (more: Json = {}, required = ['sub']): Json => ({
    claims: { licence: { type: 'object', properties: { sub: { type: 'string' }, plan: { type: 'string' }, ...more }, required } },
  });
  const kinds = (after: Json): string[] =>
    compareSurfaces(claims(), after).map(({ kind, where, what }) => `${kind}: ${where}: ${what}`);
  expect(kinds(claims({ seats: { type: 'integer' } }))).toEqual([
    'additive: licence as read.seats: new property',
    'additive: licence as issued.seats: new property',
  ]);
  expect(kinds(claims({ seats: { type: 'integer' } }, ['sub', 'seats']))).toContain(
    'breaking: licence as read.seats: new and required',
  );
  expect(kinds(claims({}, []))).toContain('breaking: licence as issued.sub: became optional');
  expect(kinds(claims({ plan: { type: 'integer' } }))[0]).toMatch(/^breaking: licence as read\.plan/);
  expect(kinds({ claims: {} })).toEqual(['breaking: licence: removed']);
});

test('a breaking change needs a changeset with a major version of its package, once the package is published', () => {
  const name = '@storeloom/plugin-catalog';
  const major = '---\n"@storeloom/plugin-catalog": major\n---\n\nRemoves a route.';
  const minor =
    '---\n"@storeloom/plugin-catalog": minor\n"@storeloom/plugin-orders": major\n---\n\n@storeloom/plugin-catalog: major';
  expect(mayBreak(name, { tags: ['@storeloom/plugin-catalog-feeds@1.0.0', '@storeloom/core@1.0.0'], changesets: [] })).toBe(true);
  expect(mayBreak(name, { tags: [`${name}@1.0.0`], changesets: [] })).toBe(false);
  expect(mayBreak(name, { tags: [`${name}@1.0.0`], changesets: [minor] })).toBe(false);
  expect(mayBreak(name, { tags: [`${name}@1.0.0`], changesets: [minor, major] })).toBe(true);
});
