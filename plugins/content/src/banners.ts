import { themes } from '@storeloom/plugin-platform/contract';
import { f, listOf, route, sql, type TableRow } from '@storeloom/plugin-sdk';
import { localizedText } from '@storeloom/plugin-sdk/public';
import { fits, viewerOf } from './audience.ts';
import type { section } from './section.ts';
import { type BannerTexts, banner, bannerSettings } from './section-settings.ts';

type Banner = TableRow<typeof section>;

export const banners = route(
  'GET',
  '/banners/{placement}',
  {
    cache: { tags: ['content'], maxAge: 60 },
    params: { placement: f.text({ max: 120 }) },
    summary: 'Banners of a placement that are shown now, the most important first',
    response: {
      id: f.id(),
      placement: f.text({ max: 120 }),
      image: f.text({ max: 2000 }).optional(),
      imageAlt: f.text({ max: 500 }).optional(),
      link: f.text({ max: 2000 }).optional(),
      priority: f.int(),
      settings: f.object({ heading: f.text().optional(), text: f.text({ max: 5000 }).optional(), label: f.text().optional() }),
    },
    list: true,
  },
  async (ctx, req) => {
    const now = ctx.clock.now();
    const rows = await ctx.db.rows<Banner>(sql`
      select id, image, image_alt as "imageAlt", link, priority, settings, audience from content_section
      where tenant_id = ${ctx.tenant.id} and type = ${banner} and placement = ${req.params.placement} and active
        and (starts_at is null or starts_at <= ${now}) and (ends_at is null or ends_at > ${now})
      order by priority desc, page, position, id`);
    const viewer = await viewerOf(
      ctx,
      rows.map(({ audience }) => audience),
    );
    return listOf(
      rows
        .filter(({ audience }) => fits(audience, viewer))
        .map(({ id, image, imageAlt, link, priority, settings }) => ({
          id,
          placement: req.params.placement,
          image,
          imageAlt: localizedText(imageAlt, ctx.locale, ctx.tenant.defaultLocale),
          link,
          priority,
          settings: ctx.require(themes).shown(bannerSettings, settings) as BannerTexts,
        })),
    );
  },
);
