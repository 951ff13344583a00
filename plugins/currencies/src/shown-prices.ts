import type { Ctx } from '@storeloom/plugin-sdk';

/** Public pages that show prices in other currencies, or name the shop's currencies, are made anew. */
export function dropShown(ctx: Ctx): void {
  ctx.dropCache('catalog', 'tenant-config');
}
