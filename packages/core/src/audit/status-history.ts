import { type Db, sql } from '@storeloom/plugin-sdk';

/** A row of the status history. */
export interface StatusChange {
  id: string;
  entity: string;
  entity_id: string;
  from_status: string | null;
  to_status: string;
  at: string;
  actor_type: string;
  actor_id: string | null;
  reason: string | null;
}

/** Writes the status changes of a unit of work in one statement. */
export function writeHistory(db: Db, tenantId: string, changes: readonly StatusChange[]): void {
  db.later(sql`insert into core_status_history (tenant_id, id, entity, entity_id, from_status, to_status, at, actor_type, actor_id, reason)
    select ${tenantId}, x.id, x.entity, x.entity_id, x.from_status, x.to_status, x.at, x.actor_type, x.actor_id, x.reason
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
      as x (id uuid, entity text, entity_id uuid, from_status text, to_status text, at timestamptz, actor_type text, actor_id text, reason text)`);
}
