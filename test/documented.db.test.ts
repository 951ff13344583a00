import { isShape, uuidv7 } from '@storeloom/plugin-sdk';
import type { TestClient, TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTill, type Till } from '../plugins/checkout/test/till.ts';
import { bodiesOf } from './support/bodies.ts';
import { fill } from './support/fill.ts';
import { everyPlugin } from './support/house.ts';

/** What the document promises, tried over HTTP. */
let till: Till;
let shop: TestShop;
let customer: TestClient;
beforeAll(async () => {
  till = await openTill(everyPlugin);
  shop = till.shop;
  await fill(till, shop.a);
  customer = await shop.a.customer();
});
afterAll(() => till?.stop());

/** Take what only a network or a person knows: a receiver that can be reached, a one-time code. */
const personal = new Set(['/api/admin/2fa/verify', '/api/admin/webhooks']);
const clientOf = (path: string): TestClient => (path.startsWith('/api/admin/') ? shop.a.admin : customer);

interface QueryParameter {
  name: string;
  in: string;
  required?: boolean;
  example?: unknown;
}

it('every example of a body is accepted as far as its ids exist', async () => {
  const faults: string[] = [];
  let posted = 0;
  for (const { method, path, body } of await bodiesOf(shop)) {
    if (body === undefined) continue;
    posted += 1;
    const { status, text } = await clientOf(path).call(
      method,
      path.replace(/\{\w+\}/g, () => uuidv7()),
      { body },
    );
    if (personal.has(path)) continue;
    if (status === 400 || status === 422 || status >= 500) faults.push(`${status} ${method} ${path}: ${text.slice(0, 400)}`);
  }
  expect(posted).toBeGreaterThan(100);
  expect(faults.filter((fault) => !fault.startsWith('501'))).toEqual([]);
});

it('every example of a query is accepted, alone and with the required ones', async () => {
  const faults = new Set<string>();
  let sent = 0;
  const document = (await shop.kernel.openapi()) as unknown as {
    paths: Record<string, { get?: { parameters?: (QueryParameter | { $ref: string })[] } }>;
  };
  for (const [template, { get }] of Object.entries(document.paths)) {
    if (!get || !/^\/api\/(admin|storefront)\//.test(template)) continue;
    const parameters = (get.parameters ?? []).filter(
      (parameter): parameter is QueryParameter =>
        'in' in parameter && parameter.in === 'query' && parameter.example !== undefined,
    );
    const required = parameters.filter((parameter) => parameter.required);
    const path = template.replace(/\{\w+\}/g, () => uuidv7());
    const optional = parameters.filter((parameter) => !parameter.required);
    const queries = [...(required.length > 0 ? [required] : []), ...optional.map((parameter) => [...required, parameter])];
    for (const query of queries) {
      sent += 1;
      const text = new URLSearchParams(query.map(({ name, example }): [string, string] => [name, String(example)])).toString();
      const answer = await clientOf(path).get(`${path}?${text}`);
      if (answer.status === 400 || answer.status === 422 || (answer.status >= 500 && answer.status !== 501))
        faults.add(`${answer.status} GET ${template}?${text}: ${answer.text.slice(0, 300)}`);
    }
  }
  expect(sent).toBeGreaterThan(100);
  expect([...faults]).toEqual([]);
});

it('what a GET returns can be sent back with PUT', async () => {
  const faults: string[] = [];
  let sent = 0;
  for (const { route, path } of shop.kernel.routes) {
    if (route.method !== 'PUT' || !path.startsWith('/api/admin/') || path.includes('{')) continue;
    const read = await shop.a.admin.get(path);
    if (read.status !== 200) continue;
    sent += 1;
    // Where the body has named properties, those; derived ones are refused by every write.
    const known = route.options.body && isShape(route.options.body) ? Object.keys(route.options.body) : Object.keys(read.body);
    const body = Object.fromEntries(Object.entries(read.body).filter(([name]) => known.includes(name)));
    const written = await shop.a.admin.put(path, body);
    if (written.status >= 300) faults.push(`${written.status} ${path}: ${written.text.slice(0, 300)}`);
  }
  expect(sent).toBeGreaterThan(2);
  expect(faults).toEqual([]);
});

it('settings of the store are saved as they were read, version included', async () => {
  const read = await shop.a.admin.get('/api/admin/settings/store');
  expect(read.body.version).toBeGreaterThan(0);
  const written = await shop.a.admin.put('/api/admin/settings/store', read.body);
  expect(written.status, written.text).toBe(200);
});

describe('lists that never page', () => {
  it('accept a limit up to the bound', async () => {
    const faults: string[] = [];
    let lists = 0;
    for (const { route, path, family } of shop.kernel.routes) {
      if (!route.options.list || route.method !== 'GET' || path.includes('{') || family === 'super-admin') continue;
      lists += 1;
      const call = (query: string) => clientOf(path).get(`${path}?${query}`);
      const plain = await clientOf(path).get(path);
      if (plain.status !== 200) continue;
      const limited = await call('limit=100');
      if (limited.status !== 200) faults.push(`${limited.status} ${path}?limit=100 ${limited.text.slice(0, 200)}`);
      for (const wrong of ['limit=0', 'limit=101', 'limit=x'])
        if ((await call(wrong)).status !== 400) faults.push(`${path}?${wrong}`);
    }
    expect(lists).toBeGreaterThan(50);
    expect(faults).toEqual([]);
  });
});

interface Document {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, { description?: string; summary: string }>>;
  webhooks: Record<
    string,
    { post: { summary: string; requestBody: { content: Record<string, { schema: { examples?: unknown[] } }> } } }
  >;
}

describe('the document', () => {
  it('describes each group in a sentence of its own, and no operation by its plugin alone', async () => {
    const { body } = await shop.a.guest.get<Document & Record<string, unknown>>('/openapi.json');
    expect(body.tags.length).toBeGreaterThan(30);
    for (const { name, description } of body.tags) {
      expect(description, name).toMatch(/^[A-Z].{20,}\.$/);
      expect(description, name).not.toMatch(/Served by|Routes of the plugin|Storeloom plugin/);
    }
    for (const item of Object.values(body.paths))
      for (const { description } of Object.values(item)) expect(description ?? '').not.toMatch(/Served by/);
  });

  it('describes every public event as a webhook, with the schema of its body', async () => {
    const { body } = await shop.a.guest.get<Document & Record<string, unknown>>('/openapi.json');
    const list = await shop.a.admin.get<{ data: { type: string; sample: object }[] }>('/api/admin/webhooks/events');
    expect(Object.keys(body.webhooks)).toEqual(list.body.data.map(({ type }) => type).sort());
    expect(list.body.data.length).toBeGreaterThan(30);
    for (const { type, sample } of list.body.data) {
      const { requestBody, summary } = body.webhooks[type]?.post ?? {};
      expect(summary, type).toBeTruthy();
      const [example] = requestBody?.content['application/json']?.schema.examples ?? [];
      expect(example, type).toMatchObject({ type, data: { aggregateId: expect.any(String), sequence: expect.any(Number) } });
      expect(Object.keys((example as { data: object }).data), type).toEqual(
        expect.arrayContaining(Object.keys((sample as { data: object }).data)),
      );
    }
  });
});
