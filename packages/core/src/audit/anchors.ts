import { type Db, sql } from '@storeloom/plugin-sdk';

/** The end of a tenant's chain at an instant. */
export interface AuditAnchor {
  tenantId: string;
  position: number;
  hash: string;
  at: string;
}

/** Records the end of each chain that has grown; returns the number of anchors. Platform role. */
export function anchorChains(db: Db): Promise<number> {
  return db.run(sql`insert into core_audit_anchor (chain, position, hash, at)
    select tenant_id, position, hash, date_trunc('milliseconds', now()) from core_audit_head on conflict do nothing`);
}

export function readAnchors(db: Db, tenantId?: string): Promise<AuditAnchor[]> {
  const only = tenantId === undefined ? sql`` : sql` where chain = ${tenantId}`;
  return db.rows<AuditAnchor>(
    sql`select chain as "tenantId", position, hash, at from core_audit_anchor${only} order by chain, position`,
  );
}

/** Returns rows whose hash differs from an anchor: the chain is consistent, but was rewritten. */
export async function anchorFaults(
  db: Db,
  tenantId: string,
  anchors: readonly Omit<AuditAnchor, 'at'>[],
): Promise<{ position: number; id: string | null; fault: 'anchor' }[]> {
  const own = anchors.filter((anchor) => anchor.tenantId === tenantId);
  const found = new Map<number, { id: string; hash: string }>();
  for (let from = 0; from < own.length; from += 1000) {
    const positions = own.slice(from, from + 1000).map(({ position }) => position);
    const rows = await db.rows<{ id: string; position: number; hash: string }>(
      sql`select id, position, hash from core_audit where tenant_id = ${tenantId} and position = any(${positions}::bigint[])`,
    );
    for (const { position, ...row } of rows) found.set(position, row);
  }
  return own
    .filter(({ position, hash }) => found.get(position)?.hash !== hash)
    .map(({ position }) => ({ position, id: found.get(position)?.id ?? null, fault: 'anchor' }));
}
