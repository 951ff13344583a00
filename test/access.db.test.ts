import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { uuidv7 } from '@storeloom/plugin-sdk';
import { type TestClient, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgeries } from '../packages/keys/test/forged-tokens.ts';
import { bearer } from '../plugins/identity/test/clients.ts';
import { everyPlugin } from './support/house.ts';

/** Who gets in where, over every mounted route of the repository's plugins: read from the route table, so that none is forgotten. */
let shop: TestShop;
let callers: Record<'admin' | 'storefront' | 'super-admin', TestClient>;
beforeAll(async () => {
  shop = await testShop({ plugins: everyPlugin });
  const customer = await shop.a.customer();
  callers = {
    admin: shop.a.admin,
    storefront: customer,
    'super-admin': shop.a.guest.with({ authorization: shop.operator.headers.authorization as string }),
  };
});
afterAll(() => shop?.stop());

const routesOf = (...families: string[]) => shop.kernel.routes.filter(({ family }) => families.includes(family));
type Mounted = ReturnType<typeof routesOf>[number];
const label = ({ route, path }: Mounted): string => `${route.method} ${path}`;
/** Calls the route with an unknown id and an empty body. */
const ask = ({ route, path }: Mounted, client: TestClient) => {
  const target = path.replace(/\{\w+\}/g, () => uuidv7());
  return client.call(route.method, target, route.method === 'GET' || route.method === 'DELETE' ? {} : { body: {} });
};
/** All of them, some at a time. */
async function over(routes: readonly Mounted[], judge: (route: Mounted) => Promise<string | undefined>): Promise<string[]> {
  const faults: string[] = [];
  const waiting = [...routes];
  const work = async (): Promise<void> => {
    for (let route = waiting.shift(); route; route = waiting.shift()) {
      const fault = await judge(route);
      if (fault !== undefined) faults.push(`${label(route)}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return faults;
}
const open = new Set(['POST /api/admin/2fa/verify', 'POST /api/admin/2fa/check-device']);

describe('three audiences over every route', () => {
  it('only the owning family lets a token in', async () => {
    const expected = {
      admin: { storefront: 401, 'super-admin': 401 },
      storefront: { admin: 401, 'super-admin': 401 },
      // A token of a tenant is known, and has no right.
      'super-admin': { admin: 403, storefront: 401 },
    } as const;
    const routes = routesOf('admin', 'storefront', 'super-admin');
    const faults = await over(routes, async (route) => {
      const wanted = expected[route.family as keyof typeof expected] as Record<string, number>;
      for (const [audience, status] of Object.entries(wanted)) {
        const answer = await ask(route, callers[audience as keyof typeof callers]);
        if (answer.status !== status) return `${answer.status} for ${audience}, not ${status}`;
      }
      return undefined;
    });
    console.info(`three audiences × ${routes.length} routes of admin, storefront, super-admin: ${faults.length} wrong`);
    expect(faults).toEqual([]);
  }, 300_000);

  it('and lets its own in', async () => {
    const reads = routesOf('admin', 'storefront', 'super-admin').filter(({ route }) => route.method === 'GET');
    const faults = await over(reads, async (route) => {
      const { status } = await ask(route, callers[route.family as keyof typeof callers]);
      return status === 401 || status === 403 ? String(status) : undefined;
    });
    expect(reads.length).toBeGreaterThan(100);
    expect(faults).toEqual([]);
  }, 300_000);

  it('signed-in users may read their own account, other callers may not', async () => {
    for (const client of Object.values(callers)) expect((await client.get('/api/auth/me')).status).toBe(200);
    expect((await shop.a.guest.get('/api/auth/me')).status).toBe(401);
  });

  it('none replaces the token of the setup', async () => {
    for (const route of routesOf('system').filter(({ path }) => path.startsWith('/api/internal/setup')))
      for (const client of [...Object.values(callers), shop.a.guest])
        expect([label(route), (await ask(route, client)).status]).toEqual([label(route), 401]);
  });
});

it('without a token nothing of admin and super-admin opens but two routes of the second factor', async () => {
  const routes = routesOf('admin', 'super-admin');
  const faults = await over(routes, async (route) => {
    const { status } = await ask(route, shop.a.guest);
    return (status === 401) === !open.has(label(route)) || (open.has(label(route)) && status === 422)
      ? undefined
      : String(status);
  });
  expect(routes.filter((route) => open.has(label(route)))).toHaveLength(2);
  expect(faults).toEqual([]);
}, 300_000);

it('a role of no permissions is refused by every admin route, before anything is said about ids and bodies', async () => {
  const powerless = await shop.a.staff([]);
  const routes = routesOf('admin');
  const faults = await over(routes, async (route) => {
    const { status, body } = await ask(route, powerless);
    return status === 403 && body.code === 'forbidden' && body.permission === route.route.options.permission
      ? undefined
      : `${status} ${String(body.code)}`;
  });
  console.info(`a role of no permissions × ${routes.length} admin routes: ${routes.length - faults.length} times 403`);
  expect(faults).toEqual([]);
}, 300_000);

it('forged and malformed tokens open nothing', async () => {
  const targets = {
    admin: '/api/admin/me/permissions',
    storefront: '/api/storefront/tenant-config/',
    'super-admin': '/api/super-admin/tenants',
  } as const;
  let tried = 0;
  const accepted: string[] = [];
  for (const [audience, path] of Object.entries(targets) as [keyof typeof targets, string][]) {
    const token = String(callers[audience].headers.authorization).slice('Bearer '.length);
    const [header, claims] = token
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>) as [
      Record<string, unknown>,
      Record<string, unknown>,
    ];
    const file = shop.prepared.dataDir.readJson(`keys/${audience}.json`) as { keys: { privateKey: string }[] };
    const privateKey = createPrivateKey({
      key: Buffer.from(file.keys[0]?.privateKey as string, 'base64url'),
      format: 'der',
      type: 'pkcs8',
    });
    const list = forgeries({
      token,
      header,
      claims,
      publicKey: createPublicKey(privateKey),
      privateKey,
      strange: generateKeyPairSync('ed25519'),
    });
    for (const [name, forged] of list) {
      // What HTTP doesn't carry in a header can't be sent.
      if (/[\0\n]/.test(forged) || forged.length > 16_000) continue;
      for (const at of [path, '/api/auth/me']) {
        const answer = await shop.a.guest.with(bearer(forged)).get(at);
        tried++;
        if (answer.status !== 401) accepted.push(`${audience}, ${name}, ${at}: ${answer.status}`);
      }
    }
    expect((await callers[audience].get('/api/auth/me')).status).toBe(200);
  }
  console.info(`${tried} forged tokens: ${accepted.length} accepted`);
  expect(tried).toBeGreaterThan(300);
  expect(accepted).toEqual([]);
});
