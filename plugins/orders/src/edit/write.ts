import type { EditInput } from '@storeloom/commerce';
import type { Ctx, EntityRow } from '@storeloom/plugin-sdk';
import type { PricedSheet } from '@storeloom/plugin-sdk/money';
import { fulfillmentStatusOf } from '../flows/states.ts';
import { type LineRow, loadOrder, type OrderData } from '../load.ts';
import { lineColumns } from '../placing/line-columns.ts';
import type { StoredPricing } from '../placing/snapshot.ts';
import { Line, Order, Revision } from '../tables.ts';
import { dueOf, moneyFigures } from '../view/figures.ts';
import { refreshSearch } from '../view/search-text.ts';
import type { EditedOrder } from './price.ts';

/** Adds the next revision of the prices and updates the totals of the order. */
export async function writeRevision(
  ctx: Ctx,
  entity: EntityRow<typeof Order>,
  sheet: PricedSheet,
  pricing: StoredPricing,
  reason: string,
): Promise<void> {
  const { currency } = entity;
  const { total, cashRounding } = sheet.totals;
  const amountDue = dueOf(total, cashRounding, entity.tendered.amount, await moneyFigures(ctx, entity, sheet));
  entity.revision++;
  entity.total = { amount: total, currency };
  entity.amountDue = { amount: amountDue, currency };
  ctx.em.create(Revision, {
    orderId: entity.id,
    revision: entity.revision,
    sheet: JSON.stringify(sheet),
    pricing: { ...pricing },
    reason: reason.slice(0, 500),
  });
}

function change(
  before: LineRow | null,
  after: { id: string; quantity: number },
  created: Pick<LineRow, 'variantId' | 'children'>,
): EditInput['changes'][number] {
  return {
    lineId: after.id,
    variantId: created.variantId,
    delta: after.quantity - (before?.quantity ?? 0),
    children:
      created.children?.map((child) => ({ variantId: child.variantId as string, quantity: child.quantity as number })) ?? null,
  };
}

/** Writes lines, prices and totals of an edit. Returns the order after it and the change of each line. */
export async function writeEdit(
  ctx: Ctx,
  data: OrderData,
  edited: EditedOrder,
  reason: string,
): Promise<{ after: OrderData; changes: EditInput['changes'] }> {
  const { em } = ctx;
  const { id } = data.row;
  const entity = await em.findOneOrFail(Order, { id }, { populate: ['lines'] });
  const lines = new Map(entity.lines.getItems().map((each) => [each.id, each]));
  const changes: EditInput['changes'] = [];
  for (const lineId of edited.removed) {
    const row = lines.get(lineId);
    if (!row || row.removedAt !== null) continue;
    changes.push(change(row, { id: lineId, quantity: 0 }, row));
    row.quantity = 0;
    row.removedAt = ctx.clock.now();
  }
  let position = Math.max(-1, ...data.lines.map((each) => each.position)) + 1;
  for (const { sheet, row: priced, resolved } of edited.lines) {
    const row = priced && lines.get(priced.id);
    if (row && row.quantity !== sheet.quantity) {
      changes.push(change(row, sheet, row));
      row.quantity = sheet.quantity;
    } else if (!row && resolved) {
      const created = em.create(Line, lineColumns(id, resolved, position++));
      lines.set(created.id, created);
      changes.push(change(null, created, created));
    }
  }
  await writeRevision(ctx, entity, edited.sheet, data.pricing, reason);
  entity.fulfillmentStatus = fulfillmentStatusOf([...lines.values()].filter((each) => each.removedAt === null));
  await refreshSearch(ctx, id);
  return { after: await loadOrder(ctx, id), changes };
}
