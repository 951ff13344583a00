import type { PricingLine } from '@storeloom/commerce';
import { type Actor, type Ctx, Problem } from '@storeloom/plugin-sdk';
import { describe, expect, it } from 'vitest';
import { viewerOf } from './viewer.ts';

const guest: Actor = { type: 'guest' };
const customer: Actor = { type: 'customer', customerId: 'c', authAt: '2026-01-01T00:00:00.000Z' };

/** A context with the properties that `viewerOf` reads. `services` by token id. */
function ctxWith(actor: Actor, services: Record<string, unknown>): Ctx {
  return {
    actor,
    tenant: { currency: 'RON', defaultLocale: 'ro' },
    use: ({ id }: { id: string }) => services[id],
  } as unknown as Ctx;
}
const pricing = (plain: boolean, calls: PricingLine[][]) => ({
  plain: async () => plain,
  context: async ({ currency }: { currency: string }) => ({ currency, customer: { id: 'c', groupIds: ['g'] } }),
  async resolve(_: unknown, lines: PricingLine[]) {
    calls.push(lines);
    return lines.toReversed().map((line) => ({ ...line, unitPrice: line.quantity * 10, listPrice: 100 }));
  },
});

describe('viewerOf', () => {
  it('a guest in the shop’s currency sees general prices without checkout, or if checkout reports no price rules', async () => {
    const calls: PricingLine[][] = [];
    expect((await viewerOf(ctxWith(guest, {}), null)).general).toBe(true);
    expect((await viewerOf(ctxWith(guest, { 'checkout:pricing': pricing(true, calls) }), null)).general).toBe(true);
    expect((await viewerOf(ctxWith(guest, { 'checkout:pricing': pricing(true, calls) }), 'RON')).general).toBe(true);
    expect(calls).toEqual([]);
  });
  it.each([
    ['price rules are active', guest, false],
    ['the viewer is a customer', customer, true],
  ] as const)('calls the pipeline once if %s, and returns prices in request order', async (_, actor, plain) => {
    const calls: PricingLine[][] = [];
    const viewer = await viewerOf(ctxWith(actor, { 'checkout:pricing': pricing(plain, calls) }), null);
    expect(viewer).toMatchObject({ general: false, currency: 'RON', groupIds: ['g'] });
    const prices = await viewer.prices([
      { variantId: 'a', quantity: 1 },
      { variantId: 'b', quantity: 5 },
    ]);
    expect(prices).toEqual([
      { unitPrice: 10, listPrice: 100, reducedSince: null, compareAt: null },
      { unitPrice: 50, listPrice: 100, reducedSince: null, compareAt: null },
    ]);
    expect(calls).toHaveLength(1);
    expect(await viewer.prices([])).toEqual([]);
    expect(calls).toHaveLength(1);
  });
  it('rejects a currency that the shop doesn’t use', async () => {
    const fx = { enabled: async () => [{ code: 'RON' }, { code: 'EUR' }] };
    expect(await viewerOf(ctxWith(guest, { 'currencies:fx': fx }), 'EUR')).toMatchObject({ general: false, currency: 'EUR' });
    await expect(viewerOf(ctxWith(guest, { 'currencies:fx': fx }), 'USD')).rejects.toMatchObject({ code: 'invalid_parameter' });
    await expect(viewerOf(ctxWith(guest, {}), 'EUR')).rejects.toMatchObject({ code: 'invalid_parameter' });
  });

  it('variants that became unavailable have no price, and the others do', async () => {
    const calls: string[][] = [];
    const goes = [['a', 'c'], ['e']];
    const house = pricing(false, []);
    const viewer = await viewerOf(
      ctxWith(guest, {
        'checkout:pricing': {
          ...house,
          async resolve(context: unknown, lines: PricingLine[]) {
            calls.push(lines.map(({ variantId }) => variantId!));
            const gone = goes.shift();
            if (!gone) return house.resolve(context, lines);
            throw new Problem('not_found', {
              lines: lines.filter(({ variantId }) => gone.includes(variantId!)).map(({ id }) => id),
            });
          },
        },
      }),
      null,
    );
    const requests = ['a', 'b', 'c', 'd', 'e'].map((variantId, i) => ({ variantId, quantity: i + 1 }));
    const prices = await viewer.prices(requests);
    expect(prices.map((price) => price?.unitPrice)).toEqual([undefined, 20, undefined, 40, undefined]);
    expect(calls).toEqual([
      ['a', 'b', 'c', 'd', 'e'],
      ['b', 'd', 'e'],
      ['b', 'd'],
    ]);
    goes.push(['a', 'b', 'c', 'd', 'e']);
    expect(await viewer.prices(requests)).toEqual(Array(5).fill(undefined));
  });
  it.each([
    ['no line that was asked for', new Problem('not_found', { lines: ['other'] })],
    ['none at all', new Problem('not_found')],
    ['another reason', new Problem('conflict', { lines: ['0'] })],
    ['a fault', new Error('broken')],
  ])('rethrows an error that names %s', async (_, error) => {
    const resolve = () => Promise.reject(error);
    const viewer = await viewerOf(ctxWith(guest, { 'checkout:pricing': { ...pricing(false, []), resolve } }), null);
    await expect(viewer.prices([{ variantId: 'a', quantity: 1 }])).rejects.toBe(error);
  });
});
