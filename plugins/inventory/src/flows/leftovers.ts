import { type Ctx, type DomainEvent, sql } from '@storeloom/plugin-sdk';
import { openBook, openOrderBook } from '../level/book.ts';
import { freeAt, level } from '../level/level.ts';
import { writeBook } from '../level/write.ts';
import { backInStock } from '../waiting/back-in-stock.ts';

/**
 * orders.order.completed: commits reservations of goods that no fulfilment shipped (handed over, downloaded). Idempotent: a second
 * event finds no active reservation.
 */
export async function commitCompletedOrder(
  ctx: Ctx,
  { data: { id, number } }: DomainEvent<{ id: string; number: string }>,
): Promise<void> {
  const { book, rows } = await openOrderBook(ctx, id);
  for (const row of rows) {
    const units = row.quantity - row.backordered;
    if (row.state !== 'active' || units === 0) continue;
    book.move(book.level(row.levelId), -units, { reason: 'sale', reference: number, source: `order:${id}` });
    book.end(row, { quantity: units, backordered: 0 }, 'committed');
  }
  await writeBook(ctx, book);
}

/**
 * catalog.product.deleted: writes off the stock and removes back-in-stock requests. Levels that orders refer to stay, with zero
 * stock.
 */
export async function removeProductStock(
  ctx: Ctx,
  { id, data: { variantIds } }: DomainEvent<{ variantIds: string[] }>,
): Promise<void> {
  if (variantIds.length === 0) return;
  const book = await openBook(ctx, variantIds);
  for (const at of book.levels)
    book.move(at, -Math.max(0, freeAt(at)), {
      reason: 'correction',
      reference: null,
      note: 'product removed',
      source: `event:${id}`,
    });
  await writeBook(ctx, book);
  await ctx.rows(backInStock).removeWhere({ variantId: variantIds });
  const ordered = await ctx.db.rows<{ id: string }>(
    sql`select distinct variant_id as id from inventory_reservation where tenant_id = ${ctx.tenant.id} and variant_id = any(${variantIds}::uuid[])`,
  );
  const neverOrdered = variantIds.filter((id) => !ordered.some((row) => row.id === id));
  await ctx.rows(level).removeWhere({ variantId: neverOrdered, onHand: 0, reserved: 0 });
}
