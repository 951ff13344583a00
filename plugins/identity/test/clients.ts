import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestShop, TestTenant } from '@storeloom/testing';
import { expect } from 'vitest';
import { cost } from '../src/account/password.ts';
import { registration } from '../src/account/register.ts';
import { accounts } from '../src/contract.ts';

/** Uses the production durations of passwords and registrations until the returned function is called, for tests of timing. */
export function asSlowAsReal(): () => void {
  const before = { ...cost, ...registration };
  Object.assign(cost, { memory: 19_456, passes: 2 });
  registration.ms = 400;
  return () => {
    Object.assign(cost, { memory: before.memory, passes: before.passes });
    registration.ms = before.ms;
  };
}

export const password = 'correct horse battery staple';

export interface Tokens {
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
  tokenType: string;
  user: { id: string; email: string; name: string | null };
}

export async function login(tenant: TestTenant, body: Record<string, unknown>): Promise<Tokens> {
  const response = await tenant.guest.post<Tokens>('/api/auth/login', { password, ...body });
  expect(response.status, response.text).toBe(200);
  return response.body;
}
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Problem bodies without what differs from request to request. */
export function plain(body: Record<string, unknown>): Record<string, unknown> {
  const { requestId: _, ...rest } = body;
  return rest;
}

let count = 0;
/** Returns an unused e-mail address. */
export const fresh = (stem = 'someone'): string => `${stem}${++count}.${crypto.randomUUID().slice(0, 8)}@mail.example`;

/** Creates a member of staff with the usual password; gives id and address. */
export async function addStaff(
  tenant: TestTenant,
  roleIds: string[],
  email = fresh('staff'),
): Promise<{ id: string; email: string }> {
  const { userId } = await tenant.run('identity', (ctx) =>
    ctx.require(accounts).createStaff({ email, name: 'Some Body', password, roleIds }),
  );
  return { id: userId, email };
}

export async function roleId(tenant: TestTenant, name: string): Promise<string> {
  const { body } = await tenant.admin.get<{ data: { id: string; name: string }[] }>(`/api/admin/rbac/roles?name=${name}`);
  return body.data[0]?.id as string;
}

/** Repeats until it holds; fails where a look that began after the time finds that it doesn't. How long a look takes says nothing. */
export async function within(ms: number, check: () => Promise<boolean>): Promise<number> {
  const started = performance.now();
  for (;;) {
    const begun = performance.now() - started;
    if (await check()) return performance.now() - started;
    if (begun > ms) throw new Error(`it did not happen within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The link in the newest mail of a kind to an address, as it was delivered. */
export async function mailedLink(shop: TestShop, to: string, template: string): Promise<URL> {
  await shop.settled();
  const [mail] = await shop.rows<{ id: string }>(
    'select id from core_mail where recipient = $1 and template = $2 order by id desc limit 1',
    [to, template],
  );
  if (!mail) throw new Error(`no mail ${template} went to ${to}`);
  const folder = shop.prepared.dataDir.file('mail');
  const file = readdirSync(folder).find((name) => name.endsWith(`${mail.id}.eml`));
  if (!file) throw new Error(`the mail ${mail.id} was not delivered`);
  const text = readFileSync(join(folder, file), 'utf8')
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const link = /^https?:\S+$/m.exec(text);
  if (!link) throw new Error(`there is no link in ${text}`);
  return new URL(link[0]);
}
export async function mailedToken(shop: TestShop, to: string, template: string): Promise<string> {
  return (await mailedLink(shop, to, template)).searchParams.get('token') as string;
}
