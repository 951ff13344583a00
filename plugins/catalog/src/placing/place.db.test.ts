import type { PlaceInput, PricingLine } from '@storeloom/commerce';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { context, fault, line } from '../../test/lines.ts';
import { makeProduct, ron } from '../../test/shop.ts';
import { checkPlacing } from './place.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog'] });
});
afterAll(() => shop?.stop());

describe('place.check', () => {
  const place = (lines: PricingLine[], more: Partial<PlaceInput> = {}) =>
    shop.a.run('catalog', (ctx) =>
      checkPlacing(ctx, {
        context: context({ purpose: 'place' }),
        draftId: null,
        priced: { lines },
        ...more,
      } as unknown as PlaceInput),
    );
  it('keeps minimum, maximum and step, all lines of a variant together', async () => {
    const made = await makeProduct(shop.a, {
      variants: [{ sku: 'PACK', price: ron(1), minPerOrder: 4, maxPerOrder: 8, step: 2 }],
    });
    const { id } = made.variants[0];
    await place([line(id, 2), line(id, 2)]);
    await place([line(id, 8)]);
    for (const [quantities, code] of [
      [[2], 'too_small'],
      [[5, 5], 'too_big'],
      [[2, 3], 'off_step'],
    ] as const)
      expect(await fault(place(quantities.map((quantity) => line(id, quantity))))).toMatchObject({
        code: 'validation_failed',
        errors: quantities.map((_, i) => ({ pointer: `/lines/${i}/quantity`, code })),
      });
    await place([line(id, 1)], { draftId: 'd' });
  });
  it('refuses what is no longer to be had', async () => {
    const made = await makeProduct(shop.a);
    const lines = [line(made.variants[0].id, 1)];
    await place(lines);
    await shop.a.admin.patch(`/api/admin/products/${made.id}`, { status: 'archived' });
    expect(await fault(place(lines))).toMatchObject({ code: 'not_found', lines: [lines[0]!.id] });
    await place(lines, { draftId: 'd' });
  });
});
