import type { Ctx } from '../context.ts';
import { service } from '../token.ts';

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
  ): Promise<{ rows: Record<string, unknown>[]; nextCursor: string | null }>;
  /** Returns an entry; undefined if it doesn't exist. */
  get(ctx: Ctx, id: string): Promise<Record<string, unknown> | undefined>;
}
/** Service token of `AuditLog`. */
export const auditLog = service<AuditLog>('kernel:audit-log');
