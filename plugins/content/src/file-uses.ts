import { type Ctx, sql } from '@storeloom/plugin-sdk';

/** Pages, posts and sections that show a file. Its key stands in its address. */
export async function fileUses(ctx: Ctx, { key }: { key: string }): Promise<{ resource: string; count: number }[]> {
  const t = ctx.tenant.id;
  return ctx.db.rows<{ resource: string; count: number }>(sql`
    select 'pages' as resource, count(*)::int as count from content_page
      where tenant_id = ${t} and position(${key} in concat_ws(' ', body::text, seo::text)) > 0
    union all select 'posts', count(*)::int from content_post
      where tenant_id = ${t} and position(${key} in concat_ws(' ', body::text, seo::text, excerpt::text, cover)) > 0
    union all select 'sections', count(*)::int from content_section
      where tenant_id = ${t} and position(${key} in concat_ws(' ', settings::text, image)) > 0`);
}
