import type { Ctx } from './context.ts';
import { problem } from './problem.ts';

/**
 * For rights beyond that of the route, such as `force` in a body.
 * @throws 403 `forbidden {permission}` unless the caller has the permission
 */
export function requirePermission(ctx: Pick<Ctx, 'can'>, permission: string): void {
  if (!ctx.can(permission)) throw problem('forbidden', { detail: `It needs the permission ${permission}.`, permission });
}

/** Id of the member of staff who calls; null for everybody else. */
export function staffUserId({ actor }: Pick<Ctx, 'actor'>): string | null {
  return actor.type === 'staff' ? actor.userId : null;
}
