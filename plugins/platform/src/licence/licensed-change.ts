import { decisions, licence, type PlatformCtx, problem } from '@storeloom/plugin-sdk';

/** What the state of the licence forbids: nothing that isn't on yet is put on. */
export function takesNothingMore(ctx: Pick<PlatformCtx, 'require'>): string | undefined {
  const { state } = ctx.require(licence).view();
  return state === 'expired' || state === 'revoked' ? state : undefined;
}

const onFor = async (ctx: PlatformCtx, tenantId: string): Promise<string[]> =>
  (await ctx.require(decisions).all(tenantId)).filter(({ on }) => on).map(({ plugin }) => plugin);

/**
 * A change of what tenants have, in the open transaction. Where the licence is over, one by which a plugin would be on that wasn't
 * before is undone.
 * @throws Problem `license_required {plugins}`
 */
export async function licensedChange<T>(ctx: PlatformCtx, tenantIds: readonly string[], change: () => Promise<T>): Promise<T> {
  const state = takesNothingMore(ctx);
  if (state === undefined) return change();
  const before = new Map<string, Set<string>>();
  for (const id of tenantIds) before.set(id, new Set(await onFor(ctx, id)));
  const result = await change();
  for (const id of tenantIds) {
    const more = (await onFor(ctx, id)).filter((plugin) => !before.get(id)?.has(plugin));
    if (more.length > 0)
      throw problem('license_required', {
        detail: `The licence is ${state}. Plugins can't be switched on.`,
        plugins: more,
      });
  }
  return result;
}
