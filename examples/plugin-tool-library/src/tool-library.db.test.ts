import { createClient } from '@storeloom/client';
import { fetchVia } from '@storeloom/client/node';
import { addDays } from '@storeloom/plugin-sdk/time';
import { contractTest, runJob, type TestClient, type TestShop, type TestTenant, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ToolTaken, toolLibrary } from './client.ts';
import plugin from './index.ts';

const makeTool = async ({ admin }: TestTenant, name: string): Promise<string> => {
  const made = await admin.post<{ id: string }>('/api/admin/tool-library/tools/', { name: { en: name, ro: name } });
  expect(made.status).toBe(201);
  return made.body.id;
};
const reserving = (id: string): string => `/api/storefront/tool-library/tools/${id}/reserve`;

// #region contract
contractTest(plugin, {
  // Rows of both tenants, for the probes of isolation.
  async fill({ a, b }) {
    for (const tenant of [a, b]) await (await tenant.customer()).post(reserving(await makeTool(tenant, 'Drill')));
  },
});
// #endregion

describe('tool library', () => {
  let shop: TestShop;
  beforeAll(async () => {
    shop = await testShop({ plugins: [plugin], processes: 2, now: '2026-11-28T23:30:00Z' });
  });
  afterAll(() => shop?.stop());

  // #region story
  it('lends a tool: reserved, confirmed by mail, collected, returned', async () => {
    const { a } = shop;
    const id = await makeTool(a, 'Ladder');
    const ana = await a.customer('ana@example.org');
    const reserved = await ana.post<{ id: string; dueOn: string }>(reserving(id));
    // In the shop's zone it is the 29th already.
    expect(reserved.body).toMatchObject({ toolId: id, status: 'reserved', dueOn: '2026-12-13' });
    await shop.settled();
    const mails = (await shop.mails()).filter((mail) => mail.template === 'tool-library.reserved');
    expect(mails.map((mail) => mail.to)).toEqual(['ana@example.org']);

    const shown = await a.guest.get<{ data: { id: string }[] }>('/api/storefront/tool-library/tools');
    expect(shown.body.data.find((one) => one.id === id)).toEqual({ id, name: 'Ladder', available: false });

    const loan = `/api/admin/tool-library/loans/${reserved.body.id}`;
    expect((await a.admin.post(`${loan}/return`)).body).toMatchObject({
      code: 'invalid_transition',
      allowed: ['out', 'cancelled'],
    });
    expect((await a.admin.post(`${loan}/collect`)).body.status).toBe('out');
    expect((await a.admin.delete(`/api/admin/tool-library/tools/${id}`)).body.code).toBe('in_use');
    expect((await a.admin.post(`${loan}/return`)).body.status).toBe('returned');
    const stats = await a.admin.get('/api/admin/dashboard/tool-library-stats');
    expect(stats.body.metrics).toEqual({ made: 1, returned: 1, returnedPercent: 100, out: 0, late: 0 });
  });
  // #endregion

  it('is called by its typed client, and the error of a taken tool has a class', async () => {
    const { a, bases } = shop;
    const tokenOf = ({ headers }: TestClient): string => String(headers.authorization).replace('Bearer ', '');
    const client = createClient({ baseUrl: `http://${a.host}`, slices: [toolLibrary], fetch: fetchVia(bases[0] as string) });
    const staff = client.as(tokenOf(a.admin)).admin.toolLibrary;
    const { id } = await staff.tools.create({ name: { en: 'Plane', ro: 'Rindea' } });
    const [first, second] = await Promise.all([a.customer(), a.customer()]);
    const loan = await client.storefront({ token: tokenOf(first) }).toolLibrary.tools.reserve(id);
    await expect(client.storefront({ token: tokenOf(second) }).toolLibrary.tools.reserve(id)).rejects.toBeInstanceOf(ToolTaken);
    const shown = await client.storefront({ locale: 'ro' }).toolLibrary.tools.list().toArray({ max: 100 });
    expect(shown.find((tool) => tool.id === id)).toEqual({ id, name: 'Rindea', available: false });
    expect((await staff.loans.cancel(loan.id)).status).toBe('cancelled');
  });

  it('asks a guest to sign in', async () => {
    const answer = await shop.a.guest.post(reserving(await makeTool(shop.a, 'Saw')));
    expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated']);
  });

  // #region race
  it('gives a tool to one of ten simultaneous customers, over two processes', async () => {
    const { a, bases } = shop;
    const id = await makeTool(a, 'Generator');
    const customers: TestClient[] = [];
    while (customers.length < 10) customers.push(await a.customer());
    const answers = await Promise.all(customers.map((customer, i) => customer.at(bases[i % 2] as string).post(reserving(id))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect(new Set(answers.filter(({ status }) => status === 409).map(({ body }) => body.code))).toEqual(new Set(['tool_taken']));
    expect(await shop.rows(`select from tool_library_loan where tool_id = $1`, [id])).toHaveLength(1);
  });

  it('holds a customer to the limit, however many requests are simultaneous', async () => {
    const { a, bases } = shop;
    const ids: string[] = [];
    while (ids.length < 8) ids.push(await makeTool(a, `Clamp ${ids.length}`));
    const customer = await a.customer();
    const answers = await Promise.all(ids.map((id, i) => customer.at(bases[i % 2] as string).post(reserving(id))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'loan_limit', limit: 3 });
  });
  // #endregion

  // #region job
  it('reminds a customer once, on the morning before the tool is due', async () => {
    const { a } = shop;
    const id = await makeTool(a, 'Sander');
    const { body } = await (await a.customer('ion@example.org')).post<{ id: string; dueOn: string }>(reserving(id));
    await a.admin.post(`/api/admin/tool-library/loans/${body.id}/collect`);
    await runJob(shop, plugin, 'remind');
    const reminders = async () => (await shop.mails()).filter((mail) => mail.template === 'tool-library.reminder');
    expect(await reminders()).toEqual([]);

    shop.clock.freeze(`${addDays(body.dueOn, -1)}T06:00:00Z`);
    await runJob(shop, plugin, 'remind');
    await runJob(shop, plugin, 'remind');
    expect((await reminders()).map((mail) => mail.to)).toEqual(['ion@example.org']);
  });
  // #endregion
});
