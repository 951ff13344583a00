import { type Ctx, event, f } from '@storeloom/plugin-sdk';

/** What every change of content ends with: the audit row, the event, and no stale answer. */
export async function changed<R extends { id: string }>(
  ctx: Ctx,
  entity: string,
  verb: 'updated' | 'deleted',
  before: R,
  after: R | null,
): Promise<void> {
  await ctx.audit({ entity, entityId: before.id, before, after });
  await ctx.emit(event(`${entity}.${verb}`, { data: { id: f.id() } }), { id: before.id, data: { id: before.id } });
  ctx.dropCache('content');
}
