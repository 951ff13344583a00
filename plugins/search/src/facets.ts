import { catalog } from '@storeloom/commerce';
import { route } from '@storeloom/plugin-sdk';
import { z } from 'zod';
import { find } from './find.ts';
import { sameAs, searchQuery } from './search.ts';

const money = z.strictObject({ amount: z.int(), currency: z.string() });

export const facets = route(
  'GET',
  '/facets/',
  {
    summary: 'Values to filter by, with counts',
    query: searchQuery,
    sameAs,
    response: z.strictObject({
      facets: z.array(
        z.strictObject({
          code: z.string(),
          label: z.string(),
          type: z.string(),
          values: z.array(z.strictObject({ value: z.string(), label: z.string(), count: z.int(), selected: z.boolean() })),
        }),
      ),
      price: z.strictObject({ min: money, max: money }).nullable(),
    }),
    // Documents follow their products a little later.
    cache: { tags: ['catalog', 'search'], maxAge: 60 },
    rateLimit: { points: 240, seconds: 60 },
  },
  async (ctx, req) => {
    const { q, rest } = req.query;
    const shelf = ctx.require(catalog).parseProductList(rest);
    const ids = q === '' ? null : (await find(ctx, q)).productIds;
    return ctx.require(catalog).facets(shelf, ids);
  },
);
