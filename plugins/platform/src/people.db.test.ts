import type { Person } from '@storeloom/plugin-sdk';
import { type TestShop, type TestTenant, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { issue } from '../test/issuer.ts';
import { erasePerson, exportPerson } from './people.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: [] });
});
afterAll(() => shop?.stop());

const person = (email: string): Person => ({ customerId: crypto.randomUUID(), emails: [email], phones: [] });
const exported = (tenant: TestTenant, email: string) => tenant.run('platform', async (ctx) => exportPerson(ctx, person(email)));
const erased = async (tenant: TestTenant, email: string): Promise<object[]> => {
  const report: object[] = [];
  await tenant.run('platform', async (ctx) => erasePerson(ctx, { ...person(email), report: (entry) => void report.push(entry) }));
  return report;
};
const named = async (email: string) =>
  (await shop.rows('select id from platform_license where customer_email = $1', [email])).length;

it('a person’s licences are theirs to read, and forgotten when they have ended; only in the shop that sold them', async () => {
  const email = 'ana@buyer.example';
  const running = await issue(shop, { customerEmail: email });
  const gone = await issue(shop, { customerEmail: 'Ana@Buyer.example' });
  const other = await issue(shop, { customerEmail: 'somebody@else.example' });
  await shop.operator.post('/api/super-admin/licenses/revoke', { licenseId: gone.id, reason: 'r' });

  const [part] = await exported(shop.a, 'ANA@buyer.example');
  expect(part?.rows.map(({ id }) => id)).toEqual([running.id, gone.id]);
  expect(JSON.stringify(part)).not.toContain(running.key);
  expect(await exported(shop.b, email)).toEqual([]);
  expect(await erased(shop.b, email)).toEqual([]);
  expect(await named(email)).toBe(2);

  expect(await erased(shop.a, email)).toEqual([
    {
      resource: 'platform.license',
      erased: 1,
      kept: { count: 1, reason: 'licence contract', until: expect.stringMatching(/^\d{4}-/) },
    },
  ]);
  // Again: nothing more.
  expect(await erased(shop.a, email)).toMatchObject([{ erased: 0, kept: { count: 1 } }]);
  expect(await named(email)).toBe(1);
  await shop.operator.post('/api/super-admin/licenses/revoke', { licenseId: running.id, reason: 'r' });
  await erased(shop.a, email);
  expect(await named(email)).toBe(0);
  expect(JSON.stringify(await shop.rows('select changes from core_platform_audit')).toLowerCase()).not.toContain(email);
  expect(await shop.rows('select customer_email from platform_license where id = $1', [other.id])).toEqual([
    { customer_email: 'somebody@else.example' },
  ]);
});
