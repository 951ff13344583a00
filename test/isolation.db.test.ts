import { isolationFaults } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTill, type Till } from '../plugins/checkout/test/till.ts';
import { emptyTables, fill } from './support/fill.ts';
import { everyPlugin } from './support/house.ts';

/** Every route with parameters × ids of the other shop's rows, for every plugin of the repository, with both shops in use. */
const nightly = process.env.STORELOOM_NIGHTLY === '1';
let till: Till;
beforeAll(async () => {
  till = await openTill(everyPlugin);
  for (const tenant of [till.shop.a, till.shop.b]) await fill(till, tenant);
});
afterAll(() => till?.stop());

describe('another shop’s ids', () => {
  // Few tables stay empty; of the others at least one row each is tried.
  it('are there to be tried', async () => {
    const empty = await emptyTables(till.shop, till.shop.b.id);
    expect(empty.length, empty.join(' ')).toBeLessThan(40);
  });

  it.each(
    [...everyPlugin, 'identity', 'customers', 'workspace', 'dashboard', 'platform', 'webhooks', 'content'].map((name) =>
      name.replace('@storeloom/plugin-', ''),
    ),
  )(
    'mean nothing to %s',
    async (plugin) => {
      const { faults, probes } = await isolationFaults(till.shop, plugin, nightly ? { each: 200, least: 200 } : { each: 2 });
      console.info(`${plugin}: ${probes} probes with ids of another shop, ${faults.length} faults`);
      expect(faults).toEqual([]);
    },
    600_000,
  );
});
