import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, make, openStore, product, promote, promotionsPath, ron } from '../../test/store.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await openStore({ processes: 2 });
});
afterAll(() => shop?.stop());

const hour = 3_600_000;
const at = (ms: number): string => new Date(shop.clock.ms() + ms).toISOString();
/** Runs the jobs of a name that are due by the test clock. Returns their number. */
async function runDueJobs(name: string): Promise<number> {
  const rows = await shop.rows(
    `update jobs.job set start_after = now() where name = 'jobs' and state = 'created' and data ->> 'name' = $2
      and start_after <= $1 returning id`,
    [shop.clock.now(), name],
  );
  await shop.settled();
  return rows.length;
}
const list = '/api/storefront/products/';

describe('a catalogue promotion', () => {
  /** The price on a card and on the product page. */
  const priceAt = async (base: string, slug: string): Promise<number[]> => {
    const guest = shop.a.guest.at(base);
    const card = (await guest.get<Json>(`${list}?limit=100`)).body.data.find((one: Json) => one.slug === slug);
    return [card.price.amount, (await guest.get<Json>(`${list}${slug}`)).body.price.amount];
  };
  it('starts and ends on cached pages, in every process', async () => {
    const { slug } = await product(shop.a, 10_000);
    const created = await promote(shop.a, { stage: 'catalog', startsAt: at(hour), endsAt: at(3 * hour) });
    // Enqueued twice, still one job an instant.
    await shop.a.admin.patch(`${promotionsPath}${created.id}`, { name: 'Noon' });
    const everywhere = async (amount: number): Promise<void> => {
      for (const base of shop.bases) await expect.poll(() => priceAt(base, slug), { interval: 20 }).toEqual([amount, amount]);
    };
    await everywhere(10_000);
    shop.clock.advance(2 * hour);
    expect(await runDueJobs('shelf-due')).toBe(1);
    await everywhere(9000);
    shop.clock.advance(2 * hour);
    expect(await runDueJobs('shelf-due')).toBe(1);
    await everywhere(10_000);
  });

  it('of the cart stage enqueues no job', async () => {
    await promote(shop.a, { startsAt: at(hour), endsAt: at(2 * hour) });
    shop.clock.advance(2 * hour);
    expect(await runDueJobs('shelf-due')).toBe(0);
  });
});

describe('a quantity price', () => {
  it('starts and ends on cached pages, in every process', async () => {
    const { slug, productId } = await product(shop.a, 10_000);
    await make(shop.a.admin, `/api/admin/volume-prices/${productId}`, {
      minQuantity: 3,
      percentBp: 1000,
      startsAt: at(hour),
      endsAt: at(3 * hour),
    });
    const everywhere = async (tiers: Json[]): Promise<void> => {
      for (const base of shop.bases) {
        const guest = shop.a.guest.at(base);
        const seen = async () => (await guest.get<Json>(`${list}${slug}`)).body.tiers;
        await expect.poll(seen, { interval: 20 }).toEqual(tiers);
      }
    };
    await everywhere([]);
    shop.clock.advance(2 * hour);
    expect(await runDueJobs('change-due')).toBe(1);
    await everywhere([{ minQuantity: 3, price: ron(9000) }]);
    shop.clock.advance(2 * hour);
    expect(await runDueJobs('change-due')).toBe(1);
    await everywhere([]);
  });
});

describe('lists read while staff archive, publish and delete products', () => {
  it('always respond, without deleted products', async () => {
    await promote(shop.a, { stage: 'catalog' });
    const stays = await product(shop.a, 10_000);
    const goes = await product(shop.a, 10_000);
    let looking = true;
    const archiving = async (): Promise<void> => {
      for (let i = 0; looking; i++) {
        const status = i % 2 ? 'active' : 'archived';
        expect((await shop.a.admin.patch(`/api/admin/products/${goes.productId}`, { status })).status).toBe(200);
      }
    };
    const removing = async (): Promise<void> => {
      while (looking) {
        const { productId } = await product(shop.a, 10_000);
        expect((await shop.a.admin.delete(`/api/admin/products/${productId}`)).status).toBe(204);
      }
    };
    const readPromotion = async (base: string): Promise<void> => {
      // Requests with a cart token are never served from the cache.
      const visitor = shop.a.guest.at(base).with({ 'x-cart-token': 'held' });
      for (let i = 0; i < 40; i++) {
        const { status, body } = await visitor.get<Json>(`${list}?limit=100`);
        expect([status, body.code]).toEqual([200, undefined]);
        expect(body.data.map(({ slug }: Json) => slug)).toContain(stays.slug);
        expect([200, 404]).toContain((await visitor.get(`${list}${goes.slug}`)).status);
      }
    };
    const staff = [archiving(), removing()];
    const looks = await Promise.allSettled(shop.bases.map(readPromotion));
    looking = false;
    for (const end of [...looks, ...(await Promise.allSettled(staff))]) expect(end).toMatchObject({ status: 'fulfilled' });
  });
});
