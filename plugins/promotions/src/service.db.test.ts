import { type Promotions, promotions } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { Problem, peopleErase, peopleExport, sql } from '@storeloom/plugin-sdk';
import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cartOf, enter, type Json, look, openStore, place, product, promote, promotionsPath, ron } from '../test/store.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await openStore({ processes: 2 });
});
afterAll(() => shop?.stop());

const use = <T>(fn: (service: Promotions, ctx: Ctx) => Promise<T>): Promise<T> =>
  shop.a.run('promotions', (ctx) => fn(ctx.require(promotions), ctx));
/** Code and extra members of the problem, `ok` without one. */
async function outcome(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.code;
  }
}

describe('checkCode', () => {
  const check = (code: string, who: { email?: string; customerId?: string } = {}) =>
    outcome(use((service) => service.checkCode(code, who)));

  it('says what can be said without a cart', async () => {
    const promotion = await promote(shop.a, {
      name: 'Known',
      code: 'KNOWN',
      conditions: [{ type: 'min_subtotal', value: ron(5000) }],
    });
    expect(await use((service) => service.checkCode(' known ', {}))).toEqual({ promotionId: promotion.id, name: 'Known' });
    await promote(shop.a, { code: 'LATE', endsAt: '2026-01-01T00:00:00Z' });
    await promote(shop.a, { code: 'EARLY', startsAt: '2100-01-01T00:00:00Z' });
    await promote(shop.a, { code: 'NOT-ON', enabled: false });
    await promote(shop.b, { code: 'FOREIGN' });
    expect(await Promise.all(['none', 'LATE', 'EARLY', 'NOT-ON', 'FOREIGN'].map((code) => check(code)))).toEqual([
      'coupon_not_found',
      'coupon_expired',
      'coupon_not_started',
      'coupon_not_found',
      'coupon_not_found',
    ]);
  });
  it('knows limits, of all and of one customer', async () => {
    await promote(shop.a, { code: 'CAP', usageLimit: 2, usageLimitPerCustomer: 1 });
    const redeem = (reference: string, email: string) =>
      use((service) => service.redeemCode({ code: 'CAP', base: ron(1000), email, reference }));
    await redeem('cap-1', 'one@example.org');
    expect([await check('CAP', { email: 'ONE@example.org' }), await check('CAP', { email: 'two@example.org' })]).toEqual([
      'coupon_customer_limit',
      'ok',
    ]);
    await redeem('cap-2', 'two@example.org');
    expect(await check('CAP', { email: 'three@example.org' })).toBe('coupon_usage_limit');
  });
});

describe('issueCode', () => {
  it('gives codes that one order uses up, for their customer', async () => {
    const promotion = await promote(shop.a, { name: 'Reward', codes: [] });
    const owner = await shop.a.customer();
    const other = await shop.a.customer();
    const { code } = await use((service) => service.issueCode(promotion.id, owner.customerId));
    const free = await use((service) => service.issueCode(promotion.id, null));
    expect(code).toMatch(/^([2-9B-DF-HJ-NP-TV-XZ]{4}-){2}[2-9B-DF-HJ-NP-TV-XZ]{4}$/);
    expect(code).not.toBe(free.code);
    // Without a code the promotion is for nobody.
    const { variantId } = await product(shop.a, 1000);
    const [mine, theirs] = [await cartOf(owner, [variantId, 1]), await cartOf(other, [variantId, 1])];
    expect(mine.cart.totals.total).toEqual(ron(1000));
    expect((await enter(theirs.client, code)).code).toBe('coupon_not_eligible');
    expect((await enter(mine.client, code)).totals.total).toEqual(ron(900));
    expect((await place(mine.client, 900, { email: owner.email })).status).toBe(201);
    expect(await look(shop.a, promotion.id)).toMatchObject({ codes: [], codesTotal: 2, codesUsed: 1 });
    // A guest may enter somebody's code, and learns when placing that it isn't theirs.
    const { code: second } = await use((service) => service.issueCode(promotion.id, owner.customerId));
    const guest = await cartOf(shop.a.guest, [variantId, 1]);
    await enter(guest.client, second);
    const refused = await place(guest.client, 900, { email: 'somebody@example.org' });
    expect([refused.body.code, refused.body.promotions[0].reason]).toEqual(['promotion_changed', 'coupon_not_eligible']);
    // Issued codes are not the list's: replacing the list leaves them.
    await shop.a.admin.patch(`${promotionsPath}${promotion.id}`, { codes: ['LISTED'] });
    expect(await look(shop.a, promotion.id)).toMatchObject({ codes: ['LISTED'], codesTotal: 4 });
  });
  it('refuses what has no codes', async () => {
    const shelf = await promote(shop.a, { stage: 'catalog' });
    const old = await promote(shop.a, { archived: true });
    const foreign = await promote(shop.b);
    const issue = (id: string) => outcome(use((service) => service.issueCode(id, null)));
    expect([await issue(shelf.id), await issue(old.id), await issue(foreign.id)]).toEqual([
      'coupon_not_eligible',
      'not_found',
      'not_found',
    ]);
    await shop.a.admin.patch(`${promotionsPath}${shelf.id}`, { archived: true });
  });
});

describe('redeemCode', () => {
  let count = 0;
  const redeem = (code: string, base = ron(10_000), more: object = {}) =>
    use((service) => service.redeemCode({ code, base, email: 'buyer@example.org', reference: `sale-${++count}`, ...more }));

  it('gives the discount of an order promotion and counts it', async () => {
    const promotion = await promote(shop.a, {
      code: 'SALE',
      value: { percentBp: 1250 },
      type: 'percentage',
      maxDiscount: ron(2000),
    });
    expect(await redeem('sale')).toEqual({ amount: ron(1250) });
    expect(await redeem('SALE', ron(100_000))).toEqual({ amount: ron(2000) });
    expect(await look(shop.a, promotion.id)).toMatchObject({ usageCount: 2, spent: ron(3250) });
    await promote(shop.a, {
      code: 'MINUS',
      type: 'fixed_amount',
      value: { amounts: [ron(5000), { amount: 1000, currency: 'EUR' }] },
    });
    expect(await redeem('MINUS', ron(300))).toEqual({ amount: ron(300) });
    expect(await redeem('MINUS', { amount: 5000, currency: 'EUR' })).toEqual({ amount: { amount: 1000, currency: 'EUR' } });
    await promote(shop.a, {
      code: 'STEPS',
      type: 'tiered',
      value: {
        tiers: [
          { min: 0, percentBp: 100 },
          { min: 5000, percentBp: 1000 },
        ],
      },
    });
    expect([await redeem('STEPS', ron(4900)), await redeem('STEPS', ron(5000))]).toEqual([
      { amount: ron(49) },
      { amount: ron(500) },
    ]);
  });
  it('counts a sale once, and not one that is rolled back', async () => {
    const promotion = await promote(shop.a, { code: 'SAME', usageLimit: 1 });
    const request = { code: 'SAME', base: ron(1000), email: 'buyer@example.org', reference: 'same' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => use((service) => service.redeemCode(request))));
    expect(answers).toEqual(Array(6).fill({ amount: ron(100) }));
    expect((await look(shop.a, promotion.id)).usageCount).toBe(1);
    expect(
      (await shop.rows<Json>('select used_count from promotions_promotion where id = $1', [promotion.id]))[0].used_count,
    ).toBe(1);
    await promote(shop.a, { code: 'UNDONE', usageLimit: 1 });
    const failing = use(async (service) => {
      await service.redeemCode({ ...request, code: 'UNDONE', reference: 'undone' });
      throw new Problem('conflict');
    });
    await expect(failing).rejects.toMatchObject({ code: 'conflict' });
    expect(await redeem('UNDONE', ron(1000))).toEqual({ amount: ron(100) });
  });
  it('refuses with the errors of a cart', async () => {
    const group = await shop.a.admin.post<Json>('/api/admin/customer-groups/', { name: 'Club', code: 'club' });
    await promote(shop.a, { code: 'R-ITEMS', target: 'items' });
    await promote(shop.a, { code: 'R-SHIP', type: 'free_shipping' });
    await promote(shop.a, { code: 'R-MIN', conditions: [{ type: 'min_subtotal', value: ron(20_000) }] });
    await promote(shop.a, { code: 'R-GROUP', conditions: [{ type: 'customer_group', value: group.body.id }] });
    await promote(shop.a, { code: 'R-ONE', usageLimit: 1 });
    await redeem('R-ONE');
    const codes = ['missing', 'R-ITEMS', 'R-SHIP', 'R-MIN', 'R-GROUP', 'R-ONE'];
    expect(await Promise.all(codes.map((code) => outcome(redeem(code))))).toEqual([
      'coupon_not_found',
      'coupon_not_eligible',
      'coupon_not_eligible',
      'coupon_min_not_met',
      'coupon_not_eligible',
      'coupon_usage_limit',
    ]);
    await expect(redeem('R-MIN')).rejects.toMatchObject({ extra: { missing: ron(10_000) } });
    expect(await outcome(redeem('R-MIN', { amount: 1.5, currency: 'RON' }))).toBe('money_invalid');
    const customer = await shop.a.customer();
    await shop.a.admin.post(`/api/admin/customer-groups/${group.body.id}/assign`, { customerIds: [customer.customerId] });
    expect(await redeem('R-GROUP', ron(1000), { customerId: customer.customerId, email: customer.email })).toEqual({
      amount: ron(100),
    });
  });
  it('keeps a limit over many sales at once, slow ones too', async () => {
    const promotion = await promote(shop.a, { code: 'SLOW', usageLimit: 3 });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        outcome(
          shop.kernels[i % 2]!.inTenant(shop.a.id, 'promotions', async (ctx) => {
            await ctx
              .require(promotions)
              .redeemCode({ code: 'SLOW', base: ron(1000), email: `slow${i}@example.org`, reference: `slow-${i}` });
            await ctx.db.run(sql`select pg_sleep(${0.05 + i * 0.01})`);
          }),
        ),
      ),
    );
    expect(answers.sort()).toEqual([...Array(7).fill('coupon_usage_limit'), 'ok', 'ok', 'ok']);
    expect((await look(shop.a, promotion.id)).usageCount).toBe(3);
  });
});

describe('people', () => {
  it('get what they used, and leave no trace when they go', async () => {
    const promotion = await promote(shop.a, { name: 'Theirs', code: 'PERSON' });
    const reward = await promote(shop.a, { codes: [] });
    const { variantId } = await product(shop.a, 1000);
    const customer = await shop.a.customer('person@a.example');
    const { client } = await cartOf(customer, [variantId, 1]);
    await enter(client, 'PERSON');
    expect((await place(client, 900, { email: 'person@a.example' })).status).toBe(201);
    const { code } = await use((service) => service.issueCode(reward.id, customer.customerId));
    const person = { customerId: customer.customerId, emails: ['person@a.example'], phones: [] };
    const exported = await shop.a.run('customers', (ctx) => ctx.call(peopleExport, person));
    const rows = (resource: string) => exported.find((one) => one.resource === resource)?.rows;
    expect(rows('promotions.usage')).toEqual([
      expect.objectContaining({ promotion: 'Theirs', code: 'PERSON', discount: ron(100) }),
    ]);
    expect(rows('promotions.code')).toEqual([expect.objectContaining({ code, usedAt: null })]);
    const report: { resource: string; erased: number }[] = [];
    await shop.a.run('customers', (ctx) => ctx.call(peopleErase, { ...person, report: (entry) => void report.push(entry) }));
    expect(report.filter(({ resource }) => resource.startsWith('promotions.'))).toEqual([
      { resource: 'promotions.usage', erased: 1 },
      { resource: 'promotions.code', erased: 1 },
    ]);
    expect(await shop.rows('select 1 from promotions_usage where customer_id = $1', [customer.customerId])).toEqual([]);
    expect((await look(shop.a, promotion.id)).usageCount).toBe(1);
    expect(await outcome(use((service) => service.checkCode(code, {})))).toBe('coupon_not_found');
  });
});
