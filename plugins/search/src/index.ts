import { brandEvents, categoryEvents, orderEvents, productEvents } from '@storeloom/commerce';
import { definePlugin, type Job, migrations, on, onMany, provide, sql } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { searchLog } from './contract.ts';
import { jobs, manyChanged } from './document.ts';
import { facets } from './facets.ts';
import { searchLogService } from './query-log.ts';
import { queued } from './queued.ts';
import { orderPlaced, recommendations, similarTo, track } from './recommendations.ts';
import { searchRoutes } from './search.ts';

/** What visitors looked at is of no use for long. */
const forget: Job = {
  cron: '20 3 * * *',
  perTenant: true,
  async run(ctx) {
    await ctx.db.run(
      sql`delete from search_query where tenant_id = ${ctx.tenant.id} and created_at < ${ctx.clock.now()}::timestamptz - interval '400 days'`,
    );
  },
};

export default definePlugin({
  name: 'search',
  migrations: migrations(import.meta.url, ['0001_search.sql', '0002_bounded.sql', '0003_function_privileges.sql']),
  storefront: [...searchRoutes, facets, recommendations, similarTo, track],
  events: {
    onMany: [
      onMany(productEvents.created, queued.products, ({ id }) => id),
      onMany(productEvents.updated, queued.products, ({ id }) => id),
      onMany(productEvents.archived, queued.products, ({ id }) => id),
      onMany(productEvents.deleted, queued.products, ({ id }) => id),
    ],
    on: [
      on(categoryEvents.updated, manyChanged),
      on(categoryEvents.deleted, manyChanged),
      on(brandEvents.updated, manyChanged),
      on(brandEvents.deleted, manyChanged),
      on(orderEvents.placed, orderPlaced),
    ],
  },
  jobs: { ...jobs, forget },
  provides: [provide(searchLog, searchLogService)],
  locales: { ro, en },
});
