import { type TestClient, type TestShop, testShop } from '@storeloom/testing';
import { expect } from 'vitest';

export interface Issued {
  id: string;
  key: string;
}
const day = 86_400_000;

/** An installation that issues licences, and what others name to take them. */
export async function issuingShop(options: { now?: string; processes?: number } = {}) {
  const issuer = await testShop({ plugins: [], ...options });
  const { body } = await issuer.operator.get<{ issuer: { id: string; keys: { kid: string; x: string }[] } }>(
    '/api/super-admin/settings',
  );
  const trusted = { ...body.issuer, url: issuer.bases[0] as string };
  return { issuer, trusted };
}

export const terms = (shop: TestShop, change: object = {}) => ({
  customerEmail: 'agency@customer.example',
  plugins: { '*': '*' },
  themes: { '*': '*' },
  plan: 'agency',
  limits: { tenants: 5 },
  env: 'development',
  expiresAt: new Date(shop.clock.ms() + 400 * day).toISOString(),
  updatesUntil: new Date(shop.clock.ms() + 400 * day).toISOString(),
  ...change,
});

export async function issue(shop: TestShop, change: object = {}, operator = shop.operator): Promise<Issued> {
  const made = await operator.post<Issued>('/api/super-admin/licenses/issue', terms(shop, change));
  expect(made.status, made.text).toBe(201);
  return made.body;
}

const password = 'correct horse battery staple';
/** Sessions end when the clock moves on by days: the owner and the operator, signed in now. */
export async function signedIn(shop: TestShop): Promise<{ owner: TestClient; operator: TestClient }> {
  const client = async (as: TestClient, body: object): Promise<TestClient> => {
    const login = await shop.a.guest.post<{ accessToken: string }>('/api/auth/login', { ...body, password });
    expect(login.status, login.text).toBe(200);
    return as.with({ authorization: `Bearer ${login.body.accessToken}` });
  };
  return {
    owner: await client(shop.a.guest, { email: 'owner@a.example', audience: 'admin' }),
    operator: await client(shop.operator, { email: 'operator@test.example', audience: 'super-admin' }),
  };
}
