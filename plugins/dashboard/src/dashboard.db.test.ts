import { fileURLToPath } from 'node:url';
import { peopleErase, peopleExport } from '@storeloom/plugin-sdk';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import standIn from '../test/figures-stand-in.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: [fileURLToPath(new URL('../test/figures', import.meta.url))], modules: { figures: standIn } });
});
afterAll(() => shop?.stop());

const at = '/api/admin/dashboard';
const item = (widget: string, x = 0, y = 0, more = {}) => ({ widget, x, y, w: 6, h: 4, settings: {}, ...more });
interface Shown {
  items: { widget: string; data: { metrics: Record<string, unknown>; masked: string[] } | null; error: string | null }[];
  version: number;
  code: string;
  errors: { pointer: string }[];
}
beforeEach(async () => {
  await shop.rows('delete from dashboard_layout');
  await shop.rows('delete from dashboard_preset');
  await shop.rows('update core_tenant set niche_package_id = null, revision = revision + 1');
  await shop.rows('delete from core_niche_package');
});

describe('figures', () => {
  it('are a widget each, of the plugins that are on', async () => {
    const { data } = (await shop.a.admin.get<{ data: object[] }>(`${at}/widgets`)).body;
    expect(data).toContainEqual({
      key: 'visits',
      plugin: 'figures',
      title: { ro: 'Vizite', en: 'Visits' },
      sizes: expect.arrayContaining([{ w: 6, h: 4 }]),
      permission: 'figures.stats.read',
    });
    expect(data).toContainEqual(expect.objectContaining({ key: 'margin', title: { ro: 'Cifre', en: 'Figures' } }));
  });

  it('are those of their own routes; one that fails takes no other along', async () => {
    const path = `${at}/?from=2026-11-01&to=2026-11-07`;
    const { body } = await shop.a.admin.get<Shown>(path);
    expect(body.items.map(({ widget, data, error }) => [widget, data?.metrics ?? null, error])).toEqual([
      ['visits', { visits: 3, from: '2026-11-01', to: '2026-11-07', shop: 'a' }, null],
      ['margin', { margin: 7 }, null],
      ['broken', null, 'unavailable'],
    ]);
    const own = await shop.a.admin.get<{ metrics: object }>(`${at}/visits-stats?from=2026-11-01&to=2026-11-07`);
    expect(body.items[0]?.data).toEqual(own.body);
    for (const query of ['from=2026-11-02&to=2026-11-01', 'from=2020-01-01&to=2026-11-01', 'from=tomorrow', 'nope=1'])
      expect((await shop.a.admin.get(`${at}/?${query}`)).status, query).toBe(400);
  });

  it('are left out or masked by the permissions of the caller, also after another caller has seen them', async () => {
    const clerk = await shop.a.staff(['dashboard.layout.read', 'figures.stats.read']);
    const blind = await shop.a.staff(['dashboard.layout.read']);
    const { body } = await clerk.get<Shown>(`${at}/`);
    expect(body.items.find(({ widget }) => widget === 'margin')?.data).toMatchObject({
      metrics: { margin: null },
      masked: ['margin'],
    });
    expect((await blind.get<Shown>(`${at}/`)).body.items).toEqual([]);
  });

  it('of a plugin that is off are gone, and come back where they were', async () => {
    await shop.a.admin.patch(`${at}/layout`, { items: [item('visits')] });
    const turn = (enabled: boolean | null) => shop.a.admin.put('/api/admin/plugins/figures/settings', { enabled });
    expect((await turn(false)).status).toBe(200);
    try {
      expect((await shop.a.admin.get<Shown>(`${at}/`)).body.items).toEqual([]);
      expect((await shop.a.admin.get<{ data: unknown[] }>(`${at}/widgets`)).body.data).toEqual([]);
      // It may stay where it is, and can't be put anywhere else.
      expect((await shop.a.admin.patch(`${at}/layout`, { items: [item('visits', 6)] })).status).toBe(200);
      expect((await shop.a.admin.patch(`${at}/layout`, { items: [item('margin')] })).status).toBe(422);
      expect((await shop.b.admin.get<Shown>(`${at}/`)).body.items).toHaveLength(3);
    } finally {
      await turn(null);
    }
    expect((await shop.a.admin.get<Shown>(`${at}/`)).body.items.map(({ widget }) => widget)).toEqual(['visits']);
  });
});

describe('the own layout', () => {
  it('is arranged by its owner only', async () => {
    const clerk = await shop.a.staff(['dashboard.layout.read', 'dashboard.layout.update']);
    const items = [item('margin'), item('visits', 6, 0, { settings: { days: 7 } })];
    const patched = await clerk.patch<Shown>(`${at}/layout`, { items });
    expect(patched.body, patched.text).toMatchObject({ items, version: 1 });
    expect((await clerk.get(`${at}/layout`)).headers.etag).toBe('"1"');
    expect((await shop.a.admin.get<Shown>(`${at}/layout`)).body.items).toHaveLength(3);
    expect((await clerk.patch(`${at}/layout`, { items: [] }, { 'if-match': '"0"' })).status).toBe(412);
    expect((await clerk.post<Shown>(`${at}/layouts/reset`)).body).toMatchObject({ version: 0 });
    expect((await clerk.get<Shown>(`${at}/layout`)).body.items).toHaveLength(3);
  });

  it('has widgets that are there, in the grid, side by side', async () => {
    for (const [items, pointer] of [
      [[item('nothing')], '/items/0/widget'],
      [[item('constructor')], '/items/0/widget'],
      [[item('visits'), item('margin', 5)], '/items/1'],
      [[item('visits', 7)], '/items/0/w'],
      [[item('visits', 0, 0, { w: 0 })], '/items/0/w'],
      [[item('visits', 0, 0, { color: 'red' })], '/items/0/color'],
    ] as const) {
      const answer = await shop.a.admin.patch<Shown>(`${at}/layout`, { items });
      expect(answer.status, answer.text).toBe(422);
      expect(answer.body.errors[0]?.pointer).toBe(pointer);
    }
    expect((await shop.a.admin.patch(`${at}/layout`, {})).status).toBe(422);
    expect(
      (await shop.a.admin.patch(`${at}/layout`, { items: [item('visits'), item('margin', 6), item('broken', 0, 4)] })).status,
    ).toBe(200);
  });

  it('is one, also with ten simultaneous changes; of those with the same version one succeeds', async () => {
    const first = await Promise.all(
      Array.from({ length: 10 }, (_, i) => shop.a.admin.patch(`${at}/layout`, { items: [item('visits', 0, i)] })),
    );
    for (const { status } of first) expect([200, 409]).toContain(status);
    const { version } = (await shop.a.admin.get<Shown>(`${at}/layout`)).body;
    const second = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        shop.a.admin.patch(`${at}/layout`, { items: [item('visits', 0, i)] }, { 'if-match': `"${version}"` }),
      ),
    );
    expect(second.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await shop.rows('select 1 from dashboard_layout')).toHaveLength(1);
  });
});

describe('kept layouts', () => {
  const keep = (client: typeof shop.a.admin, body: object) =>
    client.post<{ id: string; code: string }>(`${at}/layouts`, { items: [item('visits')], ...body });
  type Page = { data: { id: string; name: string; own: boolean; sharedRoleIds: string[] }[] };

  it('have a name a person, and are shown to whom they are shared with', async () => {
    const { id } = (await keep(shop.a.admin, { name: 'Morning' })).body;
    expect((await keep(shop.a.admin, { name: 'morning' })).body).toMatchObject({ code: 'duplicate', field: 'name' });
    const rights = ['dashboard.layout.read', 'dashboard.layout.update', 'dashboard.layout.share'];
    const clerk = await shop.a.staff(rights);
    expect((await keep(clerk, { name: 'Morning' })).status).toBe(201);
    const seen = async (client: typeof clerk, query = '') => (await client.get<Page>(`${at}/layouts${query}`)).body.data;
    expect((await seen(clerk)).map(({ own }) => own)).toEqual([true]);
    const role = (
      await shop.rows<{ id: string }>(
        `select x.role_id as id from identity_user_role x join identity_role r on r.id = x.role_id where r.tenant_id = $1 and not r.system order by x.created_at desc limit 1`,
        [shop.a.id],
      )
    )[0] as { id: string };
    const share = (body: object, client = shop.a.admin) => client.post<{ sharedAll: boolean }>(`${at}/layouts/${id}/share`, body);
    expect((await share({ roleIds: [role.id] })).body).toMatchObject({ sharedAll: false, sharedRoleIds: [role.id] });
    expect(await seen(clerk, '?own=false')).toEqual([
      expect.objectContaining({ id, name: 'Morning', own: false, sharedRoleIds: [] }),
    ]);
    const stranger = await shop.a.staff(rights);
    expect(await seen(stranger)).toEqual([]);
    expect((await share({ all: true })).body).toMatchObject({ sharedAll: true, sharedRoleIds: [] });
    expect(await seen(stranger)).toHaveLength(1);
    // Read-only for others, and unavailable in another shop.
    expect((await share({ all: false }, clerk)).status).toBe(404);
    expect((await share({ all: false }, shop.b.admin)).status).toBe(404);
    expect(await seen(shop.b.admin)).toEqual([]);
    expect((await share({ all: false })).body).toMatchObject({ sharedAll: false });
    expect(await seen(stranger)).toEqual([]);
  });

  it('are shared with roles of the shop', async () => {
    const { id } = (await keep(shop.a.admin, { name: 'Evening' })).body;
    const [foreign] = await shop.rows<{ id: string }>('select id from identity_role where tenant_id = $1 limit 1', [shop.b.id]);
    const share = (body: object) => shop.a.admin.post<Shown>(`${at}/layouts/${id}/share`, body);
    expect((await share({ roleIds: [foreign?.id] })).body).toMatchObject({
      code: 'not_found',
      errors: [{ pointer: '/roleIds/0' }],
    });
    for (const body of [{}, { all: true, roleIds: [] }, { everybody: true }]) expect((await share(body)).status).toBe(422);
  });
});

describe('the preset', () => {
  const niche = async (code: string, preset: object | null) =>
    shop.operator.post<{ id: string }>('/api/super-admin/niche-packages', {
      code,
      name: code,
      plugins: [{ name: 'figures' }],
      preset,
    });
  const choose = (code: unknown, tenant = shop.a) =>
    tenant.admin.patch<{ niche: string; code: string }>(`${at}/niche`, { niche: code });

  it('is every widget, then the niche’s, then the shop’s own', async () => {
    expect((await shop.a.admin.get<Shown>(`${at}/preset`)).body).toMatchObject({
      niche: null,
      items: [{ widget: 'visits' }, { widget: 'margin' }, { widget: 'broken' }],
    });
    expect((await niche('tea', { items: [item('margin', 3), item('gone', 0, 8)] })).status).toBe(201);
    expect((await choose('tea')).body).toEqual({ niche: 'tea' });
    expect((await shop.a.admin.get(`${at}/preset`)).body).toMatchObject({
      niche: 'tea',
      items: [{ widget: 'margin', x: 3 }],
      version: 0,
    });
    expect((await shop.a.admin.get<Shown>(`${at}/layout`)).body.items).toHaveLength(1);
    const own = await shop.a.admin.put(`${at}/preset`, { items: [item('visits')] }, { 'if-match': '"0"' });
    expect(own.body, own.text).toMatchObject({ niche: 'tea', items: [{ widget: 'visits' }], version: 1 });
    expect((await shop.a.admin.put(`${at}/preset`, { items: [] }, { 'if-match': '"0"' })).status).toBe(412);
    expect((await shop.b.admin.get(`${at}/preset`)).body).toMatchObject({ niche: null });
  });

  it('that is no layout is none: the shop has its widgets all the same', async () => {
    await niche('odd', { items: 'all of them' });
    await choose('odd');
    expect((await shop.a.admin.get<Shown>(`${at}/preset`)).body.items).toHaveLength(3);
  });

  it('of an unknown niche is refused; a niche puts on nothing that the plan lacks', async () => {
    for (const code of ['nothing', '', 5, null]) expect((await choose(code)).status, String(code)).toBe(422);
    await shop.operator.post('/api/super-admin/niche-packages', { code: 'bare', name: 'bare', plugins: [] });
    await choose('bare');
    expect((await shop.a.admin.get(`${at}/visits-stats`)).body).toMatchObject({
      code: 'plugin_not_enabled',
      why: 'not_in_niche',
    });
    const [override] = await shop.rows<{ id: string }>('select id from core_tenant where slug = $1', ['a']);
    await shop.operator.put(`/api/super-admin/tenants/${override?.id}/plugin-overrides`, {
      pluginId: 'figures',
      enabled: false,
      reason: 'test',
    });
    await niche('tea', null);
    await choose('tea');
    expect((await shop.a.admin.get(`${at}/visits-stats`)).body).toMatchObject({
      code: 'plugin_not_enabled',
      why: 'override_off',
    });
    await shop.operator.delete(`/api/super-admin/tenants/${override?.id}/plugin-overrides/figures`);
    expect((await shop.a.admin.get(`${at}/visits-stats`)).status).toBe(200);
    const clerk = await shop.a.staff(['dashboard.layout.read', 'dashboard.preset.update']);
    expect((await clerk.patch(`${at}/niche`, { niche: 'tea' })).status).toBe(403);
  });
});

it('a person’s layouts go with the person', async () => {
  await shop.a.admin.patch(`${at}/layout`, { items: [item('visits')] });
  const [{ user_id: userId } = { user_id: '' }] = await shop.rows<{ user_id: string }>('select user_id from dashboard_layout');
  await shop.a.run('customers', async (ctx) => {
    const person = { userId, emails: [], phones: [] };
    expect(await ctx.call(peopleExport, person)).toContainEqual({
      resource: 'dashboard.layout',
      rows: [expect.objectContaining({ userId })],
    });
    await ctx.call(peopleErase, { ...person, report: () => undefined });
  });
  expect(await shop.rows('select 1 from dashboard_layout')).toEqual([]);
});
