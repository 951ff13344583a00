import { type Db, sql, uuidv7 } from '@storeloom/plugin-sdk';
import type { Scope } from '../context/scope.ts';
import { actorId } from './actor-id.ts';
import { changesOf } from './changes.ts';

/** Writes audit entries of an operator's change, in its transaction. */
export async function platformAudit(db: Db, scope: Scope, at: string): Promise<void> {
  for (const entry of scope.audit) {
    await db.run(sql`insert into core_platform_audit (id, actor_type, actor_id, action, entity, entity_id, changes, ip, request_id, at)
      values (${uuidv7(Date.parse(at))}, ${scope.actor.type}, ${actorId(scope.actor)}, ${entry.action ?? scope.action ?? entry.entity}, ${entry.entity}, ${entry.entityId},
        ${JSON.stringify(changesOf(entry))}::jsonb, ${scope.ip}, ${scope.requestId}, ${at})`);
  }
}
