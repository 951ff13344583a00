import { type Ctx, type MoneyValue, problem, sql } from '@storeloom/plugin-sdk';
import { computeBalance } from '@storeloom/plugin-sdk/ledger';
import { withResourceLocks } from '@storeloom/plugin-sdk/reserve';
import { defineMachine, invalidTransition } from '@storeloom/plugin-sdk/state';
import { type Order, type OrderItem, type OrderStatus, orderItem, orderStatuses, payment } from './order-fields.ts';
import { markDirty, reservation } from './reservation.ts';
import { returnStock } from './round.ts';
import { diningTable } from './table.ts';
import { totalsOf } from './totals.ts';

/** Input of the moves. */
export interface MoveInput extends Record<string, unknown> {
  reason?: string | null;
  tip?: MoneyValue | null;
  discountBp?: number | null;
  payments?: { method: string; amount: MoneyValue }[] | null;
}

const itemsOf = async (ctx: Ctx, orderId: string): Promise<OrderItem[]> =>
  await ctx.rows(orderItem).find({ orderId }, { orderBy: ['id'] });

const isWaiting = ({ status }: OrderItem): boolean => status === 'queued' || status === 'preparing';

export const orderMachine = defineMachine<OrderStatus, Order>({
  start: 'open',
  states: orderStatuses,
  moves: {
    send: { from: ['open'], to: 'sent', internal: true },
    ready: {
      from: ['sent'],
      to: 'ready',
      internal: true,
      async guard(ctx, row) {
        const waiting = (await itemsOf(ctx, row.id)).filter(isWaiting);
        if (waiting.length === 0) return;
        throw invalidTransition(
          row.status,
          'ready',
          orderMachine.allowed(row.status).filter((state) => state !== 'ready'),
        );
      },
    },
    serve: { from: ['ready'], to: 'served', internal: true },
    bill: {
      from: ['served'],
      to: 'billed',
      internal: true,
      async guard(ctx, row) {
        const waiting = (await itemsOf(ctx, row.id)).filter(isWaiting);
        if (waiting.length === 0) return;
        throw problem('items_waiting', {
          detail: `${waiting.length} items of the check aren't served yet. Serve or cancel them before billing.`,
          items: waiting.map(({ id, name, status }) => ({ id, name, status })),
        });
      },
      run: settle,
    },
    pay: {
      from: ['billed'],
      to: 'paid',
      internal: true,
      async run(ctx, row, input) {
        const totals = await settle(ctx, row, input);
        await pay(ctx, row.id, totals.total, (input as MoveInput).payments ?? []);
        await leave(ctx, row);
        return { ...totals, paidAt: ctx.clock.now() };
      },
    },
    cancel: {
      from: ['open', 'sent'],
      to: 'cancelled',
      internal: true,
      async run(ctx, row, input) {
        const items = await itemsOf(ctx, row.id);
        await returnStock(
          ctx,
          items.filter(({ status }) => status === 'queued'),
        );
        await ctx.rows(orderItem).updateWhere({ orderId: row.id }, { status: 'cancelled' });
        return { cancelReason: (input as MoveInput).reason, ...(await totalsOf(ctx, [], row)) };
      },
    },
    reopen: { from: ['billed'], to: 'served', internal: true },
  },
});

/** New tip and discount, and the totals with them. */
async function settle(ctx: Ctx, row: Order, input: MoveInput) {
  const discountBp = input.discountBp ?? row.discountBp;
  const tip = input.tip ?? row.tip;
  return { discountBp, ...(await totalsOf(ctx, await itemsOf(ctx, row.id), { ...row, discountBp, tip })) };
}

/** @throws 402 `payment_required {due}` unless all of it is paid; 422 `change_not_cash {due}` if other payments than cash exceed the total */
async function pay(ctx: Ctx, orderId: string, total: MoneyValue, payments: NonNullable<MoveInput['payments']>): Promise<void> {
  const before = await ctx.rows(payment).find({ orderId });
  const entries = [...before, ...payments].map(({ amount }) => ({ kind: 'payment' as const, amount }));
  const { balance: due } = computeBalance(total, entries);
  if (due.amount > 0) throw problem('payment_required', { detail: 'The payments do not cover the total of the check.', due });
  // Change is given for cash only, so more by card than the total is a typing error.
  const other = computeBalance(
    total,
    [...before, ...payments]
      .filter(({ method }) => method !== 'cash')
      .map(({ amount }) => ({ kind: 'payment' as const, amount })),
  );
  if (other.balance.amount < 0)
    throw problem('change_not_cash', {
      detail: 'The payments by other methods than cash exceed the total of the check. Change is given for the method cash only.',
      due: total,
    });
  await ctx.rows(payment).insertMany(payments.map((one) => ({ ...one, orderId })));
}

/** After the last open check is paid, the table is dirty and the reservation completed. */
async function leave(ctx: Ctx, row: Order): Promise<void> {
  const party = row.reservationId === null ? undefined : await ctx.rows(reservation).get(row.reservationId, { lock: true });
  await withResourceLocks(ctx, diningTable, [...new Set([row.tableId, ...(party?.tableIds ?? [])])], async () => {
    const others = await ctx.db.first(sql`
      select 1 from restaurant_order where tenant_id = ${ctx.tenant.id} and id <> ${row.id} and status not in ('paid', 'cancelled')
        and (table_id = ${row.tableId} or reservation_id = ${row.reservationId}::uuid) limit 1`);
    if (others) return;
    await markDirty(ctx, [row.tableId]);
    if (party?.status === 'seated') await reservation.move(ctx, party.id, 'complete');
  });
}
