import { type Job, type JobData, type PlatformJob, sql } from '@storeloom/plugin-sdk';
import { type Kind, plan, publish as publishOne } from './document.ts';
import { pageKind } from './page.ts';
import { postKind } from './post.ts';
import type { queued } from './queued.ts';

const kinds: readonly Kind[] = [pageKind, postKind];

export const publish: Job<JobData<typeof queued.publish>> = {
  async run(ctx, { entity, id }) {
    const kind = kinds.find((one) => one.entity === entity);
    if (!kind) throw new Error(`${entity} can't be published`);
    await publishOne(ctx, kind, id);
  },
};

/** What should have been published and whose job was lost gets one again. Visitors see it meanwhile. */
export const overdue: PlatformJob = {
  platform: true,
  cron: '*/15 * * * *',
  async run(ctx) {
    for (const kind of kinds) {
      const rows = await ctx.transaction(
        (inside) =>
          inside.db.rows<{ tenantId: string; id: string; at: string }>(sql`
            select tenant_id as "tenantId", id, publish_at as at from ${sql.table(kind.sqlName)}
            where status = 'scheduled' and publish_at < ${new Date(ctx.clock.ms() - 300_000).toISOString()} limit 10000`),
        { readOnly: true },
      );
      for (const [tenantId, due] of Map.groupBy(rows, (row) => row.tenantId)) {
        if (ctx.signal.aborted) return;
        await ctx.withTenant(tenantId, async (inside) => {
          for (const { id, at } of due) await plan(inside, kind, id, at);
        });
      }
    }
  },
};
