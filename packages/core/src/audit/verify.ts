import { type Db, sql } from '@storeloom/plugin-sdk';
import { type AuditRecord, auditHash, genesis } from './audit.ts';

export interface ChainFault {
  /** Place in the tenant's chain, from 1. */
  position: number;
  /** Null if the row is missing. */
  id: string | null;
  /** `changed`: the row was edited. `missing`: it was deleted. `added`: it was inserted later. `head`: the head is missing or behind. */
  fault: 'changed' | 'missing' | 'added' | 'head';
}
export interface ChainReport {
  /** Number of rows read. */
  rows: number;
  position: number;
  /** Hash of the last row, to compare with an anchor stored elsewhere. */
  hash: string;
  faults: ChainFault[];
}

interface StoredRow extends Omit<AuditRecord, 'tenantId'> {
  prevHash: string;
  hash: string;
}

const maxFaults = 1000;

/**
 * Verifies a tenant's chain and reports each row that was changed, deleted, moved or added. Works in the tenant's scope and as the platform
 * role. A chain rewritten as a whole is detected by comparing `hash` with an anchor.
 */
export async function verifyChain(db: Db, tenantId: string, batch = 1000): Promise<ChainReport> {
  const head = await db.first<{ position: number; hash: string }>(
    sql`select position, hash from core_audit_head where tenant_id = ${tenantId}`,
  );
  const end = head?.position ?? 0;
  const faults: ChainFault[] = [];
  const note = (position: number, id: string | null, fault: ChainFault['fault']): void => {
    if (faults.length < maxFaults && !faults.some((known) => known.position === position)) faults.push({ position, id, fault });
  };
  let rows = 0;
  let previous: StoredRow | undefined;
  let next = 1;
  while (faults.length < maxFaults) {
    const page =
      await db.rows<StoredRow>(sql`select id, position, actor_type as "actorType", actor_id as "actorId", action, entity, entity_id as "entityId", changes, ip, request_id as "requestId",
      to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, prev_hash as "prevHash", hash
      from core_audit where tenant_id = ${tenantId} and position >= ${next} and position <= ${end} order by position limit ${batch}`);
    for (const row of page) {
      rows++;
      const gap = row.position > next;
      for (let position = next; position < row.position && faults.length < maxFaults; position++) note(position, null, 'missing');
      const intact = hashOf(tenantId, row) === row.hash;
      if (!intact) note(row.position, row.id, 'changed');
      // The row is consistent, but its previous hash differs from that of the row before: that one was rewritten with its hash.
      else if (!gap && row.prevHash !== (previous?.hash ?? genesis))
        note(previous?.position ?? row.position, (previous ?? row).id, 'changed');
      previous = row;
      next = row.position + 1;
    }
    if (page.length < batch) break;
  }
  for (let position = next; position <= end && faults.length < maxFaults; position++) note(position, null, 'missing');
  if (previous && previous.position === end && head && previous.hash !== head.hash) note(end, previous.id, 'changed');
  // Read in one snapshot, since rows can be added meanwhile.
  const beyond = await db.rows<{
    id: string;
    position: number;
    headless: boolean;
  }>(sql`select a.id, a.position, h.position is null as headless from core_audit a left join core_audit_head h on h.tenant_id = a.tenant_id
    where a.tenant_id = ${tenantId} and a.position > coalesce(h.position, 0) order by a.position limit 100`);
  if (beyond[0]?.headless) note(beyond[0].position, beyond[0].id, 'head');
  else for (const row of beyond) note(row.position, row.id, 'added');
  faults.sort((a, b) => a.position - b.position);
  return { rows, position: end, hash: head?.hash ?? genesis, faults };
}

function hashOf(tenantId: string, row: StoredRow): string {
  const { prevHash, hash: _, ...rest } = row;
  // Written with milliseconds: a finer time was edited later and must change the hash.
  return auditHash(prevHash, { tenantId, ...rest, at: row.at.replace(/000Z$/, 'Z') });
}
