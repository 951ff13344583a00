import { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { patiently, sentMails, type TestClient, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issue as issueBy, issuingShop, signedIn, terms } from '../../test/issuer.ts';
import { licenceJob } from './watch.ts';

const day = 86_400_000;
const start = '2026-11-27T12:00:00.000Z';
let issuer: TestShop;
let client: TestShop;
beforeAll(async () => {
  const made = await issuingShop({ now: start });
  issuer = made.issuer;
  client = await testShop({ plugins: ['example-hello'], processes: 2, now: start, licenceIssuer: made.trusted });
  await signIn();
});
afterAll(async () => {
  await client?.stop();
  await issuer?.stop();
});

const path = '/api/admin/license/';
const installation = () => client.prepared.dataDir.secrets.installation;
let owner: TestClient;
let operator: TestClient;
/** The operator of the client's installation. */
let clientOperator: TestClient;
async function signIn(): Promise<void> {
  ({ owner, operator: clientOperator } = await signedIn(client));
  ({ operator } = await signedIn(issuer));
}
const issue = (change: object = {}) => issueBy(issuer, change, operator);
async function advance(ms: number): Promise<void> {
  client.clock.advance(ms);
  issuer.clock.advance(ms);
  await signIn();
}
const activate = (key: string) => owner.post(`${path}activate`, { key });
const state = async () => (await owner.get<{ state: string }>(path)).body.state;
const events = async (licenseId: string) =>
  (
    await operator.get<{ data: { type: string; installation: string | null }[] }>(
      `/api/super-admin/license-events?licenseId=${licenseId}&sort=at&limit=100`,
    )
  ).body.data.map(({ type }) => type);
const seats = async (id: string) =>
  (await operator.get<{ data: { activations: number }[] }>(`/api/super-admin/licenses?id=${id}`)).body.data[0]?.activations;
/** What the cron does each hour. */
const tend = () => client.kernel.asPlatform('platform', (ctx) => licenceJob.run(ctx, {}));
const notices = async () =>
  (
    await client.rows<{ title: { en: string } }>(
      "select distinct title, created_at from workspace_notification where type = 'platform.license' order by created_at",
    )
  ).map(({ title }) => title.en);

describe('a licence, between the installation that issues it and the one that runs under it', () => {
  it('is issued with a key that is mailed, activated, given back, and activated again', async () => {
    const licence = await issue();
    expect(licence.key).toMatch(/^SL(-[0-9A-HJKMNP-TV-Z]{5}){6}$/);
    // A retry with its key makes no second one.
    const again = () => operator.post('/api/super-admin/licenses/issue', terms(issuer), { 'idempotency-key': 'issue-it-once' });
    const [first201, replayed] = [await again(), await again()];
    expect([first201.status, replayed.status, replayed.body]).toEqual([201, 201, first201.body]);
    for (const bad of [
      { expiresAt: '2020-01-01T00:00:00Z' },
      { expiresAt: '2030-01-01T00:00:00' },
      { plugins: { catalog: 'banana' } },
      { plugins: { '__proto__x y': '*' } },
      { limits: { tenants: -1 } },
      { maxActivations: 0 },
      { env: 'test' },
      { customerEmail: 'nobody' },
      { jti: 'x' },
    ])
      expect((await operator.post('/api/super-admin/licenses/issue', terms(issuer, bad))).status, JSON.stringify(bad)).toBe(422);
    for (const licenseId of ['x', crypto.randomUUID()])
      for (const route of ['revoke', 'resend-email'])
        expect(
          await operator.post(`/api/super-admin/licenses/${route}`, {
            licenseId,
            ...(route === 'revoke' ? { reason: 'r' } : {}),
          }),
        ).toMatchObject({ status: 404, body: { errors: [{ pointer: '/licenseId' }] } });
    expect((await operator.post('/api/super-admin/licenses/resend-email', { licenseId: licence.id })).status).toBe(202);
    await issuer.settled();
    expect((await issuer.mails()).filter(({ template }) => template === 'platform.licence')).toHaveLength(3);
    const mail = (await issuer.mails()).find(({ template }) => template === 'platform.licence');
    expect(mail).toMatchObject({ to: 'agency@customer.example' });
    expect(sentMails(issuer)).toContain(licence.key);

    const first = await activate(`  ${licence.key.toLowerCase()}\n`);
    expect(first.status, first.text).toBe(200);
    expect(first.body).toMatchObject({
      state: 'valid',
      plan: 'agency',
      plugins: { '*': '*' },
      limits: { tenants: 5, seats: 1 },
      keyMasked: `••••${licence.key.slice(-4)}`,
      lastHeartbeatAt: start,
      installation: installation(),
    });
    // The other process is notified, and the same installation takes no second seat.
    for (const base of client.bases)
      await expect.poll(async () => (await owner.at(base).get<{ plan: string }>(path)).body.plan).toBe('agency');
    expect((await activate(licence.key)).status).toBe(200);
    expect(await seats(licence.id)).toBe(1);
    expect(await events(licence.id)).toEqual(['issued', 'mailed', 'activated']);

    const given = await owner.post(`${path}deactivate`);
    expect(given.body).toMatchObject({ plan: 'development', keyMasked: null });
    expect(await seats(licence.id)).toBe(0);
    expect((await activate(licence.key)).body).toMatchObject({ plan: 'agency' });
    expect(await events(licence.id)).toEqual(['issued', 'mailed', 'activated', 'deactivated', 'activated']);
  });

  it('is kept by owners of the operator’s shop only, and written to the audit log without its key', async () => {
    const licence = await issue();
    for (const action of ['activate', 'heartbeat', 'deactivate'])
      expect(
        await client.b.admin.post(`${path}${action}`, action === 'activate' ? { key: licence.key } : undefined),
      ).toMatchObject({
        status: 403,
        body: { code: 'forbidden' },
      });
    const reader = await client.a.staff(['platform.license.read']);
    expect((await reader.get(path)).status).toBe(200);
    expect((await reader.post(`${path}deactivate`)).status).toBe(403);
    await activate(licence.key);
    const rows = await client.rows<{ changes: unknown }>(
      "select changes from core_audit where action = 'platform.license.activate'",
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(licence.key);
    // At rest it is sealed on both sides.
    expect(JSON.stringify(await client.rows("select value from core_installation where key = 'licence'"))).not.toContain(
      licence.key,
    );
    expect(JSON.stringify(await issuer.rows('select * from platform_license'))).not.toContain(licence.key);
  });

  it('fifty simultaneous installations on five seats: five', async () => {
    const licence = await issue({ maxActivations: 5 });
    const ask = (name: string) =>
      patiently(
        () =>
          issuer.a.guest.post<{ answer: string; code?: string }>('/api/licensing/activate', {
            key: licence.key,
            installation: name,
            nonce: 'a-nonce-of-this-test',
            env: 'development',
          }),
        { busy: true },
      );
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => ask(`installation-${i}`)));
    const said = answers.map(({ status, body }) => {
      expect(status).toBe(200);
      return claimsOf(body.answer).answer;
    });
    expect(said.filter((answer) => answer === 'valid')).toHaveLength(5);
    expect(said.filter((answer) => answer === 'too_many_activations')).toHaveLength(45);
    expect(await seats(licence.id)).toBe(5);
    expect(await activate(licence.key)).toMatchObject({ status: 409, body: { code: 'activation_limit' } });
    // Fifty simultaneous requests of one installation for one seat.
    const single = await issue();
    const same = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        patiently(() => owner.at(client.bases[i % 2] as string).post(`${path}activate`, { key: single.key }), { busy: true }),
      ),
    );
    expect(new Set(same.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await seats(single.id)).toBe(1);
  });

  it('refusals have their own messages, and leave the licence that is held', async () => {
    const held = await issue();
    await activate(held.key);
    const other = await issue({ env: 'staging' });
    expect(await activate(other.key)).toMatchObject({
      status: 403,
      body: { code: 'license_required', reason: 'wrong_environment' },
    });
    const foreign = await issue({ fingerprint: ['0'.repeat(64)] });
    expect(await activate(foreign.key)).toMatchObject({ status: 403, body: { reason: 'fingerprint_mismatch' } });
    const gone = await issue();
    await operator.post('/api/super-admin/licenses/revoke', { licenseId: gone.id, reason: 'not paid' });
    expect(await activate(gone.key)).toMatchObject({ status: 403, body: { reason: 'suspended' } });
    for (const key of ['SL-AAAAA', 'a.b.c', `${'x'.repeat(40)}.${'y'.repeat(40)}.${'z'.repeat(86)}`])
      expect(await activate(key)).toMatchObject({ status: 422, body: { errors: [{ pointer: '/key' }] } });
    expect((await owner.get(path)).body).toMatchObject({ state: 'valid', keyMasked: `••••${held.key.slice(-4)}` });
    expect((await events(other.id)).at(-1)).toBe('refused');
  });

  it('stays when the machine is renamed: it is the installation’s, with the same seat and the next certificate', async () => {
    const licence = await issue();
    await activate(licence.key);
    await renamed(async () => {
      expect((await owner.post(`${path}heartbeat`)).body).toMatchObject({ state: 'valid', plan: 'agency' });
      expect((await activate(licence.key)).body).toMatchObject({ state: 'valid', installation: installation() });
      await advance(25 * day);
      await tend();
      expect((await owner.get(path)).body).toMatchObject({ state: 'valid', lastHeartbeatAt: client.clock.now() });
    });
    expect(await seats(licence.id)).toBe(1);
    expect((await events(licence.id)).filter((type) => type !== 'mailed')).toEqual(['issued', 'activated', 'renewed']);
    // A licence for specific machines is refused to others, and never expires for the machine it is bound to.
    const bound = await issue({ fingerprint: [createHash('sha256').update(os.hostname()).digest('hex')] });
    expect((await activate(bound.key)).status).toBe(200);
    await renamed(async () => {
      expect(await activate(bound.key)).toMatchObject({ status: 403, body: { reason: 'fingerprint_mismatch' } });
      expect((await owner.post(`${path}heartbeat`)).body).toMatchObject({ state: 'valid' });
    });
    expect((await owner.post(`${path}heartbeat`)).body).toMatchObject({ state: 'valid' });
  });

  it('stays when a shop’s hosts are renamed; its domains judge hosts that are added, and end nothing', async () => {
    const licence = await issue({ domains: ['brand.example'] });
    await activate(licence.key);
    const { b } = client;
    const before = [b.host];
    const rename = (hosts: string[]) => clientOperator.patch(`/api/super-admin/tenants/${b.id}`, { hosts });
    const served = async (host: string) => (await b.guest.with({ host }).get('/api/storefront/example-hello/')).status;
    const licensed = async () => {
      expect((await owner.post(`${path}heartbeat`)).body).toMatchObject({ state: 'valid', domains: ['brand.example'] });
      expect(await seats(licence.id)).toBe(1);
    };
    for (const hosts of [['www.brand.example'], ['shop.brand.example', 'brand.example']]) {
      expect((await rename(hosts)).status).toBe(200);
      for (const host of hosts) expect(await served(host)).toBe(200);
      expect(await served(b.host)).toBe(404);
      await licensed();
    }
    expect(await rename(['elsewhere.example'])).toMatchObject({ status: 403, body: { code: 'license_required' } });
    await licensed();
    // Come by another way, as with a backup of another installation: it sells, and the licence goes on.
    await client.rows("update core_host set host = 'elsewhere.example' where host = 'shop.brand.example'");
    await clientOperator.patch(`/api/super-admin/tenants/${b.id}`, { name: 'Moved' });
    await expect.poll(() => served('elsewhere.example')).toBe(200);
    await licensed();
    expect((await rename(before)).status).toBe(200);
  });

  it('its certificate is renewed before it ends, and revoking is felt by every process', async () => {
    const licence = await issue();
    await activate(licence.key);
    const certificate = () => client.prepared.licence.claims?.exp as number;
    const before = certificate();
    await advance(day);
    await tend();
    expect(certificate()).toBe(before);
    await advance(20 * day);
    await tend();
    expect(certificate()).toBeGreaterThan(before);
    expect(await events(licence.id)).toEqual(['issued', 'activated', 'renewed']);

    const revoked = await operator.post('/api/super-admin/licenses/revoke', {
      licenseId: licence.id,
      reason: 'charged back',
    });
    expect(revoked.body).toMatchObject({ revokedReason: 'charged back' });
    expect(
      (await operator.post('/api/super-admin/licenses/revoke', { licenseId: licence.id, reason: 'again' })).body,
    ).toMatchObject({
      revokedReason: 'charged back',
      version: revoked.body.version,
    });
    expect(await operator.post('/api/super-admin/licenses/resend-email', { licenseId: licence.id })).toMatchObject({
      status: 422,
    });
    const heartbeat = await owner.post(`${path}heartbeat`);
    expect(heartbeat.body).toMatchObject({ state: 'revoked' });
    for (const base of client.bases)
      await expect.poll(async () => (await owner.at(base).get<{ state: string }>(path)).body.state).toBe('revoked');
    // What runs goes on; nothing more is taken.
    expect((await client.a.guest.get('/api/storefront/example-hello/')).status).toBe(200);
    const plan = await clientOperator.post<{ id: string }>('/api/super-admin/plans', {
      code: `p${client.clock.ms()}`,
      name: 'P',
    });
    expect(
      await clientOperator.post('/api/super-admin/tenants', {
        name: 'New',
        slug: 'new',
        hosts: ['new.localhost'],
        planId: plan.body.id,
        ownerEmail: 'o@new.example',
      }),
    ).toMatchObject({ status: 403, body: { code: 'license_required' } });
  });

  it('a server that is away costs nothing for the grace, then the documented mode; an answer heals it', async () => {
    const licence = await issue({ heartbeat: { interval: 86_400, maxOffline: 0 } });
    await activate(licence.key);
    expect(await state()).toBe('valid');
    const away = await withoutServer(async () => {
      client.clock.advance(2 * day);
      await signIn();
      await tend();
      const after = await state();
      client.clock.advance(12.9 * day);
      await signIn();
      await tend();
      const late = await state();
      client.clock.advance(1.2 * day);
      await signIn();
      const over = await state();
      expect((await client.a.guest.get('/api/storefront/example-hello/')).status).toBe(200);
      expect((await owner.get('/api/admin/plugins/')).status).toBe(200);
      return [after, late, over];
    });
    expect(away).toEqual(['grace', 'grace', 'expired']);
    // Staff of the operator's shop are notified of each change once.
    await tend();
    expect((await notices()).filter((title) => title === 'The licence is in its grace period')).toHaveLength(1);
    issuer.clock.advance(16.1 * day);
    await signIn();
    await tend();
    expect(await state()).toBe('valid');
  });

  it('an edited record is not trusted, and the next response repairs it', async () => {
    const licence = await issue();
    await activate(licence.key);
    await client.rows(
      `update core_installation set value = jsonb_set(value, '{body,latestSeen}', '"2020-01-01T00:00:00.000Z"') where key = 'licence'`,
    );
    await client.rows("select pg_notify('storeloom_licence', '')");
    await expect.poll(state).toBe('grace');
    await withoutServer(() => tend());
    expect(await state()).toBe('grace');
    expect((await client.a.guest.get('/api/storefront/example-hello/')).status).toBe(200);
    expect((await owner.post(`${path}heartbeat`)).body).toMatchObject({ state: 'valid', plan: 'agency' });
  });

  it('is deactivated while the server is unreachable, which is notified later', async () => {
    const licence = await issue();
    await activate(licence.key);
    await withoutServer(async () => {
      expect((await owner.post(`${path}heartbeat`)).status).toBe(503);
      expect(await owner.post(`${path}deactivate`)).toMatchObject({ status: 200, body: { plan: 'development' } });
    });
    expect(await seats(licence.id)).toBe(1);
    await tend();
    expect(await seats(licence.id)).toBe(0);
  });

  it('a seat that is not heard of for its time goes to another; who comes back asks for one', async () => {
    const licence = await issue({ seatTtl: 3600 });
    await activate(licence.key);
    expect(await askAs(licence.key, 'another')).toBe('too_many_activations');
    await advance(2 * 3_600_000);
    expect(await askAs(licence.key, 'another')).toBe('valid');
    expect(await askAs(licence.key, installation(), 'heartbeat')).toBe('heartbeat_dead');
    await owner.post(`${path}heartbeat`);
    expect(await seats(licence.id)).toBe(1);
    await advance(2 * 3_600_000);
    await owner.post(`${path}heartbeat`);
    expect((await events(licence.id)).at(-1)).toBe('activated');
  });

  it('keys rotate: answers of a new key are learned by what a known one has signed', async () => {
    const licence = await issue();
    await activate(licence.key);
    const rotate = () => issuer.prepared.licenceIssuer.rotate();
    rotate();
    await advance(day);
    expect((await owner.post(`${path}heartbeat`)).status).toBe(200);
    // The next key was announced from the beginning; the one after it only now.
    rotate();
    rotate();
    await advance(25 * day);
    expect((await owner.post(`${path}heartbeat`)).status).toBe(200);
    expect(await state()).toBe('valid');
  });

  it('is pasted where there is no line: a certificate that the issuer made for this installation', async () => {
    const licence = await issue({ heartbeat: { interval: 86_400, maxOffline: 300 * 86_400 } });
    const answer = claimsOf(await rawAnswer(licence.key, installation()));
    const pasted = await activate(String(answer.certificate));
    expect(pasted.body, pasted.text).toMatchObject({ plan: 'agency', keyMasked: null, state: 'valid' });
    expect(await owner.post(`${path}heartbeat`)).toMatchObject({ status: 409, body: { code: 'no_activation' } });
    const foreign = claimsOf(await rawAnswer((await issue()).key, 'somebody-else'));
    expect(await activate(String(foreign.certificate))).toMatchObject({ status: 403, body: { reason: 'no_activation' } });
    // An access token is none.
    const token = String(owner.headers.authorization).slice('Bearer '.length);
    expect((await activate(token)).status).toBe(422);
  });
});

/** The machine has another name while `work` runs. */
async function renamed(work: () => Promise<void>): Promise<void> {
  const { hostname } = os;
  const name = (): string => 'renamed.example';
  os.hostname = name;
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    os.hostname = hostname;
    syncBuiltinESMExports();
  }
}
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as Record<string, unknown>;
async function rawAnswer(key: string, name: string, action = 'activate'): Promise<string> {
  const { body } = await issuer.a.guest.post<{ answer: string }>(`/api/licensing/${action}`, {
    key,
    installation: name,
    nonce: 'a-nonce-of-this-test',
    env: 'development',
  });
  return body.answer;
}
const askAs = async (key: string, name: string, action?: string) => claimsOf(await rawAnswer(key, name, action)).answer;

/** The licence server can't be reached while `fn` runs. */
async function withoutServer<T>(fn: () => Promise<T>): Promise<T> {
  const real = globalThis.fetch;
  globalThis.fetch = () => Promise.reject(new TypeError('fetch failed'));
  try {
    return await fn();
  } finally {
    globalThis.fetch = real;
  }
}
