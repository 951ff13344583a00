import { type Promotions, promotions } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { Problem, peopleErase, peopleExport, sql } from '@storeloom/plugin-sdk';
import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  cartOf,
  enterCode,
  type Json,
  openStore,
  place,
  product,
  promote,
  promotionsPath,
  readPromotion,
  ron,
} from '../test/store.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await openStore({ processes: 2 });
});
afterAll(() => shop?.stop());

const use = <T>(fn: (service: Promotions, ctx: Ctx) => Promise<T>): Promise<T> =>
  shop.a.run('promotions', (ctx) => fn(ctx.require(promotions), ctx));
/** Code and extra fields of the problem, or `ok`. */
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

  it('checks a code without a cart', async () => {
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
  it('checks the total limit and the limit of a customer', async () => {
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
  it('issues single-use codes for a customer', async () => {
    const promotion = await promote(shop.a, { name: 'Reward', codes: [] });
    const owner = await shop.a.customer();
    const other = await shop.a.customer();
    const { code } = await use((service) => service.issueCode(promotion.id, owner.customerId));
    const free = await use((service) => service.issueCode(promotion.id, null));
    expect(code).toMatch(/^([2-9B-DF-HJ-NP-TV-XZ]{4}-){2}[2-9B-DF-HJ-NP-TV-XZ]{4}$/);
    expect(code).not.toBe(free.code);
    // The promotion has no automatic effect.
    const { variantId } = await product(shop.a, 1000);
    const [ownerCart, otherCart] = [await cartOf(owner, [variantId, 1]), await cartOf(other, [variantId, 1])];
    expect(ownerCart.cart.totals.total).toEqual(ron(1000));
    expect((await enterCode(otherCart.client, code)).code).toBe('coupon_not_eligible');
    expect((await enterCode(ownerCart.client, code)).totals.total).toEqual(ron(900));
    expect((await place(ownerCart.client, 900, { email: owner.email })).status).toBe(201);
    expect(await readPromotion(shop.a, promotion.id)).toMatchObject({ codes: [], codesTotal: 2, codesUsed: 1 });
    // A guest may enter a personal code, which is refused when placing.
    const { code: second } = await use((service) => service.issueCode(promotion.id, owner.customerId));
    const guest = await cartOf(shop.a.guest, [variantId, 1]);
    await enterCode(guest.client, second);
    const refused = await place(guest.client, 900, { email: 'somebody@example.org' });
    expect([refused.body.code, refused.body.promotions[0].reason]).toEqual(['promotion_changed', 'coupon_not_eligible']);
    // Replacing the list keeps issued codes.
    await shop.a.admin.patch(`${promotionsPath}${promotion.id}`, { codes: ['LISTED'] });
    expect(await readPromotion(shop.a, promotion.id)).toMatchObject({ codes: ['LISTED'], codesTotal: 4 });
  });
  it("refuses promotions that can't have codes", async () => {
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

  it('returns and counts the discount of an order promotion', async () => {
    const promotion = await promote(shop.a, {
      code: 'SALE',
      value: { percentBp: 1250 },
      type: 'percentage',
      maxDiscount: ron(2000),
    });
    expect(await redeem('sale')).toEqual({ amount: ron(1250) });
    expect(await redeem('SALE', ron(100_000))).toEqual({ amount: ron(2000) });
    expect(await readPromotion(shop.a, promotion.id)).toMatchObject({ usageCount: 2, spent: ron(3250) });
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
  it('counts a sale once, and not after a rollback', async () => {
    const promotion = await promote(shop.a, { code: 'SAME', usageLimit: 1 });
    const request = { code: 'SAME', base: ron(1000), email: 'buyer@example.org', reference: 'same' };
    const responses = await Promise.all(Array.from({ length: 6 }, () => use((service) => service.redeemCode(request))));
    expect(responses).toEqual(Array(6).fill({ amount: ron(100) }));
    expect((await readPromotion(shop.a, promotion.id)).usageCount).toBe(1);
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
  it('refuses with the same problems as a cart', async () => {
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
  it('enforces a limit over concurrent sales, including slow ones', async () => {
    const promotion = await promote(shop.a, { code: 'SLOW', usageLimit: 3 });
    const responses = await Promise.all(
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
    expect(responses.sort()).toEqual([...Array(7).fill('coupon_usage_limit'), 'ok', 'ok', 'ok']);
    expect((await readPromotion(shop.a, promotion.id)).usageCount).toBe(3);
  });
});

describe('people', () => {
  it('export their uses, and are anonymised by erasure', async () => {
    const promotion = await promote(shop.a, { name: 'Theirs', code: 'PERSON' });
    const reward = await promote(shop.a, { codes: [] });
    const { variantId } = await product(shop.a, 1000);
    const customer = await shop.a.customer('person@a.example');
    const { client } = await cartOf(customer, [variantId, 1]);
    await enterCode(client, 'PERSON');
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
    expect((await readPromotion(shop.a, promotion.id)).usageCount).toBe(1);
    expect(await outcome(use((service) => service.checkCode(code, {})))).toBe('coupon_not_found');
  });
});
