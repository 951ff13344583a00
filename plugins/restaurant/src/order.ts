import {
  type CreateOf,
  type Ctx,
  checkReferences,
  created,
  f,
  invalid,
  problem,
  resource,
  route,
  staffUserId,
  uuidv7,
} from '@storeloom/plugin-sdk';
import { nextNumber } from '@storeloom/plugin-sdk/ledger';
import { maxAmount } from '@storeloom/plugin-sdk/money';
import { mapConstraintErrors, withResourceLocks } from '@storeloom/plugin-sdk/reserve';
import { orderEvents } from './events.ts';
import { occupantsOf } from './occupancy.ts';
import { type Order, type OrderItem, orderFields, orderItem, roundInput } from './order-fields.ts';
import { orderMachine } from './order-machine.ts';
import { checkShape, presentOrders } from './order-view.ts';
import { reservation } from './reservation.ts';
import type { Reservation } from './reservation-fields.ts';
import { takeRound, takeRounds } from './round.ts';
import { settings } from './settings.ts';
import { type DiningTable, diningTable } from './table.ts';
import { totalsOf } from './totals.ts';

const openBody = { ...orderFields, rounds: f.list(f.object(roundInput), { max: 20 }).default([]) };

/** A check: orders and payment of a table. */
export const order = resource('order', {
  path: 'table-orders',
  verbs: ['list', 'create'],
  fields: orderFields,
  machine: orderMachine,
  uniques: [
    { fields: ['number'] },
    { name: 'restaurant_order_open_key', fields: ['tableId'], where: "not split and status not in ('paid', 'cancelled')" },
  ],
  indexes: [
    { name: 'restaurant_order_created_idx', fields: ['createdAt', 'id'] },
    { name: 'restaurant_order_paid_idx', fields: ['paidAt'], where: 'paid_at is not null' },
    { name: 'restaurant_order_reservation_idx', fields: ['reservationId'], where: 'reservation_id is not null' },
    { name: 'restaurant_order_table_idx', fields: ['tableId', 'status'] },
  ],
  create: openCheck,
  present: presentOrders,
  routes: {
    create: { body: openBody, summary: 'Opens a check', problems: ['table_occupied', 'item_unavailable', 'invalid_transition'] },
  },
});

/** The reservation of a check; its party is seated now. Locked before the tables. */
async function partyOf(ctx: Ctx, id: string | null, tableId: string): Promise<Reservation | null> {
  if (id === null) return null;
  const row = await ctx.rows(reservation).require(id, { lock: true });
  if (row.tableIds.length > 0 && !row.tableIds.includes(tableId))
    throw invalid('/tableId', 'mismatch', 'is none of the tables of the reservation');
  return row.status === 'seated' ? row : await reservation.move(ctx, id, 'seat');
}

async function openCheck(ctx: Ctx, body: unknown): Promise<Order> {
  const { rounds, ...input } = body as CreateOf<typeof openBody>;
  const party = await partyOf(ctx, input.reservationId, input.tableId);
  return withResourceLocks(ctx, diningTable, [input.tableId], async ([found]) => {
    const table = found as DiningTable;
    if (!table.isActive || table.occupancy === 'out_of_service')
      throw invalid('/tableId', 'out_of_service', 'the table is out of service');
    if (!input.split) await checkUnoccupied(ctx, table.id, party);
    const id = uuidv7();
    const lines = await takeRounds(ctx, id, rounds);
    checkSum(lines, '/rounds');
    const items = lines.map((line) => ({ ...line, id: uuidv7() }));
    const { serviceBp } = ctx.settings(settings);
    const terms = { discountBp: input.discountBp, serviceBp, tip: { amount: 0, currency: ctx.tenant.currency } };
    const totals = await totalsOf(ctx, items as OrderItem[], terms);
    const number = await nextNumber(ctx, 'restaurant_number', 'check');
    const covers = input.covers ?? party?.partySize ?? null;
    const row = await mapConstraintErrors({ restaurant_order_open_key: () => problem('table_occupied') }, () =>
      order.create(ctx, { ...input, ...totals, id, serviceBp, covers, openedBy: staffUserId(ctx), number }),
    );
    await ctx.rows(orderItem).insertMany(items);
    if (table.occupancy === 'dirty') await ctx.rows(diningTable).update(table.id, { occupancy: 'free' });
    return row;
  });
}

/** @throws 409 `table_occupied {orderId}` while another check or party has the table */
async function checkUnoccupied(ctx: Ctx, tableId: string, party: Reservation | null): Promise<void> {
  const [other] = (await occupantsOf(ctx, [tableId])).filter(
    ({ orderId, reservationId }) => orderId !== null || reservationId !== party?.id,
  );
  if (other) throw problem('table_occupied', { detail: 'The table is taken by another check or party.', orderId: other.orderId });
}

/** @throws 422 for a sum beyond the range of money */
function checkSum(items: readonly Pick<OrderItem, 'unitPrice' | 'qty'>[], pointer: string): void {
  if (items.reduce((sum, { unitPrice, qty }) => sum + unitPrice.amount * qty, 0) > maxAmount / 2)
    throw invalid(pointer, 'too_large', 'makes the total too large');
}

const taking: readonly string[] = ['open', 'sent', 'ready', 'served'];

/** Adds a round; a check that was ready or served returns to `sent`, so that the kitchen sees it. */
export const addRound = route(
  'POST',
  '/table-orders/{id}/items',
  {
    permission: 'restaurant.order.update',
    entity: 'restaurant.order',
    additive: true,
    summary: 'Adds a round to a check',
    body: roundInput,
    response: checkShape,
    status: 201,
    problems: ['order_closed', 'item_unavailable'],
  },
  async (ctx, req) => {
    const { id } = req.params as { id: string };
    await checkReferences(ctx, roundInput, req.body);
    const row = await ctx.rows(order).require(id, { lock: true });
    if (!taking.includes(row.status))
      throw problem('order_closed', { detail: `The status of the check is ${row.status}.`, orderStatus: row.status });
    const standing = await ctx.rows(orderItem).find({ orderId: id });
    const round = standing.reduce((last, item) => Math.max(last, item.round), 0) + 1;
    const lines = await takeRound(ctx, id, round, req.body.items, '');
    checkSum([...standing, ...lines], '/items');
    const items = await ctx.rows(orderItem).insertMany(lines);
    const again = row.status === 'ready' || row.status === 'served';
    const changed = await ctx.rows(order).update(id, {
      ...(await totalsOf(ctx, [...standing, ...items], row)),
      ...(again ? { status: 'sent' as const } : {}),
    });
    if (again)
      await ctx.history({ entity: 'restaurant.order', entityId: id, from: row.status, to: 'sent', reason: `round ${round}` });
    const [shown] = await presentOrders(ctx, [changed]);
    await ctx.audit({
      entity: 'restaurant.order',
      entityId: id,
      after: { round, items: lines.map(({ menuItemId, qty }) => ({ menuItemId, qty })) },
    });
    await ctx.emit(orderEvents.round_added, { id, data: { id, round } });
    return created(`/table-orders/${id}`, shown as Order);
  },
);
