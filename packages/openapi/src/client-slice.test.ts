import { expect, test } from 'vitest';
import { clientMethods } from './client-methods.ts';
import { clientErrors, clientSlice } from './client-slice.ts';
import type { OpenApiDocument } from './document.ts';

type Entry = [route: string, operation?: object];
const list = {
  '200': {
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: { data: { type: 'array', items: { $ref: '#/components/schemas/Row' } }, page: {} },
        },
      },
    },
  },
};
const created = { '201': { content: { 'application/json': { schema: { $ref: '#/components/schemas/Row' } } } } };
const done = {
  '200': {
    content: { 'application/json': { schema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] } } },
  },
};

function documentOf(entries: readonly Entry[]): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  entries.forEach(([route, operation], i) => {
    const [method, path] = route.split(' ') as [string, string];
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        operationId: `operation${i}`,
        summary: 'Does it',
        responses: done,
        'x-plugin': 'shop',
        ...operation,
      },
    };
  });
  const schemas = {
    Row: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        price: { $ref: '#/components/schemas/Money' },
        tags: { type: 'array', items: { type: ['string', 'null'] } },
        kind: { enum: ['a', 'b'] },
        parent: { anyOf: [{ $ref: '#/components/schemas/Row' }, { type: 'null' }] },
      },
      required: ['id', 'price', 'parent'],
    },
    Unused: { type: 'object' },
  };
  return {
    openapi: '3.1.0',
    paths,
    components: { schemas, parameters: {} },
    'x-problems': { not_found: { status: 404, title: 'Not found' } },
  };
}
const names = (...entries: Entry[]): Record<string, string> =>
  Object.fromEntries(
    clientMethods(documentOf(entries)).map(({ family, name, method, path }) => [`${method} ${path}`, `${family}.${name}`]),
  );

test('a method is named by its route alone', () => {
  expect(
    names(
      ['GET /api/admin/gift-cards', { responses: list }],
      ['POST /api/admin/gift-cards', { responses: created }],
      ['GET /api/admin/gift-cards/{id}'],
      ['PATCH /api/admin/gift-cards/{id}'],
      ['PUT /api/admin/gift-cards/{id}'],
      ['DELETE /api/admin/gift-cards/{id}'],
      ['POST /api/admin/gift-cards/{id}/re-send'],
      ['POST /api/admin/gift-cards/{id}/duplicate', { responses: created }],
      ['POST /api/admin/gift-cards/{id}/notes', { responses: created }],
      ['GET /api/admin/gift-cards/{id}/notes', { responses: list }],
      ['GET /api/admin/gift-cards/{id}/slip'],
      ['GET /api/admin/settings/store'],
      ['PUT /api/admin/settings/store'],
      ['GET /api/admin/branding'],
      ['POST /api/admin/branding'],
      ['POST /api/admin/recover/{token}'],
      ['POST /api/auth/login'],
      ['GET /api/super-admin/stats'],
      ['GET /api/storefront/cart'],
      ['GET /api/csrf-token'],
      ['GET /health'],
    ),
  ).toEqual({
    'GET /api/admin/gift-cards': 'admin.giftCards.list',
    'POST /api/admin/gift-cards': 'admin.giftCards.create',
    'GET /api/admin/gift-cards/{id}': 'admin.giftCards.get',
    'PATCH /api/admin/gift-cards/{id}': 'admin.giftCards.update',
    'PUT /api/admin/gift-cards/{id}': 'admin.giftCards.replace',
    'DELETE /api/admin/gift-cards/{id}': 'admin.giftCards.remove',
    'POST /api/admin/gift-cards/{id}/re-send': 'admin.giftCards.reSend',
    'POST /api/admin/gift-cards/{id}/duplicate': 'admin.giftCards.duplicate',
    'POST /api/admin/gift-cards/{id}/notes': 'admin.giftCards.notes.create',
    'GET /api/admin/gift-cards/{id}/notes': 'admin.giftCards.notes.list',
    'GET /api/admin/gift-cards/{id}/slip': 'admin.giftCards.slip',
    'GET /api/admin/settings/store': 'admin.settings.store',
    'PUT /api/admin/settings/store': 'admin.settings.store.replace',
    'GET /api/admin/branding': 'admin.branding.get',
    'POST /api/admin/branding': 'admin.branding.create',
    'POST /api/admin/recover/{token}': 'admin.recover.post',
    'POST /api/auth/login': 'auth.login',
    'GET /api/super-admin/stats': 'superAdmin.stats.get',
    'GET /api/storefront/cart': 'storefront.cart.get',
    'GET /api/csrf-token': 'system.csrfToken',
    'GET /health': 'system.health',
  });
});

test('two routes with one name, and reserved names, are refused with both routes', () => {
  expect(() => names(['GET /api/admin/orders/{id}/{line}'], ['GET /api/admin/orders/{id}'])).toThrow(
    /GET \/api\/admin\/orders\/\{id\} \(shop\).* are both admin\.orders\.get/,
  );
  expect(() => names(['POST /api/admin/orders/then'])).toThrow(/then is reserved/);
  expect(() => names(['GET /api/storefront/cart/auth'])).toThrow(/auth is reserved/);
});

test('webhooks of providers and the versioned mirror have no method', () => {
  expect(
    names(['POST /api/webhooks/payment-a'], ['GET /api/v1/storefront/cart', { 'x-mirror-of': '/api/storefront/cart' }]),
  ).toEqual({});
});

test('a slice contains the types, methods and routes of its plugin alone', () => {
  const document = documentOf([
    [
      'GET /api/admin/things',
      {
        responses: list,
        parameters: [
          { name: 'kind', in: 'query', schema: { enum: ['a', 'b'] } },
          { name: 'kind[in]', in: 'query', schema: { type: 'array', items: { enum: ['a', 'b'] } } },
        ],
      },
    ],
    [
      'POST /api/storefront/things/{id}/file',
      {
        requestBody: { required: true, content: { 'multipart/form-data': { schema: {} } } },
        parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }],
        responses: { '200': { content: { 'application/pdf': { schema: {} } } } },
      },
    ],
    ['GET /api/admin/others', { 'x-plugin': 'other' }],
  ]);
  document.components.parameters = { IdempotencyKey: { name: 'Idempotency-Key', in: 'header' } };
  const text = clientSlice(document, { plugin: 'shop', problems: ['sold_out'] }) ?? '';
  expect(text).toContain(
    "import { problemClass, type CallOptions, type Download, type Money, type Pages, type Slice, type Upload } from '@storeloom/client';",
  );
  expect(text).toContain(
    'export interface Row {\n  id: string;\n  price: Money;\n  tags?: (string | null)[];\n  kind?: "a" | "b";\n  parent: Row | null;\n}',
  );
  expect(text).toContain('  kind?: "a" | "b" | { in?: ("a" | "b") | readonly ("a" | "b")[]; };');
  expect(text).toContain('    list(query?: Operation0Query, options?: CallOptions): Pages<Row>;');
  expect(text).toContain('    file(id: string, body: Upload, options?: CallOptions): Promise<Download>;');
  expect(text).toContain('\nthings.list GET /things lq\n');
  expect(text).toContain('\nthings.file POST /things/{}/file bukf\n');
  expect(text).toContain("export const SoldOut = /* @__PURE__ */ problemClass('sold_out');");
  expect(text).toContain('export const shopStorefront: Slice<{ storefront: ShopStorefront }, ShopEvents>');
  expect(text).not.toMatch(/Unused|others/);
  expect(clientSlice(document, { plugin: 'missing' })).toBeUndefined();
  expect(clientErrors(document, './x.ts')).toContain("export const NotFound = /* @__PURE__ */ problemClass('not_found');");
});
