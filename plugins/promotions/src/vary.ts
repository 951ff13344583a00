import type { Ctx } from '@storeloom/plugin-sdk';
import { LRUCache } from 'lru-cache';
import { currentAutomatic } from './load.ts';

const believedFor = 2000;
const memory = new LRUCache<string, Promise<boolean>>({ max: 1000, ttl: believedFor });

/** Whether a catalogue promotion may change shelf prices now; from memory, so that a page of a shop without any costs nothing. */
export async function pricesVary(ctx: Ctx): Promise<true | undefined> {
  let known = memory.get(ctx.tenant.id);
  if (!known) {
    known = currentAutomatic(ctx).then((rules) => rules.some((rule) => rule.stage === 'catalog'));
    memory.set(ctx.tenant.id, known);
    known.catch(() => memory.delete(ctx.tenant.id));
  }
  return (await known) ? true : undefined;
}

/** The process that changes a promotion sees it in its shop windows at once. */
export function forgetPrices(tenantId: string): void {
  memory.delete(tenantId);
}
