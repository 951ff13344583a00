import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bearer, login, within } from '../plugins/identity/test/clients.ts';
import { type Api, processOf, run, startApi } from './support/processes.ts';

/** Keys are rotated beside processes that serve. */
let shop: TestShop;
let apis: Api[];
beforeAll(async () => {
  shop = await testShop({ plugins: ['identity'] });
  apis = await Promise.all([startApi(processOf(shop)), startApi(processOf(shop))]);
});
afterAll(async () => {
  await Promise.all((apis ?? []).map((api) => api.kill()));
  await shop?.stop();
});

const kidOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[0] as string, 'base64url').toString()) as { kid: string }).kid;
const rotate = async (...args: string[]) => {
  const done = await run(['keys', 'rotate', ...args], processOf(shop));
  return { ...done, json: done.code === 0 ? (JSON.parse(done.stdout) as { key: string; oldUntil: string | null }) : undefined };
};

it('tokens of the old key are good until they run out, those of a compromised one nowhere within five seconds', async () => {
  const before = await login(shop.a, { email: 'owner@a.example', audience: 'admin' });
  const statuses = async (token: string) =>
    Promise.all(
      apis.map(async (api) => (await shop.a.guest.at(api.base).with(bearer(token)).get('/api/admin/me/permissions')).status),
    );
  const refreshed = async (api: Api, refreshToken: string) =>
    shop.a.guest.at(api.base).post<{ accessToken: string; refreshToken: string }>('/api/auth/refresh', { refreshToken });
  expect(await statuses(before.accessToken)).toEqual([200, 200]);

  const { json: first } = await rotate('admin', '--json');
  expect(first?.key).not.toBe(kidOf(before.accessToken));
  let current = before.refreshToken;
  await within(5000, async () => {
    const next = await refreshed(apis[1] as Api, current);
    expect(next.status).toBe(200);
    current = next.body.refreshToken;
    return kidOf(next.body.accessToken) === first?.key;
  });
  expect(await statuses(before.accessToken)).toEqual([200, 200]);

  await rotate('admin', '--compromised', '--json');
  const took = await within(5000, async () => (await statuses(before.accessToken)).every((status) => status === 401));
  console.info(`a compromised key is refused by ${apis.length} processes after ${Math.round(took)} ms`);
  // Signed-in users stay signed in.
  const again = await refreshed(apis[0] as Api, current);
  expect(again.status).toBe(200);
  expect(await statuses(again.body.accessToken)).toEqual([200, 200]);
});

it('what is no family, and what cannot be, ends with 2', async () => {
  for (const args of [['nothing'], ['../admin'], ['encryption', '--compromised'], []]) {
    const done = await rotate(...args);
    expect([args, done.code]).toEqual([args, 2]);
    expect(done.stdout).toBe('');
    expect(done.stderr).not.toBe('');
  }
  const text = await run(['keys', 'rotate', 'encryption'], processOf(shop));
  expect([text.code, text.stdout]).toEqual([0, expect.stringMatching(/^encryption: [0-9a-f]{8} is in use/)]);
});
