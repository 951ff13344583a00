import { sql } from '@storeloom/plugin-sdk';
import { metafields } from '@storeloom/plugin-workspace/contract';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['workspace', 'catalog'] });
});
afterAll(() => shop?.stop());

const definitions = '/api/admin/metafields/definitions';
const define = (more: object, tenant = shop.a) =>
  tenant.admin.post<{ id: string; code: string; errors: { pointer: string }[] }>(definitions, {
    entityType: 'catalog.brand',
    namespace: 'care',
    ...more,
  });
const brand = async (tenant = shop.a): Promise<string> =>
  (await tenant.admin.post<{ id: string }>('/api/admin/brands/', { name: `Brand ${crypto.randomUUID().slice(0, 8)}` })).body.id;
const of = (id: string) => `/api/admin/metafields/catalog.brand/${id}`;
const put = (id: string, ...values: [key: string, value: unknown][]) =>
  shop.a.admin.put<{ data: { key: string; value: unknown }[]; errors: { pointer: string }[]; code: string }>(of(id), {
    metafields: values.map(([key, value]) => ({ namespace: 'care', key, value })),
  });

describe('definitions', () => {
  it('are unique a type of entity, and narrow their type sensibly', async () => {
    expect((await define({ key: 'wash', type: 'int', validations: { min: 0, max: 95 } })).status).toBe(201);
    expect((await define({ key: 'wash', type: 'text' })).body).toMatchObject({ code: 'duplicate' });
    expect((await define({ key: 'wash', type: 'text' }, shop.b)).status).toBe(201);
    for (const [body, pointer] of [
      [{ key: 'a', type: 'int', entityType: 'nothing.here' }, '/entityType'],
      [{ key: 'a', type: 'int', entityType: 'toString' }, '/entityType'],
      [{ key: 'A b', type: 'int' }, '/key'],
      [{ key: 'a', type: 'regex' }, '/type'],
      [{ key: 'a', type: 'bool', validations: { min: 1 } }, '/validations/min'],
      [{ key: 'a', type: 'int', validations: { min: 2, max: 1 } }, '/validations/min'],
      [{ key: 'a', type: 'reference', validations: { entityType: 'x.y' } }, '/validations/entityType'],
    ] as const) {
      const answer = await define(body);
      expect(answer.status, answer.text).toBe(422);
      expect(answer.body.errors.map((error) => error.pointer)).toEqual([pointer]);
    }
  });

  it('with values go only when that is meant', async () => {
    const { id } = (await define({ key: 'gone', type: 'bool' })).body;
    const thing = await brand();
    await put(thing, ['gone', true]);
    expect((await shop.a.admin.delete(`${definitions}/${id}`)).body).toMatchObject({ code: 'in_use', counts: { metafields: 1 } });
    expect((await shop.b.admin.delete(`${definitions}/${id}?cascade=true`)).status).toBe(404);
    expect((await shop.a.admin.delete(`${definitions}/${id}?cascade=true`)).status).toBe(204);
    expect((await shop.a.admin.get<{ data: unknown[] }>(of(thing))).body.data).toEqual([]);
  });
});

describe('values', () => {
  const cases: [type: string, good: unknown, bad: unknown][] = [
    ['string', 'Wolle', 5],
    ['text', 'Lang\nText', ['x']],
    ['int', 30, 30.5],
    ['decimal', '1.25', 1.25],
    ['bool', false, 'false'],
    ['date', '2026-11-27', '2026-02-30'],
    ['datetime', '2026-11-27T10:00:00.000Z', '2026-11-27T10:00'],
    ['json', { a: [1, { b: null }] }, null],
    ['url', 'https://shop.example/x', 'javascript:alert(1)'],
    ['color', '#1a2b3c', 'red'],
    ['money', { amount: 1, currency: 'RON' }, { amount: 1.5, currency: 'RON' }],
  ];
  it.each(cases)('%s', async (type, good, bad) => {
    await define({ key: `k_${type}`, type });
    const id = await brand();
    const refused = await put(id, [`k_${type}`, bad]);
    expect(refused.status, refused.text).toBe(422);
    expect(refused.body.errors[0]?.pointer).toMatch(/^\/metafields\/0\/value/);
    expect((await put(id, [`k_${type}`, good])).body.data).toEqual([{ namespace: 'care', key: `k_${type}`, type, value: good }]);
  });

  it('a reference names a thing of the shop', async () => {
    await define({ key: 'kin', type: 'reference', validations: { entityType: 'catalog.brand' } });
    const id = await brand();
    expect(await put(id, ['kin', await brand(shop.b)])).toMatchObject({
      status: 404,
      body: { errors: [{ pointer: '/metafields/0/value' }] },
    });
    expect((await put(id, ['kin', await brand()])).status).toBe(200);
  });

  it('are written all or none, and the others stay', async () => {
    await define({ key: 'one', type: 'string' });
    await define({ key: 'two', type: 'int' });
    const id = await brand();
    await put(id, ['one', 'first']);
    expect((await put(id, ['one', 'changed'], ['two', 'no number'])).status).toBe(422);
    expect((await put(id, ['one', 'changed'], ['nothing', 1])).status).toBe(422);
    expect((await put(id, ['one', 'a'], ['one', 'b'])).status).toBe(422);
    const list = async () => (await shop.a.admin.get<{ data: { key: string; value: unknown }[] }>(of(id))).body.data;
    expect(await list()).toMatchObject([{ key: 'one', value: 'first' }]);
    expect((await put(id, ['two', 2])).body.data).toMatchObject([{ key: 'one' }, { key: 'two' }]);
    expect((await shop.a.admin.delete(`${of(id)}/care.one`)).status).toBe(204);
    expect((await shop.a.admin.delete(`${of(id)}/two`)).status).toBe(204);
    expect((await shop.a.admin.delete(`${of(id)}/two`)).status).toBe(404);
  });

  it('one value per entity and key, also for ten concurrent writes', async () => {
    await define({ key: 'race', type: 'int' });
    const id = await brand();
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => put(id, ['race', i])));
    for (const { status } of answers) expect([200, 409, 412]).toContain(status);
    expect(await shop.rows('select 1 from workspace_metafield where entity_id = $1', [id])).toHaveLength(1);
  });

  it('of what is not there, or is not of this shop, are 404', async () => {
    const foreign = await brand(shop.b);
    for (const path of [of(foreign), of(crypto.randomUUID()), `/api/admin/metafields/no.such/${foreign}`]) {
      expect((await shop.a.admin.get(path)).status).toBe(404);
      expect((await shop.a.admin.put(path, { metafields: [{ namespace: 'care', key: 'wash', value: 1 }] })).status).toBe(404);
      expect((await shop.a.admin.delete(`${path}/wash`)).status).toBe(404);
    }
  });

  it('a required one is asked for and stays', async () => {
    const entityType = 'catalog.category';
    await shop.a.admin.post(definitions, { entityType, namespace: 'n', key: 'must', type: 'string', required: true });
    await shop.a.admin.post(definitions, { entityType, namespace: 'n', key: 'may', type: 'string' });
    const { id } = (await shop.a.admin.post<{ id: string }>('/api/admin/categories/', { name: 'Tea' })).body;
    const path = `/api/admin/metafields/${entityType}/${id}`;
    const write = (key: string) => shop.a.admin.put(path, { metafields: [{ namespace: 'n', key, value: 'x' }] });
    expect((await write('may')).body).toMatchObject({ code: 'validation_failed', errors: [{ code: 'required' }] });
    expect((await write('must')).status).toBe(200);
    expect((await shop.a.admin.delete(`${path}/n.must`)).status).toBe(409);
  });

  it('visitors see those that are meant for them', async () => {
    await define({ key: 'shown', type: 'string', visibleOnStorefront: true });
    await define({ key: 'kept', type: 'string' });
    const id = await brand();
    await put(id, ['shown', 'yes'], ['kept', 'no']);
    const seen = await shop.a.run('catalog', (ctx) =>
      ctx.db.rows(
        sql`select ${ctx.require(metafields).visibleOf('catalog.brand', sql`t.id`)} as values from catalog_brand t where t.id = ${id}`,
      ),
    );
    expect(seen).toEqual([{ values: [{ namespace: 'care', key: 'shown', value: 'yes' }] }]);
  });
});
