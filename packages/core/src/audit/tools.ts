import { createDatabase } from '@storeloom/data';
import { sql } from '@storeloom/plugin-sdk';
import { type AuditAnchor, anchorFaults, readAnchors } from './anchors.ts';
import { type ChainFault, verifyChain } from './verify.ts';

export type { AuditAnchor } from './anchors.ts';

export interface AuditFault {
  position: number;
  /** Null if the row is missing. */
  id: string | null;
  fault: ChainFault['fault'] | 'anchor';
}
export interface AuditReport {
  tenantId: string;
  slug: string;
  /** Number of rows read. */
  rows: number;
  /** Number of anchors compared. */
  anchors: number;
  /** Hash of the last row. */
  hash: string;
  faults: AuditFault[];
}
export interface AuditTools {
  /**
   * Verifies the audit chain of every tenant, or of one: reports each row that was changed, deleted, moved or added, and each whose hash
   * differs from an anchor. `anchors`: copies stored elsewhere, besides those of the database.
   */
  verify(options?: { slug?: string; anchors?: readonly AuditAnchor[] }): Promise<AuditReport[]>;
  /** Returns the anchors, to store elsewhere. */
  anchors(): Promise<AuditAnchor[]>;
}

/** Connects as the platform role through the runtime login; reads only. */
export function auditTools(runtimeUrl: string, onError: (error: Error) => void): AuditTools {
  async function reading<T>(fn: (database: ReturnType<typeof createDatabase>) => Promise<T>): Promise<T> {
    const database = createDatabase({ url: runtimeUrl, max: 2, statementTimeout: 120_000, onError });
    try {
      return await fn(database);
    } finally {
      await database.close();
    }
  }
  return {
    anchors: () => reading((database) => database.withPlatform((tx) => readAnchors(tx.db), { readOnly: true })),
    verify: ({ slug, anchors = [] } = {}) =>
      reading(async (database) => {
        const tenants = await database.withPlatform(
          (tx) =>
            tx.db.rows<{ id: string; slug: string }>(
              sql`select id, slug from core_tenant where ${slug ?? null}::text is null or slug = ${slug ?? null} order by slug`,
            ),
          { readOnly: true },
        );
        const reports: AuditReport[] = [];
        for (const tenant of tenants)
          reports.push(
            await database.withPlatform(
              async ({ db }) => {
                const { rows, hash, faults } = await verifyChain(db, tenant.id);
                const known = [
                  ...(await readAnchors(db, tenant.id)),
                  ...anchors.filter(({ tenantId }) => tenantId === tenant.id),
                ];
                const moved: AuditFault[] = await anchorFaults(db, tenant.id, known);
                const named = new Set(faults.map(({ position }) => position));
                const all = [...faults, ...moved.filter(({ position }) => !named.has(position) && named.add(position))];
                all.sort((a, b) => a.position - b.position);
                return { tenantId: tenant.id, slug: tenant.slug, rows, anchors: known.length, hash, faults: all };
              },
              { readOnly: true },
            ),
          );
        return reports;
      }),
  };
}
