import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestClient, type TestResponse, type TestShop, type TestTenant, testShop } from '@storeloom/testing';
import Provider, { type Configuration } from 'oidc-provider';

interface TestPerson {
  email?: string;
  email_verified?: boolean;
  given_name?: string;
  family_name?: string;
}

/** An OpenID Connect provider on loopback, where the test says who is sitting at the browser. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly clientSecret: string;
  /** Subject → what it says of them. */
  readonly people: Map<string, TestPerson>;
  /** Follows an address of the provider as its browser would, to the callback that it ends in. */
  visit(address: string, subject: string | null): Promise<URL>;
  stop(): Promise<void>;
}

const clientId = 'shop';

/** `claims: 'token'` puts them into the ID token, `'userinfo'` has them asked for. */
async function identityProvider(
  tenants: readonly TestTenant[],
  provider: 'idp-a' | 'idp-b',
  claims: 'token' | 'userinfo',
): Promise<IdentityProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clientSecret = crypto.randomUUID();
  const people = new Map<string, TestPerson>();
  const sitting = new Map<string, string | null>();
  const configuration: Configuration = {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: tenants.map(({ host }) => `http://${host}/api/auth/${provider}/callback`),
        token_endpoint_auth_method: provider === 'idp-a' ? 'client_secret_basic' : 'client_secret_post',
      },
    ],
    ...(provider === 'idp-b' ? { clientAuthMethods: ['client_secret_post'] } : {}),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
    conformIdTokenClaims: claims === 'userinfo',
    cookies: { keys: [crypto.randomUUID()] },
    jwks: { keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })] },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    async findAccount(_ctx, sub) {
      return { accountId: sub, claims: async () => ({ sub, ...people.get(sub) }) };
    },
    // No consent screen.
    async loadExistingGrant(ctx) {
      const accountId = ctx.oidc.session?.accountId;
      if (accountId === undefined) return undefined;
      const grant = new ctx.oidc.provider.Grant({ clientId, accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  };
  const oidc = new Provider(issuer, configuration);
  const handle = oidc.callback();
  const interact = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const subject = sitting.get(String(request.headers['x-sitting'])) ?? null;
    await oidc.interactionFinished(
      request,
      response,
      subject === null ? { error: 'access_denied', error_description: 'the person said no' } : { login: { accountId: subject } },
    );
  };
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return handle(request, response);
    interact(request, response).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  return {
    issuer,
    clientSecret,
    people,
    async visit(address, subject) {
      const browser = crypto.randomUUID();
      sitting.set(browser, subject);
      const jar = new Map<string, string>();
      let url = new URL(address);
      for (let hop = 0; hop < 8; hop++) {
        if (url.origin !== issuer) return url;
        const answer = await fetch(url, {
          redirect: 'manual',
          headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '), 'x-sitting': browser },
        });
        for (const line of answer.headers.getSetCookie()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) as unknown as [string, string, string];
          if (value === '') jar.delete(name);
          else jar.set(name, value);
        }
        const location = answer.headers.get('location');
        if (location === null) throw new Error(`${url.href} answered ${answer.status}: ${await answer.text()}`);
        url = new URL(location, url);
      }
      throw new Error('the provider sends in circles');
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

export async function configure(
  tenant: TestTenant,
  provider: 'idp-a' | 'idp-b',
  op: Pick<IdentityProvider, 'issuer' | 'clientSecret'>,
): Promise<void> {
  const letter = provider === 'idp-a' ? 'A' : 'B';
  await tenant.run('identity', (ctx) =>
    ctx.saveSettings({
      [`idp${letter}Issuer`]: op.issuer,
      [`idp${letter}ClientId`]: clientId,
      [`idp${letter}ClientSecret`]: op.clientSecret,
    }),
  );
}

/** Cookies of an answer, by name. */
export function cookiesOf(answer: Pick<TestResponse, 'headers'>): Map<string, string> {
  const lines = [answer.headers['set-cookie'] ?? []].flat();
  return new Map(lines.map((line) => (/^([^=]+)=([^;]*)/.exec(line) as RegExpExecArray).slice(1, 3) as [string, string]));
}

export interface Begun {
  answer: TestResponse;
  /** Where the provider is. */
  location: string;
  /** The browser, with the cookie that the beginning gave it. */
  browser: TestClient;
}
export async function begin(client: TestClient, path: string): Promise<Begun> {
  const answer = await client.get(path);
  if (answer.status !== 302) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  const cookie = [...cookiesOf(answer)].map(([name, value]) => `${name}=${value}`).join('; ');
  const before = client.headers.cookie;
  return {
    answer,
    location: String(answer.headers.location),
    browser: client.with({ cookie: before ? `${before}; ${cookie}` : cookie }),
  };
}

/** Runs a complete sign-in: start, sign in at the provider, callback. */
export async function signInThrough(
  { browser, location }: Begun,
  op: IdentityProvider,
  subject: string | null,
): Promise<TestResponse> {
  const back = await op.visit(location, subject);
  return browser.get(`${back.pathname}${back.search}`);
}

/** Returns who the cookies of a response sign in; undefined if they don't. */
export async function signedInBy(tenant: TestTenant, answer: TestResponse): Promise<{ id: string; email: string } | undefined> {
  const token = cookiesOf(answer).get('storeloom_session');
  if (!token) return undefined;
  const refreshed = await tenant.guest.post<{ user: { id: string; email: string } }>('/api/auth/refresh', {
    refreshToken: token,
  });
  return refreshed.status === 200 ? refreshed.body.user : undefined;
}

/** Two shops: both have `idp-a`, the first has `idp-b` too. */
export interface SocialShop {
  shop: TestShop;
  a: IdentityProvider;
  b: IdentityProvider;
  /** Creates a person at the provider and returns the subject. */
  person(op: IdentityProvider, email: string | undefined, verified?: boolean): string;
  /** Signs in through a provider, from the first step to the last answer. */
  through(subject: string | null, path?: string, op?: IdentityProvider, tenant?: TestTenant): Promise<TestResponse>;
  customerRow(
    email: string,
  ): Promise<{ id: string; verified: boolean; password: boolean | null; first_name: string | null } | undefined>;
  stop(): Promise<void>;
}

export async function socialShop(): Promise<SocialShop> {
  const shop = await testShop({ plugins: ['identity'] });
  const a = await identityProvider([shop.a, shop.b], 'idp-a', 'token');
  const b = await identityProvider([shop.a], 'idp-b', 'userinfo');
  await configure(shop.a, 'idp-a', a);
  await configure(shop.b, 'idp-a', a);
  await configure(shop.a, 'idp-b', b);
  let count = 0;
  return {
    shop,
    a,
    b,
    person(op, email, verified = true) {
      const subject = `subject-${++count}`;
      op.people.set(subject, {
        ...(email === undefined ? {} : { email, email_verified: verified }),
        given_name: 'Ana',
        family_name: 'Pop',
      });
      return subject;
    },
    through: async (subject, path = '/api/auth/idp-a', op = a, tenant = shop.a) =>
      signInThrough(await begin(tenant.guest, path), op, subject),
    async customerRow(email) {
      const rows = await shop.rows<{ id: string; verified: boolean; password: boolean | null; first_name: string | null }>(
        `select c.id, c.email_verified_at is not null as verified, i.password_hash is not null as password, c.first_name
         from customers_customer c left join identity_credential i on i.tenant_id = c.tenant_id and i.customer_id = c.id
         where c.tenant_id = $1 and c.email = $2`,
        [shop.a.id, email],
      );
      return rows[0];
    },
    async stop() {
      await shop.stop();
      await a.stop();
      await b.stop();
    },
  };
}
