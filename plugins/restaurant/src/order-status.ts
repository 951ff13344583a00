import { type Ctx, checkVersion, f, invalid, problem, referenceNotFound, route, sql } from '@storeloom/plugin-sdk';
import { maxAmount } from '@storeloom/plugin-sdk/money';
import { defineMachine } from '@storeloom/plugin-sdk/state';
import { order } from './order.ts';
import { type ItemStatus, itemStatuses, type Order, type OrderItem, type OrderStatus, orderItem } from './order-fields.ts';
import { type MoveInput, orderMachine } from './order-machine.ts';
import { checkShape, presentOrder } from './order-view.ts';
import { returnStock } from './round.ts';
import { totalsOf } from './totals.ts';

/** Far below the range of money, so that sums of them stay within it. */
const amountField = (min: number) =>
  f
    .money({ min, own: true })
    .check(({ amount }) => (amount > maxAmount / 4 ? [{ code: 'too_large', message: 'is too large' }] : []));

const body = {
  status: f.oneOf(['sent', 'ready', 'served', 'billed', 'paid', 'cancelled']).optional(),
  reason: f.text({ max: 500 }).optional(),
  tip: amountField(0).optional(),
  discountBp: f.bp().optional(),
  payments: f.list(f.object({ method: f.text({ max: 40 }), amount: amountField(1) }), { max: 50 }).optional(),
  items: f
    .list(f.object({ id: f.id(), status: f.oneOf(['preparing', 'ready', 'served', 'cancelled']) }), { min: 1, max: 200 })
    .optional(),
};

/** States of one item. */
const itemMachine = defineMachine<ItemStatus, OrderItem>({
  start: 'queued',
  states: itemStatuses,
  moves: {
    prepare: { from: ['queued'], to: 'preparing' },
    ready: { from: ['preparing'], to: 'ready' },
    serve: { from: ['ready'], to: 'served' },
    cancel: { from: ['queued', 'preparing', 'ready'], to: 'cancelled' },
  },
});

interface CheckChange extends MoveInput {
  status?: OrderStatus | null;
  items?: { id: string; status: ItemStatus }[] | null;
}

/** Which fields go together; an empty body changes nothing. @throws 422 */
function check({ status, items, reason, tip, discountBp, payments }: CheckChange): void {
  const given = [reason, tip, discountBp, payments].some((value) => value !== undefined && value !== null);
  if (!status && !items && given) throw invalid('/status', 'required', 'a status or items are required');
  if (status && items) throw invalid('/items', 'invalid', "can't be combined with a status");
  if (status === 'cancelled' && !reason) throw invalid('/reason', 'required', 'is required to cancel a check');
  const settling = status === 'billed' || status === 'paid';
  if (tip && !settling) throw invalid('/tip', 'invalid', 'is only allowed for the status billed');
  if (typeof discountBp === 'number' && status !== 'billed')
    throw invalid('/discountBp', 'invalid', 'is only allowed for the status billed');
  if (payments && status !== 'paid') throw invalid('/payments', 'invalid', 'are only allowed for the status paid');
}

export const changeCheck = route(
  'PATCH',
  '/table-orders/{id}/status',
  {
    permission: 'restaurant.order.update',
    entity: 'restaurant.order',
    summary: 'Changes the status of a check, or of its items',
    body,
    response: checkShape,
    problems: ['invalid_transition', 'order_closed', 'payment_required', 'change_not_cash', 'items_waiting'],
  },
  async (ctx, req) => {
    const { id } = req.params as { id: string };
    const request = req.body as CheckChange;
    if (request.status === 'paid') await lockParty(ctx, id);
    const before = await ctx.rows(order).require(id, { lock: true });
    checkVersion(req.ifMatch, before);
    check(request);
    let after = before;
    if (request.items) after = await moveItems(ctx, before, request.items);
    else if (request.status) after = await moveOrder(ctx, before, request);
    const shown = await presentOrder(ctx, after);
    if (after.version !== before.version) await ctx.audit({ entity: 'restaurant.order', entityId: id, before, after: shown });
    return shown;
  },
);

/** Locks the reservation before its check, as a change of tables does: the payment may complete the reservation. */
async function lockParty(ctx: Ctx, orderId: string): Promise<void> {
  await ctx.db.run(sql`
    select r.id from restaurant_reservation r join restaurant_order o on o.tenant_id = r.tenant_id and o.reservation_id = r.id
    where o.tenant_id = ${ctx.tenant.id} and o.id = ${orderId} for update of r`);
}

async function moveOrder(ctx: Ctx, row: Order, request: CheckChange): Promise<Order> {
  const to = request.status as OrderStatus;
  if (orderMachine.check(row.status, to) === 'repeat') return row;
  const move = orderMachine.moveTo(row.status, to) as string;
  if (move === 'reopen' && !ctx.can('restaurant.order.reopen'))
    throw problem('forbidden', { permission: 'restaurant.order.reopen' });
  return await order.move(ctx, row.id, move, request);
}

const cooking: readonly OrderStatus[] = ['open', 'sent', 'ready', 'served'];

/** @throws 409 `order_closed`, `invalid_transition`; 404 for an item of another check */
async function moveItems(ctx: Ctx, row: Order, changes: NonNullable<CheckChange['items']>): Promise<Order> {
  if (!cooking.includes(row.status))
    throw problem('order_closed', { detail: `The status of the check is ${row.status}.`, orderStatus: row.status });
  const items = new Map((await ctx.rows(orderItem).find({ orderId: row.id })).map((item) => [item.id, item]));
  const unused: OrderItem[] = [];
  let changed = false;
  for (const [i, { id, status }] of changes.entries()) {
    const item = items.get(id);
    if (!item) throw referenceNotFound(`/items/${i}/id`);
    if (itemMachine.check(item.status, status) === 'repeat') continue;
    if (status === 'cancelled' && item.status === 'queued') unused.push(item);
    await ctx.rows(orderItem).update(id, { status });
    items.set(id, { ...item, status });
    changed = true;
  }
  if (!changed) return row;
  await returnStock(ctx, unused);
  return await ctx.rows(order).update(row.id, await totalsOf(ctx, [...items.values()], row));
}
