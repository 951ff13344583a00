import { sql } from 'kysely';
import type { Ctx } from '../context.ts';

/** A state change, as `ctx.history` recorded it. */
export interface HistoryEntry {
  /** Previous state; null on creation. */
  from: string | null;
  /** New state. */
  to: string;
  /** Instant of the change. */
  at: string;
  /** Who made the change. */
  actor: { type: string; id: string | null };
  /** Reason given, if any. */
  reason: string | null;
}

/** Returns the state changes of one row, oldest first. `entity` is `<plugin>.<resource>`. */
export function readHistory(ctx: Ctx, entity: string, id: string): Promise<HistoryEntry[]> {
  return ctx.db.rows<HistoryEntry>(sql`
    select from_status as "from", to_status as "to", at, json_build_object('type', actor_type, 'id', actor_id) as actor, reason
    from core_status_history where tenant_id = ${ctx.tenant.id} and entity = ${entity} and entity_id = ${id} order by at, id`);
}
