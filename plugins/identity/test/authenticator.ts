import type { TestClient, TestShop, TestTenant } from '@storeloom/testing';
import { Secret, TOTP } from 'otpauth';
import { expect } from 'vitest';
import { addStaff, bearer, login, password, roleId, type Tokens } from './clients.ts';

const step = 30_000;

/** The authenticator app of a test: its clock is the shop's. */
export class App {
  readonly shop: TestShop;
  readonly secret: string;
  constructor(shop: TestShop, secret: string) {
    this.shop = shop;
    this.secret = secret;
  }
  /** The code of the present step, or of one so many steps away. */
  code(away = 0): string {
    const totp = new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: Secret.fromBase32(this.secret) });
    return totp.generate({ timestamp: this.shop.clock.ms() + away * step });
  }
  /** A code of a step that wasn't used yet. */
  next(): string {
    this.shop.clock.advance(step);
    return this.code();
  }
  /** Six digits that are none of the codes of now. */
  wrong(): string {
    const right = new Set([-1, 0, 1].map((away) => this.code(away)));
    for (let n = 0; ; n++) {
      const digits = String(n).padStart(6, '0');
      if (!right.has(digits)) return digits;
    }
  }
}

export interface Protected {
  email: string;
  client: TestClient;
  app: App;
  recoveryCodes: string[];
}

/** Creates a staff user with a second factor. */
export async function protectedStaff(shop: TestShop, tenant: TestTenant, given?: string): Promise<Protected> {
  const { email } = await addStaff(tenant, [await roleId(tenant, 'staff')], ...(given === undefined ? [] : [given]));
  const { accessToken } = await login(tenant, { email, audience: 'admin' });
  const client = tenant.guest.with(bearer(accessToken));
  const { body } = await client.get<{ secret: string; otpauthUrl: string }>('/api/admin/2fa/setup');
  const app = new App(shop, body.secret);
  const on = await client.post<{ recoveryCodes: string[] }>('/api/admin/2fa/enable', { code: app.code() });
  expect(on.status, on.text).toBe(200);
  return { email, client, app, recoveryCodes: on.body.recoveryCodes };
}

export async function challengeOf(tenant: TestTenant, email: string): Promise<string> {
  const answer = await tenant.guest.post<{ code: string; challenge: string }>('/api/auth/login', {
    email,
    password,
    audience: 'admin',
  });
  expect([answer.status, answer.body.code]).toEqual([401, 'two_factor_required']);
  return answer.body.challenge;
}
export const verify = (client: TestClient, body: Record<string, unknown>, headers?: Record<string, string>) =>
  client.post<Tokens & { deviceToken: string | null; code: string }>('/api/admin/2fa/verify', body, headers);
export const levelOf = (token: string): number =>
  (JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as { authLevel: number }).authLevel;
