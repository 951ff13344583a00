import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fresh, login, mailedToken, password } from '../../test/clients.ts';
import {
  begin,
  cookiesOf,
  type IdentityProvider,
  type SocialShop,
  signedInBy,
  signInThrough,
  socialShop,
} from '../../test/identity-provider.ts';
import { erasePerson, exportPerson } from '../people.ts';

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

describe('an account that is there', () => {
  const error = (answer: { headers: Record<string, unknown> }) =>
    new URL(String(answer.headers.location)).searchParams.get('error');

  it('is linked by its address if both have verified it; the password stays, and the owner is notified', async () => {
    const { email, customerId } = await shop.a.customer();
    const token = await mailedToken(shop, email, 'identity.verify');
    await shop.a.guest.post('/api/auth/verify-email', { token });
    expect((await signedInBy(shop.a, await through(person(a, email))))?.id).toBe(customerId);
    await login(shop.a, { email });
    await shop.settled();
    expect(
      (await shop.mails()).filter(({ to, template }) => to === email && template === 'identity.identityLinked'),
    ).toHaveLength(1);
  });

  it.each([undefined, false])('is not linked where the provider does not vouch for the address (%s)', async (verified) => {
    const customer = await shop.a.customer();
    await shop.a.guest.post('/api/auth/verify-email', { token: await mailedToken(shop, customer.email, 'identity.verify') });
    const subject = person(a, customer.email);
    a.people.set(subject, { email: customer.email, ...(verified === undefined ? {} : { email_verified: verified }) });
    const answer = await through(subject);
    expect(error(answer)).toBe('email_unverified');
    expect(await signedInBy(shop.a, answer)).toBeUndefined();
    expect(await shop.rows('select id from identity_external_identity where subject = $1', [subject])).toEqual([]);
    expect((await customer.get('/api/auth/me')).status).toBe(200);
  });

  it('nor is anybody made without a verified address', async () => {
    for (const subject of [
      person(a, undefined),
      person(a, fresh('unknown'), false),
      person(a, 'unknown'),
      person(a, '"unknown" <x@y>'),
    ])
      expect(error(await through(subject))).toBe('email_unverified');
    expect(await shop.rows("select id from customers_customer where email like 'unknown%'")).toEqual([]);
  });

  it('with an unverified address goes to the verified owner: its password, sessions and links could be an intruder’s', async () => {
    const stranger = await shop.a.customer(fresh('squatted'));
    const answer = await through(person(a, stranger.email));
    expect((await signedInBy(shop.a, answer))?.id).toBe(stranger.customerId);
    expect((await stranger.get('/api/auth/me')).status).toBe(401);
    expect((await shop.a.guest.post('/api/auth/login', { email: stranger.email, password })).status).toBe(401);
    expect(await customerRow(stranger.email)).toMatchObject({ verified: true, password: false });
    // The stranger's mail of registration is worthless.
    const token = await mailedToken(shop, stranger.email, 'identity.verify');
    expect((await shop.a.guest.post('/api/auth/verify-email', { token })).status).toBe(410);
  });

  it('that is disabled rejects every sign-in', async () => {
    const email = fresh('blocked');
    const subject = person(a, email);
    await through(subject);
    await shop.rows("update customers_customer set status = 'disabled' where email = $1", [email]);
    expect(error(await through(subject))).toBe('account_disabled');
    expect(error(await through(person(b, email), '/api/auth/idp-b', b))).toBe('account_disabled');
  });

  it('loses its links with a new password, and on erasure', async () => {
    const email = fresh('reset');
    const subject = person(a, email);
    const user = await signedInBy(shop.a, await through(subject));
    const links = () => shop.rows('select id from identity_external_identity where customer_id = $1', [user?.id]);
    expect(await links()).toHaveLength(1);
    await shop.a.guest.post('/api/auth/forgot-password', { email });
    await shop.a.guest.post('/api/auth/reset-password', { token: await mailedToken(shop, email, 'identity.reset'), password });
    expect(await links()).toEqual([]);
    expect((await signedInBy(shop.a, await through(subject)))?.id).toBe(user?.id);
    const who = { customerId: user?.id as string, emails: [email], phones: [] };
    const exported = await shop.a.run('identity', async (ctx) => exportPerson(ctx, who));
    expect(JSON.stringify(exported)).toContain(subject);
    await shop.a.run('identity', async (ctx) => erasePerson(ctx, { ...who, report: () => undefined }));
    expect(await links()).toEqual([]);
  });
});

describe('linking while signed in', () => {
  const same = { 'sec-fetch-site': 'same-origin' };
  const signedIn = async (verified = true) => {
    const customer = await shop.a.customer(fresh('linker'));
    if (verified)
      await shop.a.guest.post('/api/auth/verify-email', { token: await mailedToken(shop, customer.email, 'identity.verify') });
    const opened = await shop.a.guest.post('/api/auth/login', { email: customer.email, password });
    return {
      ...customer,
      email: customer.email,
      id: customer.customerId,
      browser: shop.a.guest.with({ ...same, cookie: String(opened.headers['set-cookie']).split(';')[0] as string }),
    };
  };
  const path = '/api/auth/idp-a?link=true&returnTo=/account';
  const linksOf = (id: string) => shop.rows('select subject from identity_external_identity where customer_id = $1', [id]);

  it('takes any address, also one that the provider does not vouch for', async () => {
    const { id, browser } = await signedIn();
    const subject = person(a, fresh('elsewhere'), false);
    const answer = await signInThrough(await begin(browser, path), a, subject);
    expect(answer.headers.location).toBe(`http://${shop.a.host}/account`);
    expect(cookiesOf(answer).has('storeloom_session')).toBe(false);
    expect((await signedInBy(shop.a, await through(subject)))?.id).toBe(id);
    // A second time is the same.
    await signInThrough(await begin(browser, path), a, subject);
    expect(await linksOf(id)).toEqual([{ subject }]);
  });

  it('begins on a page of the shop, by who is signed in', async () => {
    const { browser } = await signedIn();
    for (const site of ['cross-site', 'same-site', 'none'])
      expect((await browser.with({ 'sec-fetch-site': site }).get(path)).body.code).toBe('csrf_failed');
    expect((await shop.a.guest.get(path)).body.code).toBe('csrf_failed');
    expect((await shop.a.guest.with(same).get(path)).status).toBe(401);
  });

  it('needs a verified address, a session that still stands, and an identity that is free', async () => {
    const failed = (answer: { headers: Record<string, unknown> }) =>
      new URL(String(answer.headers.location)).searchParams.get('error');
    const unverified = await signedIn(false);
    expect(failed(await signInThrough(await begin(unverified.browser, path), a, person(a, fresh())))).toBe('email_unverified');
    expect(await linksOf(unverified.id)).toEqual([]);
    const gone = await signedIn();
    const begun = await begin(gone.browser, path);
    await shop.rows('update identity_session set revoked_at = now() where subject_id = $1', [gone.id]);
    expect(failed(await signInThrough(begun, a, person(a, fresh())))).toBe('session_over');
    const taken = person(a, fresh('taken'));
    await through(taken);
    const late = await signedIn();
    expect(failed(await signInThrough(await begin(late.browser, path), a, taken))).toBe('identity_taken');
    expect(await linksOf(late.id)).toEqual([]);
  });
});
