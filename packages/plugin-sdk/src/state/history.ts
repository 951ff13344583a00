import { sql } from 'kysely';
import type { Ctx } from '../context.ts';

/** One move of a thing, as `ctx.history` wrote it. */
export interface HistoryEntry {
  from: string | null;
  to: string;
  at: string;
  actor: { type: string; id: string | null };
  reason: string | null;
}

/** The moves of one thing, the first first. `entity` is `<plugin>.<resource>`. */
export function readHistory(ctx: Ctx, entity: string, id: string): Promise<HistoryEntry[]> {
  return ctx.db.rows<HistoryEntry>(sql`
    select from_status as "from", to_status as "to", at, json_build_object('type', actor_type, 'id', actor_id) as actor, reason
    from core_status_history where tenant_id = ${ctx.tenant.id} and entity = ${entity} and entity_id = ${id} order by at, id`);
}
