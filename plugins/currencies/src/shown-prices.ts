import type { Ctx } from '@storeloom/plugin-sdk';

/** Drops cached public pages that show prices in other currencies, or list the shop's currencies. */
export function dropShown(ctx: Ctx): void {
  ctx.dropCache('catalog', 'tenant-config');
}
