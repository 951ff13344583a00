import {
  type Actor,
  type AuditEntry,
  type AuditLog,
  type AuditLogEntry,
  type Db,
  invalidParameter,
  type Shape,
  sql,
  uuidv7,
} from '@storeloom/plugin-sdk';
import { actorId } from './actor-id.ts';
import { type Changes, canonicalJson, changesOf, sha256 } from './changes.ts';

/** Actor and origin of a write, from its unit of work. */
interface AuditWho {
  actor: Actor;
  /** `orders.order.refund`; overridden by the action of the entry. */
  action: string;
  ip: string | null;
  requestId: string | null;
  /** Instant, `2026-11-27T20:12:00.000Z`. */
  at: string;
}
export interface AuditBuffer {
  /** Number of unwritten entries. */
  readonly size: number;
  add(entry: AuditEntry, who: AuditWho): void;
  /**
   * Writes the rows and advances the head of the tenant's chain. Its lock serialises all audited writes of the tenant: call it as the last
   * statement before the commit, in the transaction of the change.
   */
  flush(db: Db, tenantId: string): Promise<void>;
}
export interface AuditOptions {
  /** Returns the fields of an entity, to find its secrets: `(name) => entities.find(name)?.table.fields`. */
  shapeOf?(entity: string): Shape | undefined;
}

/** Previous hash of the first row of a chain. */
export const genesis = '0'.repeat(64);

/** The hashed content of a row. */
export interface AuditRecord {
  tenantId: string;
  id: string;
  position: number;
  actorType: string;
  actorId: string | null;
  action: string;
  entity: string;
  entityId: string | null;
  changes: Changes;
  ip: string | null;
  requestId: string | null;
  at: string;
}
/** Returns `sha256(prevHash || canonical JSON)` in hex. */
export function auditHash(prevHash: string, record: AuditRecord): string {
  return sha256(prevHash + canonicalJson(record));
}

/** Collects the rows of one transaction. A repeated transaction starts with a new buffer. */
export function createAuditBuffer(options: AuditOptions = {}): AuditBuffer {
  const waiting: Omit<AuditRecord, 'tenantId' | 'position'>[] = [];
  return {
    get size() {
      return waiting.length;
    },
    add(entry, who) {
      waiting.push({
        id: uuidv7(Date.parse(who.at)),
        actorType: who.actor.type,
        actorId: actorId(who.actor),
        action: entry.action ?? who.action,
        entity: entry.entity,
        entityId: entry.entityId,
        changes: changesOf(entry, options.shapeOf?.(entry.entity)),
        ip: who.ip,
        requestId: who.requestId,
        at: who.at,
      });
    },
    async flush(db, tenantId) {
      if (waiting.length === 0) return;
      // One statement creates the head of a new tenant, or locks and reads the existing one.
      const head = await db.first<{
        position: number;
        hash: string;
      }>(sql`insert into core_audit_head as h (tenant_id, position, hash) values (${tenantId}, 0, ${genesis})
        on conflict (tenant_id) do update set position = h.position returning position, hash`);
      if (!head) throw new Error('the head of the audit chain was not returned');
      let { position, hash } = head;
      const tuples = waiting.splice(0).map((entry) => {
        const record: AuditRecord = { tenantId, position: ++position, ...entry };
        const prevHash = hash;
        hash = auditHash(prevHash, record);
        return sql`(${tenantId}::uuid, ${record.id}::uuid, ${position}::bigint, ${record.actorType}, ${record.actorId}, ${record.action}, ${record.entity}, ${record.entityId}, ${JSON.stringify(record.changes)}::jsonb, ${record.ip}, ${record.requestId}, ${record.at}::timestamptz, ${prevHash}, ${hash})`;
      });
      db.later(sql`with written as (insert into core_audit (tenant_id, id, position, actor_type, actor_id, action, entity, entity_id, changes, ip, request_id, at, prev_hash, hash) values ${sql.join(tuples)})
        update core_audit_head set position = ${position}, hash = ${hash} where tenant_id = ${tenantId}`);
    },
  };
}

const columns = sql`id, position, json_build_object('type', actor_type, 'id', actor_id) as actor, action, entity, entity_id as "entityId", changes, ip, request_id as "requestId", at, prev_hash as "prevHash", hash`;

/** Reads the audit log, newest first. `from` is inclusive, `to` exclusive; `actor` is an id or a type. */
export const auditReader: AuditLog = {
  async list({ db, tenant }, query) {
    const parts = [sql`tenant_id = ${tenant.id}`];
    if (query.cursor !== undefined) parts.push(sql`position < ${readCursor(query.cursor)}`);
    if (query.entity !== undefined) parts.push(sql`entity = ${query.entity}`);
    if (query.entityId !== undefined) parts.push(sql`entity_id = ${query.entityId}`);
    if (query.action !== undefined) parts.push(sql`action = ${query.action}`);
    if (query.actor !== undefined) parts.push(sql`(actor_id = ${query.actor} or actor_type = ${query.actor})`);
    if (query.from !== undefined) parts.push(sql`at >= ${query.from}`);
    if (query.to !== undefined) parts.push(sql`at < ${query.to}`);
    const rows = await db.rows<AuditLogEntry>(
      sql`select ${columns} from core_audit where ${sql.join(parts, sql` and `)} order by position desc limit ${query.limit + 1}`,
    );
    const more = rows.length > query.limit;
    if (more) rows.pop();
    const last = rows.at(-1);
    return { rows, nextCursor: more && last ? Buffer.from(`p${last.position}`).toString('base64url') : null };
  },
  get({ db, tenant }, id) {
    return db.first<AuditLogEntry>(sql`select ${columns} from core_audit where tenant_id = ${tenant.id} and id = ${id}`);
  },
};

function readCursor(cursor: string): number {
  const match = /^p(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (!match) throw invalidParameter('cursor', 'is not a cursor of this list');
  return Number(match[1]);
}
