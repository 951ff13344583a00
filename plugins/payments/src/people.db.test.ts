import { type Person, peopleErase, peopleExport } from '@storeloom/plugin-sdk';
import type { TestTenant } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newThing, type PayShop, payShop, ron } from '../test/pay-shop.ts';

let p: PayShop;
beforeAll(async () => {
  p = await payShop();
});
afterAll(() => p?.stop());

const email = 'ada@example.org';
const customerId = newThing().id;
const person: Person = { customerId, emails: [email], phones: [] };

/** Exports the person's data. */
async function exportOf(tenant: TestTenant) {
  const found = await tenant.run('orders', (ctx) => ctx.call(peopleExport, person));
  return found.filter(({ resource }) => resource.startsWith('payments.'));
}
async function exported(): Promise<Record<string, number>> {
  const found = await exportOf(p.shop.a);
  return Object.fromEntries(found.map(({ resource, rows }) => [resource, rows.length]));
}

describe('a person', () => {
  beforeAll(async () => {
    const subject = newThing();
    const response = await p.pay((service) =>
      service.start({
        for: subject,
        amount: ron(100),
        email,
        description: 'x',
        methodCode: 'embedded',
        customerId,
        saveInstrument: true,
        returnUrl: 'https://a.localhost/?mail=ada',
      }),
    );
    p.fake.pay((await p.of(subject))[0]?.providerRef as string);
    await p.pay((service) => service.sync(response.paymentId));
    await p.pay((service) =>
      service.start({ for: newThing(), amount: ron(100), email, description: 'x', methodCode: 'transfer' }),
    );
    await p.pay((service) =>
      service.start({ for: newThing(), amount: ron(100), email: 'eve@example.org', description: 'x', methodCode: 'transfer' }),
    );
  });

  it('exports payments and instruments, without tokens', async () => {
    const found = await exportOf(p.shop.a);
    expect(found.map(({ resource, rows }) => [resource, rows.length])).toEqual([
      ['payments.payment', 2],
      ['payments.instrument', 1],
    ]);
    expect(JSON.stringify(found)).not.toMatch(/pm_|cus_|secret/);
    const foreign = await exportOf(p.shop.b);
    expect(foreign).toEqual([]);
  });

  it('is erased except for amounts; idempotent', async () => {
    const reports: Record<string, number>[] = [];
    const report = ({ resource, erased }: { resource: string; erased: number }): void => {
      if (resource.startsWith('payments.')) reports.push({ [resource]: erased });
    };
    for (let i = 0; i < 2; i++) await p.shop.a.run('orders', (ctx) => ctx.call(peopleErase, { ...person, report }));
    expect(reports).toEqual([
      { 'payments.payment': 2 },
      { 'payments.instrument': 1 },
      { 'payments.payment': 0 },
      { 'payments.instrument': 0 },
    ]);
    expect(await exported()).toEqual({ 'payments.payment': 1 });
    const dump =
      JSON.stringify(await p.shop.rows('select * from payments_payment')) +
      JSON.stringify(await p.shop.rows('select * from payments_instrument'));
    // Neither the address nor the URL with it; a random id may contain the letters.
    expect(dump).not.toMatch(/ada@|mail=ada/);
    expect(dump).toContain('eve@example.org');
    expect(await p.pay((service) => service.instruments(customerId))).toEqual([]);
  });
});
