import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fresh, password } from '../test/clients.ts';

let shop: TestShop;
let token: Record<string, string>;
beforeAll(async () => {
  shop = await testShop({ plugins: ['identity'], processes: 2 });
  token = { 'x-setup-token': shop.prepared.setupToken.value };
});
afterAll(() => shop?.stop());

const call = (path: string, body: unknown, headers: Record<string, string> = token, process = 0) =>
  shop.a.guest
    .at(shop.bases[process] as string)
    .with({ host: '127.0.0.1' })
    .post(`/api/internal/${path}`, body, headers);
const owner = (slug: string) => ({
  tenant: { name: 'Third', slug, host: `${slug}.localhost` },
  owner: { email: `owner@${slug}.example`, password },
});

describe('the setup routes', () => {
  it('want the token', async () => {
    for (const headers of [{}, { 'x-setup-token': '' }, { 'x-setup-token': 'wrong' }] as Record<string, string>[]) {
      expect((await call('setup', owner('x'), headers)).status).toBe(401);
      expect((await call('setup-customer', { tenant: 'a', email: fresh(), password }, headers)).status).toBe(401);
      expect((await call('setup-super-admin', { email: fresh(), password }, headers)).status).toBe(401);
      // Before anything is said about the body.
      for (const path of ['setup', 'setup-customer', 'setup-super-admin'])
        expect((await call(path, {}, headers)).status).toBe(401);
    }
  });

  it('fifty simultaneous operators over two processes: one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        call('setup-super-admin', { email: `op${i}@mail.example`, password, name: 'Op' }, token, i % 2),
      ),
    );
    const made = answers.filter(({ status }) => status === 201);
    console.info(`50 simultaneous setups of an operator: ${made.length} success`);
    expect(made).toHaveLength(1);
    // The others wait for the first, or exceed the limit of simultaneous hashes.
    expect(
      new Set(answers.filter(({ status }) => status !== 201).map(({ status }) => status)).isSubsetOf(new Set([404, 429])),
    ).toBe(true);
    expect((await call('setup-super-admin', { email: fresh(), password })).status).toBe(404);
    expect(await shop.rows("select id from identity_operator where email like 'op%@mail.example'")).toHaveLength(1);
    const { email } = (made[0] as (typeof made)[number]).body.user as { email: string };
    expect((await shop.a.guest.post('/api/auth/login', { email, password, audience: 'super-admin' })).status).toBe(200);
  });

  it('a rejected tenant keeps the setup open; then fifty simultaneous ones create one', async () => {
    expect(
      await call('setup', { ...owner('third'), tenant: { name: 'Third', slug: 'a', host: 'third.localhost' } }),
    ).toMatchObject({ status: 409, body: { code: 'duplicate' } });
    expect(await call('setup', { ...owner('third'), tenant: { name: 'Third', slug: 'third', host: shop.b.host } })).toMatchObject(
      { status: 409, body: { code: 'duplicate' } },
    );
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => call('setup', owner(`third${i}`), token, i % 2)));
    const made = answers.filter(({ status }) => status === 201);
    console.info(`50 simultaneous setups: ${made.length} success`);
    expect(made).toHaveLength(1);
    expect(new Set(answers.filter(({ status }) => status !== 201).map(({ status }) => status))).toEqual(new Set([404]));
    const { tenant, user } = (made[0] as (typeof made)[number]).body as unknown as {
      tenant: { id: string; slug: string };
      user: { email: string };
    };
    expect(await shop.rows("select slug from core_tenant where slug like 'third%'")).toEqual([{ slug: tenant.slug }]);
    const signedIn = await shop.a.guest.post<{ user: unknown }>('/api/auth/login', {
      email: user.email,
      password,
      audience: 'admin',
    });
    expect(signedIn.body.user).toEqual(user);
    expect((await call('setup', owner('fourth'))).status).toBe(404);
  });

  it('a setup that died half-way is finished by the next attempt', async () => {
    const [left] = await shop.rows<{ value: { tenantId: string } }>(
      "update identity_setup set done_at = null, started_at = now() - interval '2 minutes' where key = 'tenant' returning value",
    );
    const answer = await call('setup', {
      tenant: { name: 'Renamed', slug: 'renamed', host: 'renamed.localhost' },
      owner: { email: fresh('late'), password },
    });
    expect(answer).toMatchObject({ status: 201, body: { tenant: { id: left?.value.tenantId, slug: 'renamed' } } });
  });

  it('one customer a tenant', async () => {
    const email = fresh('first');
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        call('setup-customer', { tenant: 'a', email: `${i}.${email}`, password, firstName: 'First' }, token, i % 2),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(404)]);
    expect((await call('setup-customer', { tenant: 'b', email, password })).status).toBe(201);
    expect((await call('setup-customer', { tenant: 'b', email, password })).status).toBe(404);
    expect((await call('setup-customer', { tenant: 'nowhere', email, password })).status).toBe(404);
    expect((await shop.b.guest.post('/api/auth/login', { email, password })).status).toBe(200);
  });

  it('the token is dead an hour after operator and tenant exist, also for tenants without a customer', async () => {
    await shop.rows('delete from identity_tenant_setup where tenant_id = $1 returning tenant_id', [shop.b.id]);
    shop.clock.advance(61 * 60_000);
    try {
      for (const tenant of ['a', 'b'])
        expect((await call('setup-customer', { tenant, email: fresh(), password })).status).toBe(404);
      expect((await call('setup', owner('late'))).status).toBe(404);
      expect((await call('setup-super-admin', { email: fresh(), password })).status).toBe(404);
    } finally {
      shop.clock.advance(-61 * 60_000);
    }
    expect((await call('setup-customer', { tenant: 'b', email: fresh(), password })).status).toBe(201);
  });
});
