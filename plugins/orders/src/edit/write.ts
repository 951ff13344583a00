import type { EditInput } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import type { PricedSheet } from '@storeloom/plugin-sdk/money';
import { fulfillmentStatusOf } from '../flows/states.ts';
import { type LineRow, type OrderData, type OrderRow, withData } from '../load.ts';
import { lineColumns } from '../placing/line-columns.ts';
import type { StoredPricing } from '../placing/snapshot.ts';
import { line, order, revision } from '../tables.ts';
import { dueOf, moneyFigures } from '../view/figures.ts';
import { refreshSearch } from '../view/search-text.ts';
import type { EditedOrder } from './price.ts';

/** The next revision of an order's prices, and what of them stands on the order itself. */
export async function writeRevision(
  ctx: Ctx,
  row: OrderRow,
  sheet: PricedSheet,
  pricing: StoredPricing,
  reason: string,
  more: Partial<OrderRow> = {},
): Promise<OrderRow> {
  const number = row.revision + 1;
  const { currency } = row;
  await ctx.rows(revision).insert({
    orderId: row.id,
    revision: number,
    sheet: JSON.stringify(sheet),
    pricing: { ...pricing },
    reason: reason.slice(0, 500),
  });
  const { total, cashRounding } = sheet.totals;
  const amountDue = dueOf(total, cashRounding, row.tendered.amount, await moneyFigures(ctx, row, sheet));
  return ctx.rows(order).update(row.id, {
    revision: number,
    total: { amount: total, currency },
    amountDue: { amount: amountDue, currency },
    ...more,
  });
}

function change(
  before: LineRow | null,
  after: { id: string; quantity: number },
  made: Pick<LineRow, 'variantId' | 'children'>,
): EditInput['changes'][number] {
  return {
    lineId: after.id,
    variantId: made.variantId,
    delta: after.quantity - (before?.quantity ?? 0),
    children:
      made.children?.map((child) => ({ variantId: child.variantId as string, quantity: child.quantity as number })) ?? null,
  };
}

/** Writes an edit: lines, prices, totals. Gives the order after it and by how much each line changed. */
export async function writeEdit(
  ctx: Ctx,
  data: OrderData,
  edited: EditedOrder,
  reason: string,
): Promise<{ after: OrderData; changes: EditInput['changes'] }> {
  const now = ctx.clock.now();
  const changes: EditInput['changes'] = [];
  for (const id of edited.removed) {
    const row = data.lines.find((each) => each.id === id);
    if (!row) continue;
    await ctx.rows(line).update(id, { quantity: 0, removedAt: now });
    changes.push(change(row, { id, quantity: 0 }, row));
  }
  let position = Math.max(-1, ...data.lines.map((each) => each.position)) + 1;
  for (const { sheet, row, resolved } of edited.lines) {
    if (row && row.quantity !== sheet.quantity) {
      await ctx.rows(line).update(row.id, { quantity: sheet.quantity });
      changes.push(change(row, sheet, row));
    } else if (!row && resolved) {
      const made = await ctx.rows(line).insert(lineColumns(data.row.id, resolved, position++));
      changes.push(change(null, made, made));
    }
  }
  const row = await writeRevision(ctx, data.row, edited.sheet, data.pricing, reason);
  const after = await withData(ctx, row);
  const fulfillmentStatus = fulfillmentStatusOf(after.lines);
  const current = fulfillmentStatus === row.fulfillmentStatus ? row : await ctx.rows(order).update(row.id, { fulfillmentStatus });
  await refreshSearch(ctx, row.id);
  return { after: { ...after, row: current }, changes };
}
