import type { PlaceInput } from '@storeloom/commerce';
import { type Ctx, type FieldError, Problem } from '@storeloom/plugin-sdk';
import { hiddenAmong } from '../browsing/visible.ts';
import { isSellable, loadSellables } from '../pricing/sellable.ts';
import { checkQuantity } from '../variant/quantity.ts';

/**
 * Stage 10 of `place.check`: checks that all items are available (404) and that the total quantity of each variant meets its minimum,
 * maximum and step (422). For draft orders of staff, checks only that the variants exist.
 */
export async function checkPlacing(ctx: Ctx, input: PlaceInput): Promise<void> {
  const lines = input.priced.lines.flatMap((line, i) =>
    line.kind === 'product' && line.variantId ? [{ line, i, variantId: line.variantId }] : [],
  );
  if (lines.length === 0) return;
  const items = await loadSellables(ctx, [...new Set(lines.map(({ variantId }) => variantId))]);
  const byStaff = input.draftId !== null;
  const hidden = byStaff
    ? new Set<string>()
    : await hiddenAmong(
        ctx,
        [...items.values()].map(({ productId }) => productId),
      );
  const gone = lines.filter(({ variantId }) => {
    const item = items.get(variantId);
    return !item || (!byStaff && (!isSellable(item, input.context.at) || hidden.has(item.productId)));
  });
  if (gone.length > 0) {
    throw new Problem('not_found', {
      detail: 'An item is no longer available. Remove it from the cart.',
      lines: gone.map(({ line }) => line.id),
      errors: gone.map(({ i }) => ({ pointer: `/lines/${i}`, code: 'not_found', message: 'is no longer available' })),
    });
  }
  if (byStaff) return;
  const errors: FieldError[] = [];
  for (const [variantId, item] of items) {
    const own = lines.filter((entry) => entry.variantId === variantId);
    const fault = checkQuantity(
      item,
      own.reduce((sum, { line }) => sum + line.quantity, 0),
    );
    if (fault) errors.push(...own.map(({ i }) => ({ pointer: `/lines/${i}/quantity`, ...fault })));
  }
  if (errors.length > 0)
    throw new Problem('validation_failed', { detail: errors.map(({ message }) => message).join('; '), errors });
}
