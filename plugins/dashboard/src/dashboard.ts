import { type Ctx, f, listOf, Problem, route, statsCatalogue } from '@storeloom/plugin-sdk';
import { type Item, itemFields, widgets } from './items.ts';
import { presentLayout } from './layouts.ts';

interface Asked {
  from: string | null;
  to: string | null;
}
type Shown = Item & { data: Readonly<Record<string, unknown>> | null; error: string | null };

/** The figure of one widget; undefined where its plugin is off or the caller may not see it. One that fails doesn't take the others along. */
async function show(ctx: Ctx, item: Item, asked: Asked): Promise<Shown | undefined> {
  try {
    const data = await ctx.savepoint(async () => ctx.require(statsCatalogue).read(ctx, item.widget, asked));
    return data && { ...item, data, error: null };
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_parameter') throw error;
    ctx.log.error({ err: error, plugin: 'dashboard', widget: item.widget }, 'a figure of the dashboard could not be counted');
    return { ...item, data: null, error: 'unavailable' };
  }
}

export const dashboardRoutes = [
  route(
    'GET',
    '/dashboard/',
    {
      permission: 'dashboard.layout.read',
      summary: 'The own dashboard with its figures; without those of plugins that are off, and those that the caller may not see',
      query: { from: f.date().optional().example(null), to: f.date().optional().example(null) },
      response: {
        items: f.list(
          f.object({
            ...itemFields,
            data: f.json().optional().describe('Figures of the widget, as its plugin gives them.'),
            error: f.text().optional(),
          }),
        ),
        version: f.int(),
      },
    },
    async (ctx, req) => {
      const { items, version } = await presentLayout(ctx);
      const shown: Shown[] = [];
      // One after the other: they share the transaction.
      for (const item of items) {
        const one = await show(ctx, item, req.query);
        if (one) shown.push(one);
      }
      return { items: shown, version };
    },
  ),
  route(
    'GET',
    '/dashboard/widgets',
    {
      permission: 'dashboard.layout.read',
      summary: 'What a dashboard may show, of the plugins that are on',
      response: {
        key: f.text(),
        plugin: f.text(),
        title: f.json().describe('Text by locale.'),
        sizes: f.list(f.object({ w: f.int(), h: f.int() })),
        permission: f.text(),
      },
      list: true,
    },
    async (ctx) => listOf(widgets(ctx)),
  ),
];
