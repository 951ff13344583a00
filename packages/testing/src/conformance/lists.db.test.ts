import { definePlugin, f, list, route, sql } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestShop, testShop } from '../index.ts';
import { listFaults } from './lists.ts';

const query = list({
  filters: {
    displayName: { field: f.text(), operators: ['eq'] },
    shopSlug: { field: f.text(), operators: ['eq', 'in'] },
  },
  sorts: { name: { column: 't.display_name', type: 'text' }, shop: { column: 't.shop', type: 'text' } },
  defaultSort: 'name',
  search: (q) => sql`t.display_nam = ${q}`,
});
const shops = route(
  'GET',
  '/example-hello/shops',
  { summary: 'List the shops', query, response: { id: f.id() }, list: true },
  (ctx, req) =>
    query.run<{ id: string }>(ctx, req.query, {
      select: sql`t.id`,
      from: sql`(select ${ctx.tenant.id}::uuid as id, 'A' as display_name) t`,
    }),
);

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: [definePlugin({ name: 'example-hello', storefront: [shops] })], checkResponses: false });
});
afterAll(() => shop?.stop());

it('reports filters, sort keys and searches of columns that do not exist', async () => {
  const faults = await listFaults(shop, 'example-hello');
  const parameters = faults.map((fault) =>
    decodeURIComponent(fault.replace(/^GET \S+\?(\w+(%5B\w+%5D)?)=(\S+): 500 .*$/s, '$1 $3')),
  );
  expect(parameters.sort()).toEqual(['q x', 'shopSlug Visit', 'shopSlug[in] Visit', 'sort -shop', 'sort shop']);
});
