import { type Ctx, f, responseShape } from '@storeloom/plugin-sdk';
import { type Order, type OrderItem, orderFields, orderItem, orderStatuses, payment } from './order-fields.ts';

/** Response of the routes of a check. */
export const checkShape = responseShape({ ...orderFields, status: f.oneOf(orderStatuses) });

/** Rounds and payments of checks. */
export async function presentOrders<R extends { id: string }>(ctx: Ctx, rows: R[]): Promise<R[]> {
  const orderId = rows.map(({ id }) => id);
  const [items, payments] = await Promise.all([
    ctx.rows(orderItem).find({ orderId }, { orderBy: ['round', 'position'] }),
    ctx.rows(payment).find({ orderId }, { orderBy: ['createdAt', 'id'] }),
  ]);
  return rows.map((row) => ({
    ...row,
    rounds: roundsOf(items.filter((item) => item.orderId === row.id)),
    payments: payments
      .filter((one) => one.orderId === row.id)
      .map(({ method, amount, createdAt }) => ({ method, amount, at: createdAt })),
  }));
}

/** Rounds and payments of a check. */
export async function presentOrder<R extends { id: string }>(ctx: Ctx, row: R): Promise<R> {
  const [shown] = await presentOrders(ctx, [row]);
  return shown as R;
}

function roundsOf(items: readonly OrderItem[]): Order['rounds'] {
  const rounds = new Map<number, Order['rounds'][number]['items']>();
  for (const { id, round, menuItemId, name, qty, modifiers, note, course, station, unitPrice, status } of items) {
    const list = rounds.get(round) ?? [];
    list.push({ id, menuItemId, name, qty, modifiers, note, course, station, unitPrice, status });
    rounds.set(round, list);
  }
  return [...rounds.values()].map((list) => ({ items: list }));
}
