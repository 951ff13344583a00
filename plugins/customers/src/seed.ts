import type { Ctx } from '@storeloom/plugin-sdk';
import { group } from './group.ts';

/** Two groups that a shop begins with. */
export async function seedGroups(ctx: Ctx): Promise<void> {
  const rows = ctx.rows(group);
  if (!(await rows.first({ code: 'retail' })))
    await rows.insert({ name: 'Retail', code: 'retail', priority: 100, isDefault: true });
  if (!(await rows.first({ code: 'friends' })))
    await rows.insert({ name: 'Friends of the shop', code: 'friends', priority: 50, discountBp: 500 });
}
