import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addStaff,
  asSlowAsReal,
  bearer,
  fresh,
  login,
  mailedLink,
  mailedToken,
  password,
  plain,
  roleId,
} from '../../test/clients.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['identity'] });
});
afterAll(() => shop?.stop());

const other = 'another horse, another battery';

describe('registering', () => {
  it('a new customer can sign in immediately, and confirms the address by e-mail', async () => {
    const email = fresh('buyer');
    const answer = await shop.a.guest.post('/api/auth/register', {
      email: email.toUpperCase(),
      password,
      firstName: 'Ana',
      lastName: 'Pop',
      phone: '+40 721 000 000',
    });
    expect(answer).toMatchObject({ status: 202, body: { status: 'accepted' } });
    const { user } = await login(shop.a, { email });
    expect(user).toMatchObject({ email, firstName: 'Ana', lastName: 'Pop', name: null });
    const token = await mailedToken(shop, email, 'identity.verify');
    expect((await shop.a.guest.post('/api/auth/verify-email', { token })).status).toBe(204);
    expect((await shop.a.guest.post('/api/auth/verify-email', { token })).status).toBe(410);
    const [row] = await shop.rows<{ email_verified_at: Date | null }>(
      'select email_verified_at from customers_customer where id = $1',
      [user.id],
    );
    expect(row?.email_verified_at).not.toBeNull();
  });

  it('a registered address changes nothing, says the same, and gets a mail', async () => {
    const { email } = await shop.a.customer();
    const known = await shop.a.guest.post('/api/auth/register', { email, password: other, firstName: 'Mallory' });
    const unknown = await shop.a.guest.post('/api/auth/register', { email: fresh(), password: other, firstName: 'Mallory' });
    expect(known.status).toBe(202);
    expect(known.text).toBe(unknown.text);
    expect((await shop.a.guest.post('/api/auth/login', { email, password: other })).status).toBe(401);
    await login(shop.a, { email });
    expect(await mailedToken(shop, email, 'identity.registered')).toBeTruthy();
  });

  it('ten simultaneous registrations with one address create one account', async () => {
    const email = fresh('racer');
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => shop.a.guest.post('/api/auth/register', { email, password: `${password} ${i}` })),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set(['202 {"status":"accepted"}']));
    const opened = await Promise.all(
      Array.from({ length: 10 }, (_, i) => shop.a.guest.post('/api/auth/login', { email, password: `${password} ${i}` })),
    );
    expect(opened.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await shop.rows('select id from customers_customer where email = $1', [email])).toHaveLength(1);
  });

  // A difference is there every time; a machine that was busy isn't.
  it('takes no time that tells', { retry: 2 }, async () => {
    const { email } = await shop.a.customer();
    const time = async (address: string) => {
      const started = performance.now();
      await shop.a.guest.post('/api/auth/register', { email: address, password });
      return performance.now() - started;
    };
    const fast = asSlowAsReal();
    const known: number[] = [];
    const unknown: number[] = [];
    try {
      for (let i = 0; i < 5; i++) {
        known.push(await time(email));
        unknown.push(await time(fresh()));
      }
    } finally {
      fast();
    }
    // The quickest of each: what else the machine does only adds.
    const [least, leastUnknown] = [Math.min(...known), Math.min(...unknown)];
    expect(Math.abs(least - leastUnknown) / leastUnknown).toBeLessThan(0.1);
  });

  it.each(['qwerty123456', 'short', 'aaaaaaaaaaaaaaaa'])('the password %s is refused', async (weak) => {
    expect(await shop.a.guest.post('/api/auth/register', { email: fresh(), password: weak })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/password' }] },
    });
  });

  it('has its place: unknown hosts have no customers', async () => {
    const stranger = shop.a.guest.with({ host: 'nowhere.localhost' });
    expect((await stranger.post('/api/auth/register', { email: fresh(), password })).body.code).toBe('tenant_not_found');
    expect((await stranger.post('/api/auth/login', { email: fresh(), password, audience: 'storefront' })).body.code).toBe(
      'tenant_not_found',
    );
  });
});

describe('a forgotten password', () => {
  it('of a customer: the mail sets a new one, once, and ends the sessions', async () => {
    const customer = await shop.a.customer();
    const asked = await shop.a.guest.post('/api/auth/forgot-password', { email: customer.email });
    const unknown = await shop.a.guest.post('/api/auth/forgot-password', { email: fresh() });
    expect(asked).toMatchObject({ status: 202, body: { status: 'accepted' } });
    expect(asked.text).toBe(unknown.text);
    await shop.settled();
    const token = await mailedToken(shop, customer.email, 'identity.reset');
    expect((await shop.a.guest.post('/api/auth/verify-email', { token })).status).toBe(410);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => shop.a.guest.post('/api/auth/reset-password', { token, password: other })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 410, 410, 410, 410]);
    expect((await customer.get('/api/auth/me')).status).toBe(401);
    expect((await shop.a.guest.post('/api/auth/login', { email: customer.email, password })).status).toBe(401);
    expect((await login(shop.a, { email: customer.email, password: other })).user.email).toBe(customer.email);
    const [row] = await shop.rows<{ email_verified_at: Date | null }>(
      'select email_verified_at from customers_customer where id = $1',
      [customer.customerId],
    );
    expect(row?.email_verified_at).not.toBeNull();
  });

  it('of staff and operators: the account has it, in every tenant', async () => {
    const { email } = await addStaff(shop.a, [await roleId(shop.a, 'staff')]);
    const before = await login(shop.a, { email, audience: 'admin' });
    await shop.a.guest.post('/api/auth/forgot-password', { email, audience: 'admin' });
    await shop.a.guest.post('/api/auth/forgot-password', { email: 'operator@test.example', audience: 'super-admin' });
    await shop.settled();
    const token = await mailedToken(shop, email, 'identity.reset');
    expect((await shop.a.guest.post('/api/auth/reset-password', { token, password: other })).status).toBe(204);
    expect((await shop.a.guest.with(bearer(before.accessToken)).get('/api/auth/me')).status).toBe(401);
    await login(shop.a, { email, password: other, audience: 'admin' });
    const operatorToken = await mailedToken(shop, 'operator@test.example', 'identity.reset');
    expect((await shop.a.guest.post('/api/auth/reset-password', { token: operatorToken, password: other })).status).toBe(204);
    await login(shop.a, { email: 'operator@test.example', password: other, audience: 'super-admin' });
  });

  it('the link is made from the tenant, never from the request', async () => {
    const { email } = await shop.a.customer();
    await shop.a.guest
      .with({ 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' })
      .post('/api/auth/forgot-password', { email });
    await shop.settled();
    expect((await mailedLink(shop, email, 'identity.reset')).host).toBe(shop.a.host);
  });

  it('an older link is worthless after a newer one, and every link after an hour', async () => {
    const { email } = await shop.a.customer();
    const ask = async () => {
      await shop.a.guest.post('/api/auth/forgot-password', { email });
      await shop.settled();
      return mailedToken(shop, email, 'identity.reset');
    };
    const older = await ask();
    const newer = await ask();
    expect((await shop.a.guest.post('/api/auth/reset-password', { token: older, password: other })).status).toBe(410);
    shop.clock.advance(3_601_000);
    expect((await shop.a.guest.post('/api/auth/reset-password', { token: newer, password: other })).status).toBe(410);
  });

  it('what is no token is expired', async () => {
    const answers = await Promise.all(
      [
        'x',
        'c.x',
        `c${'A'.repeat(22)}.${'A'.repeat(43)}`,
        `a${'A'.repeat(22)}.${'A'.repeat(43)}`,
        `u${'_'.repeat(22)}.${'A'.repeat(43)}`,
      ].map((token) => shop.a.guest.post('/api/auth/reset-password', { token, password: other })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([410]));
    expect(new Set(answers.map(({ body }) => JSON.stringify(plain(body)))).size).toBe(1);
  });
});
