import type { Ctx } from '../context.ts';
import { service } from '../token.ts';

export interface AuditLog {
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
  get(ctx: Ctx, id: string): Promise<Record<string, unknown> | undefined>;
}
export const auditLog = service<AuditLog>('kernel:audit-log');
