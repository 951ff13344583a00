import { type TestShop, type TestTenant, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { protectedStaff } from '../../test/authenticator.ts';
import { bearer, fresh, login, mailedToken, roleId } from '../../test/clients.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['identity'] });
});
afterAll(() => shop?.stop());

const chosen = 'the password of the real person';
async function inviteTo(tenant: TestTenant, email: string): Promise<{ id: string; token: string }> {
  const made = await tenant.admin.post<{ id: string; invitation: { token: string } }>('/api/admin/rbac/users', {
    email,
    name: 'Real Person',
    roleIds: [await roleId(tenant, 'staff')],
  });
  expect(made.status, made.text).toBe(201);
  return { id: made.body.id, token: made.body.invitation.token };
}
const reset = (token: string, password = chosen) => shop.a.guest.post('/api/auth/reset-password', { token, password });
const signIn = (email: string, password = chosen, tenant?: string) =>
  shop.a.guest.post<{ accessToken: string; code?: string }>('/api/auth/login', {
    email,
    password,
    audience: 'admin',
    ...(tenant === undefined ? {} : { tenant }),
  });

describe('the first secret of an account', () => {
  it('is never set by the token in the response to an invitation, also by parallel attempts', async () => {
    const email = fresh('stranger');
    const { token } = await inviteTo(shop.a, email);
    const answers = await Promise.all(Array.from({ length: 8 }, () => reset(token, 'the password of the inviter')));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 410));
    expect((await signIn(email, 'the password of the inviter')).status).toBe(401);
    // Refused attempts use up neither token: the person of the mailbox joins.
    expect((await reset(await mailedToken(shop, email, 'identity.invitation'))).status).toBe(204);
    expect((await signIn(email)).status).toBe(200);
  });

  it('belongs to the person of the mailbox, whose first proof removes what another person has set', async () => {
    const email = fresh('victim');
    // Another person has the account of the address, with a password and a second factor, and hasn't proven the mailbox.
    const { app } = await protectedStaff(shop, shop.a, email);
    const before = await login(shop.a, { email, audience: 'admin', otp: app.next() });
    const intruder = shop.a.guest.with(bearer(before.accessToken));
    expect((await intruder.get('/api/auth/me')).status).toBe(200);
    const { token } = await inviteTo(shop.b, email);
    expect((await reset(token)).status).toBe(410);
    expect((await reset(await mailedToken(shop, email, 'identity.invitation'))).status).toBe(204);
    expect((await intruder.get('/api/auth/me')).status).toBe(401);
    expect((await signIn(email, 'correct horse battery staple', 'b')).status).toBe(401);
    const session = await signIn(email, chosen, 'b');
    expect([session.status, session.body.code]).toEqual([200, undefined]);
  });

  it('a forgotten password proves the mailbox too: the second factor goes the first time, and stays afterwards', async () => {
    const email = fresh('forgetful');
    await protectedStaff(shop, shop.a, email);
    expect((await signIn(email, 'correct horse battery staple')).body.code).toBe('two_factor_required');
    const forgot = async (password: string): Promise<void> => {
      expect((await shop.a.guest.post('/api/auth/forgot-password', { email, audience: 'admin' })).status).toBe(202);
      expect((await reset(await mailedToken(shop, email, 'identity.reset'), password)).status).toBe(204);
    };
    await forgot(chosen);
    expect((await signIn(email)).status).toBe(200);
    // With a factor that the proven person sets up, a reset keeps it.
    await shop.rows("update identity_account set totp_secret = 'sealed', totp_enabled_at = now() where email = $1", [email]);
    await forgot('another password of that person');
    expect((await signIn(email, 'another password of that person')).body.code).toBe('two_factor_required');
  });
});
