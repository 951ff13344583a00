import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fresh, login, mailedToken, password } from '../../test/clients.ts';
import {
  begin,
  configure,
  cookiesOf,
  type IdentityProvider,
  type SocialShop,
  signedInBy,
  signInThrough,
  socialShop,
} from '../../test/identity-provider.ts';

let social: SocialShop;
let shop: TestShop;
let a: IdentityProvider;
let b: IdentityProvider;
beforeAll(async () => {
  social = await socialShop();
  ({ shop, a, b } = social);
});
afterAll(() => social?.stop());

const person: SocialShop['person'] = (...given) => social.person(...given);
const through: SocialShop['through'] = (...given) => social.through(...given);
const customerRow: SocialShop['customerRow'] = (...given) => social.customerRow(...given);

describe('a new customer', () => {
  it.each([
    ['idp-a', 'client_secret_basic, claims in the ID token'],
    ['idp-b', 'client_secret_post, claims asked for'],
  ] as const)('of %s (%s) is made, verified, without a password, and comes back', async (provider, _kind) => {
    const op = provider === 'idp-a' ? a : b;
    const email = fresh('social');
    const subject = person(op, email.toUpperCase());
    const begun = await begin(shop.a.guest, `/api/auth/${provider}?returnTo=/account%3Ftab=orders`);
    const asked = new URL(begun.location).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `http://${shop.a.host}/api/auth/${provider}/callback`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(String(begun.answer.headers['set-cookie'])).toMatch(
      /^storeloom_idp=\S+; Path=\/api; HttpOnly; SameSite=Lax; Max-Age=600$/,
    );
    const answer = await signInThrough(begun, op, subject);
    expect(answer.status, answer.text).toBe(302);
    expect(answer.headers.location).toBe(`http://${shop.a.host}/account?tab=orders`);
    expect(cookiesOf(answer).get('storeloom_idp')).toBe('');
    const user = await signedInBy(shop.a, answer);
    expect(user).toMatchObject({ email });
    expect(await customerRow(email)).toMatchObject({ id: user?.id, verified: true, password: false, first_name: 'Ana' });
    expect((await shop.a.guest.post('/api/auth/login', { email, password: 'null' })).status).toBe(401);
    // Again, and under the versioned path; another address at the provider changes nothing.
    op.people.set(subject, { email: fresh('other'), email_verified: true });
    expect(await signedInBy(shop.a, await through(subject, `/api/v1/auth/${provider}`, op))).toEqual(user);
    expect(await shop.rows('select id from identity_external_identity where customer_id = $1', [user?.id])).toHaveLength(1);
  });

  it('may set a password by mail', async () => {
    const email = fresh('social');
    await through(person(a, email));
    await shop.a.guest.post('/api/auth/forgot-password', { email });
    const token = await mailedToken(shop, email, 'identity.reset');
    expect((await shop.a.guest.post('/api/auth/reset-password', { token, password })).status).toBe(204);
    expect((await login(shop.a, { email })).user.email).toBe(email);
  });

  it('ten simultaneous sign-ins with one identity create one customer and one link', async () => {
    const email = fresh('racer');
    const subject = person(a, email);
    const ready = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const begun = await begin(shop.a.guest, '/api/auth/idp-a');
        return { ...begun, back: await a.visit(begun.location, subject) };
      }),
    );
    const answers = await Promise.all(ready.map(({ browser, back }) => browser.get(`${back.pathname}${back.search}`)));
    const users = await Promise.all(answers.map((answer) => signedInBy(shop.a, answer)));
    expect(new Set(users.map((user) => user?.id)).size).toBe(1);
    expect(users[0]?.email).toBe(email);
    expect(await shop.rows('select id from identity_external_identity where subject = $1', [subject])).toHaveLength(1);
  });

  it('is a customer of this shop only', async () => {
    const email = fresh('two');
    const subject = person(a, email);
    const here = await signedInBy(shop.a, await through(subject));
    const there = await signedInBy(shop.b, await through(subject, '/api/auth/idp-a', a, shop.b));
    expect(here?.id).not.toBe(there?.id);
    expect(there?.email).toBe(email);
  });
});

describe('what must not work', () => {
  it('coming back without having set out here', async () => {
    const subject = person(a, fresh());
    const mine = await begin(shop.a.guest, '/api/auth/idp-a');
    const back = await a.visit(mine.location, subject);
    const path = `${back.pathname}${back.search}`;
    const other = await begin(shop.a.guest, '/api/auth/idp-a');
    const refused = async (
      client: { get(path: string): Promise<{ status: number; body: Record<string, unknown>; headers: Record<string, unknown> }> },
      at = path,
    ) => {
      const answer = await client.get(at);
      expect([answer.status, answer.body.code, answer.headers['set-cookie']]).toEqual([400, 'invalid_parameter', undefined]);
    };
    await refused(shop.a.guest);
    await refused(other.browser);
    await refused(mine.browser, path.replace('idp-a', 'idp-b'));
    await refused(mine.browser, `${back.pathname}?code=${back.searchParams.get('code')}`);
    await refused(mine.browser, path.replace(/state=[^&]+/, 'state=x'));
    await refused(mine.browser.with({ host: shop.b.host }));
    await refused(shop.a.guest.with({ cookie: 'storeloom_idp=x' }));
    const sealed = await shop.a.run('identity', async (ctx) => ctx.seal('{"state":"x"}'));
    await refused(shop.a.guest.with({ cookie: `storeloom_idp=${sealed}` }));
    shop.clock.advance(601_000);
    await refused(mine.browser);
  });

  it('another’s code, a code twice, another nonce, a code without its verifier', async () => {
    const failed = (answer: { status: number; headers: Record<string, unknown> }) => {
      expect(answer.status).toBe(302);
      expect(new URL(String(answer.headers.location)).searchParams.get('error')).toBe('provider_failed');
      expect(String(answer.headers['set-cookie'])).not.toContain('storeloom_session');
    };
    const victim = await begin(shop.a.guest, '/api/auth/idp-a');
    const attacker = await begin(shop.a.guest, '/api/auth/idp-a');
    const attackers = await a.visit(attacker.location, person(a, fresh()));
    const state = new URL(victim.location).searchParams.get('state');
    failed(
      await victim.browser.get(
        `/api/auth/idp-a/callback?code=${attackers.searchParams.get('code')}&state=${state}&iss=${encodeURIComponent(a.issuer)}`,
      ),
    );
    const back = await a.visit(victim.location, person(a, fresh()));
    failed(
      await victim.browser.get(
        `${back.pathname}${back.search.replace(encodeURIComponent(a.issuer), encodeURIComponent('https://evil.example'))}`,
      ),
    );
    const third = await begin(shop.a.guest, '/api/auth/idp-a');
    const ours = await a.visit(third.location, person(a, fresh()));
    expect((await third.browser.get(`${ours.pathname}${ours.search}`)).headers.location).toBe(`http://${shop.a.host}/`);
    failed(await third.browser.get(`${ours.pathname}${ours.search}`));
    for (const member of ['nonce', 'verifier'] as const) {
      const begun = await begin(shop.a.guest, '/api/auth/idp-a');
      const changed = await shop.a.run('identity', async (ctx) => {
        const attempt = JSON.parse(ctx.unseal(cookiesOf(begun.answer).get('storeloom_idp') as string)) as Record<string, string>;
        return ctx.seal(JSON.stringify({ ...attempt, [member]: 'x'.repeat(43) }));
      });
      const way = await a.visit(begun.location, person(a, fresh()));
      failed(await shop.a.guest.with({ cookie: `storeloom_idp=${changed}` }).get(`${way.pathname}${way.search}`));
    }
  });

  it('who says no at the provider comes back signed out', async () => {
    const answer = await through(null);
    expect(answer.headers.location).toBe(`http://${shop.a.host}/?error=access_denied`);
    expect(await signedInBy(shop.a, answer)).toBeUndefined();
  });

  it('being sent to another site', async () => {
    for (const path of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      'evil',
      '',
      'javascript:alert(1)',
      '/a\nb',
      '///evil.example',
      '/%0d%0aset-cookie:x',
      '/%2f%2fevil.example',
    ]) {
      const answer = await shop.a.guest.get(`/api/auth/idp-a?returnTo=${encodeURIComponent(path)}`);
      if (answer.status === 302) {
        // What is left is a path of this shop.
        const done = await signInThrough(
          await begin(shop.a.guest, `/api/auth/idp-a?returnTo=${encodeURIComponent(path)}`),
          a,
          person(a, fresh()),
        );
        expect(new URL(String(done.headers.location)).origin, path).toBe(`http://${shop.a.host}`);
        expect(path.startsWith('/%')).toBe(true);
      } else expect([400, 'invalid_parameter'], path).toEqual([answer.status, answer.body.code]);
    }
  });

  it('a shop without a provider, a host without a shop, a provider that is away or inside', async () => {
    expect(await shop.b.guest.get('/api/auth/idp-b')).toMatchObject({
      status: 501,
      body: { code: 'provider_not_configured', provider: 'idp-b' },
    });
    expect((await shop.b.guest.get('/api/auth/idp-b/callback?state=x')).status).toBe(400);
    expect((await shop.a.guest.with({ host: 'nowhere.localhost' }).get('/api/auth/idp-a')).body.code).toBe('tenant_not_found');
    for (const issuer of ['http://127.0.0.1:9', 'https://169.254.169.254/latest', 'https://10.0.0.1', 'http://nowhere.invalid']) {
      await configure(shop.b, 'idp-b', { issuer, clientSecret: 'secret' });
      expect(await shop.b.guest.get('/api/auth/idp-b'), issuer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    }
  });

  it('reading the secret', async () => {
    const settings = await shop.a.admin.get('/api/admin/plugins/identity/settings');
    expect(settings.status).toBe(200);
    expect(settings.text).toContain(a.issuer);
    expect(settings.text).not.toContain(a.clientSecret);
  });
});
