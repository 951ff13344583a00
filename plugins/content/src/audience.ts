import { customers } from '@storeloom/commerce';
import { type Ctx, f, type RowOf, type Shape } from '@storeloom/plugin-sdk';

const shape = {
  who: f.oneOf(['all', 'guests', 'customers']).default('all'),
  /** Customers in one of these groups. Empty: any group. */
  groupIds: f.list(f.ref('customers.group'), { max: 50 }).default([]),
} satisfies Shape;
export type Audience = RowOf<typeof shape>;

/** Who sees a section. Left out: everybody. */
export const audienceField = () => f.object(shape).optional();

export type Viewer = { customer: false } | { customer: true; groupIds: readonly string[] };

/** Returns the viewer. Groups are only read if an audience depends on them. */
export async function viewerOf(ctx: Ctx, audiences: readonly (Audience | null)[]): Promise<Viewer> {
  if (ctx.actor.type !== 'customer') return { customer: false };
  const groups = audiences.some((audience) => (audience?.groupIds.length ?? 0) > 0)
    ? await ctx.require(customers).groupsOf(ctx.actor.customerId)
    : [];
  return { customer: true, groupIds: groups.map(({ id }) => id) };
}

export function fits(audience: Audience | null, viewer: Viewer): boolean {
  if (audience === null) return true;
  const { who, groupIds } = audience;
  if (!viewer.customer) return who !== 'customers' && groupIds.length === 0;
  return who !== 'guests' && (groupIds.length === 0 || groupIds.some((id) => viewer.groupIds.includes(id)));
}
