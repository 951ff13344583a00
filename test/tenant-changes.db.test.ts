import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';
import { type TestClient, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Api, processOf, startApi } from './support/processes.ts';

const hello = '/api/storefront/example-hello/';

/** The server's socket, on a port; what the server says is held back while it is `deaf`. */
async function proxyOf(databaseUrl: string): Promise<{ url: string; server: Server; deaf(): void; hearing(): void }> {
  const url = new URL(databaseUrl);
  const path = `${url.searchParams.get('host')}/.s.PGSQL.5432`;
  const upstreams = new Set<Socket>();
  let silent = false;
  const server = createServer((client) => {
    const upstream = dial(path);
    upstreams.add(upstream);
    if (silent) upstream.pause();
    client.pipe(upstream);
    upstream.on('data', (chunk) => void client.write(chunk));
    const end = (): void => {
      upstreams.delete(upstream);
      upstream.destroy();
      client.destroy();
    };
    for (const socket of [client, upstream]) socket.on('close', end).on('error', end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url.searchParams.delete('host');
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.toString(),
    server,
    deaf() {
      silent = true;
      for (const upstream of upstreams) upstream.pause();
    },
    hearing() {
      silent = false;
      for (const upstream of upstreams) upstream.resume();
    },
  };
}

describe('a change that no notification tells of', () => {
  let shop: TestShop;
  let api: Api;
  let proxy: Awaited<ReturnType<typeof proxyOf>>;
  let tenant: string;
  beforeAll(async () => {
    shop = await testShop({ plugins: ['example-hello'], workers: false });
    proxy = await proxyOf(shop.prepared.ownerUrl);
    api = await startApi({
      ...processOf(shop),
      env: { DATABASE_URL_DIRECT: proxy.url, STORELOOM_WORKERS: 'false' },
    });
    tenant = `/api/super-admin/tenants/${shop.a.id}`;
  });
  afterAll(async () => {
    proxy?.hearing();
    await api?.kill();
    proxy?.server.close();
    await shop?.stop();
  });

  const other = (client: TestClient = shop.a.guest): TestClient => client.at(api.base);
  const status = async (): Promise<number> => (await other().get(hello)).status;
  beforeEach(async () => {
    proxy.hearing();
    expect(await status()).toBe(200);
    proxy.deaf();
  });
  const done = async (answer: Promise<{ status: number; text: string }>): Promise<void> => {
    const { status: got, text } = await answer;
    expect([200, 204], text).toContain(got);
  };

  it('is felt by the very next request of another process: switch, override, plan, and what the plan includes', async () => {
    for (let round = 0; round < 5; round++) {
      for (const [enabled, wanted] of [
        [false, 404],
        [true, 200],
      ] as const) {
        await done(shop.operator.put(`${tenant}/features`, { features: { 'example-hello': enabled } }));
        expect(await status()).toBe(wanted);
      }
    }
    await done(shop.operator.put(`${tenant}/plugin-overrides`, { pluginId: 'example-hello', enabled: false, reason: 'x' }));
    expect(await status()).toBe(404);
    await done(shop.operator.delete(`${tenant}/plugin-overrides/example-hello`));
    expect(await status()).toBe(200);

    const { planId } = (await shop.operator.get<{ planId: string }>(tenant)).body;
    const plan = await shop.operator.post<{ id: string }>('/api/super-admin/plans', { code: 'bare', name: 'Bare' });
    await done(shop.operator.patch(`${tenant}/plan`, { planId: plan.body.id }));
    expect(await status()).toBe(404);
    await done(shop.operator.patch(`/api/super-admin/plans/${plan.body.id}/permissions`, { plugins: ['example-hello'] }));
    expect(await status()).toBe(200);
    await done(shop.operator.patch(`${tenant}/plan`, { planId }));
    expect(await status()).toBe(200);
  });

  it('nor one of the status, the hosts and the settings', async () => {
    const settings = '/api/admin/plugins/example-hello/settings';
    const message = async (): Promise<string> => (await other().get<{ message: string }>(hello)).body.message;
    for (const text of ['Salut', 'Noroc']) {
      await done(shop.a.admin.put(settings, { settings: { message: { ro: text, en: 'Hi' } } }));
      expect(await message()).toBe(text);
    }
    await done(shop.operator.patch(`/api/super-admin/tenants/${shop.b.id}`, { status: 'suspended' }));
    expect((await other(shop.b.guest).get(hello)).status).toBe(503);
    await done(shop.operator.patch(`/api/super-admin/tenants/${shop.b.id}`, { status: 'active' }));
    expect((await other(shop.b.guest).get(hello)).status).toBe(200);

    await done(shop.operator.patch(`/api/super-admin/tenants/${shop.b.id}`, { hosts: ['moved.localhost'] }));
    expect((await other(shop.b.guest).get(hello)).status).toBe(404);
  });

  it('by any writer; writes with a body use it as reads do', async () => {
    const post = () => other(shop.a.admin).post('/api/admin/example-greetings/', { text: { ro: 'Bună', en: 'Hello' } });
    expect((await post()).status).toBe(201);
    const put = (enabled: boolean) =>
      shop.rows(
        `insert into core_switch (tenant_id, plugin, enabled, updated_at) values ($1, 'example-hello', $2, now())
        on conflict (tenant_id, plugin) do update set enabled = excluded.enabled`,
        [shop.a.id, enabled],
      );
    await put(false);
    expect(await post()).toMatchObject({ status: 403, body: { code: 'plugin_not_enabled', why: 'tenant_off' } });
    const before = await shop.rows('select id from example_hello_greeting');
    await put(true);
    expect((await post()).status).toBe(201);
    expect(await shop.rows('select id from example_hello_greeting')).toHaveLength(before.length + 1);
  });

  it('is never answered by what was before, under requests from all sides', async () => {
    // Responses for customers aren't cached.
    const customer = await shop.a.customer();
    let committed = 0;
    let over = false;
    const rename = (n: number) => shop.rows('update core_tenant set name = $2 where id = $1', [shop.a.id, String(n)]);
    await rename(0);
    const changing = (async () => {
      for (let n = 1; n <= 200; n++) {
        await rename(n);
        committed = n;
      }
      over = true;
    })();
    const reading = async (): Promise<void> => {
      while (!over) {
        const least = committed;
        const { body } = await other(customer).get<{ name: string }>('/api/storefront/tenant-config/');
        expect(Number(body.name)).toBeGreaterThanOrEqual(least);
      }
    };
    await Promise.all([changing, reading(), reading(), reading(), reading()]);
  });
});
