import type { Ctx } from '../context.ts';
import { service } from '../token.ts';

/** An entry of the audit log. */
export interface AuditLogEntry {
  id: string;
  /** Number of the entry in the tenant's chain. */
  position: number;
  /** Who made the change. */
  actor: { type: string; id: string | null };
  /** `orders.order.cancel`. */
  action: string;
  /** `<plugin>.<resource>`. */
  entity: string;
  /** Id of the row; null if the change concerns no single row. */
  entityId: string | null;
  /** Properties that changed, with both values. */
  changes: Record<string, unknown>;
  /** Address of the caller. */
  ip: string | null;
  /** Request that made the change. */
  requestId: string | null;
  /** Instant. */
  at: string;
  /** Hash of the entry before it in the chain. */
  prevHash: string;
  /** SHA-256 of the entry and `prevHash`. */
  hash: string;
}

/** Reads the audit log. For foundation plugins. */
export interface AuditLog {
  /** Returns a page of entries, newest first. `from` and `to` are instants, `actor` a user id. */
  list(
    ctx: Ctx,
    query: {
      limit: number;
      cursor?: string;
      entity?: string;
      entityId?: string;
      actor?: string;
      action?: string;
      from?: string;
      to?: string;
    },
  ): Promise<{ rows: AuditLogEntry[]; nextCursor: string | null }>;
  /** Returns an entry; undefined if it doesn't exist. */
  get(ctx: Ctx, id: string): Promise<AuditLogEntry | undefined>;
}
/** Service token of `AuditLog`. */
export const auditLog = service<AuditLog>('kernel:audit-log');
