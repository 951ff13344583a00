import { definePlugin, sql } from '@storeloom/plugin-sdk';

/** A plugin with figures: one that counts, one that another permission hides, one that fails in the database. */
export default definePlugin({
  name: 'figures',
  permissions: { 'figures.margin.read': 'See margins' },
  stats: {
    visits: async (ctx, { from, to }) => ({ metrics: { visits: 3, from, to, shop: ctx.tenant.slug } }),
    margin: async (ctx) =>
      ctx.can('figures.margin.read') ? { metrics: { margin: 7 } } : { metrics: { margin: null }, masked: ['margin'] },
    broken: async (ctx) => ({ metrics: await ctx.db.rows<never>(sql`select 1 / 0`).then(() => ({})) }),
  },
  locales: {
    ro: { 'plugin.title': 'Cifre', 'stats.visits.title': 'Vizite' },
    en: { 'plugin.title': 'Figures', 'stats.visits.title': 'Visits' },
  },
});
