import { cancelCommit, lateMoney, type Orders, type OrderView, orders, settleCommit, settlePayable } from '@storeloom/commerce';
import { definePlugin, event, f, provide, service, sql } from '@storeloom/plugin-sdk';

/** An order of the double, in memory for all processes of the test. */
export interface DoubleOrder {
  view: OrderView;
  /** Calls by payments, in order. */
  calls: string[];
  /** Simulates that inventory can't reserve its goods again. */
  goodsGone?: boolean;
}
interface State {
  orders: Map<string, DoubleOrder>;
  latePolicy: 'refund' | 'hold';
  /** Decisions of the payable's owner, by the id of the subject; without one no plugin decides. */
  payables: Map<string, 'accepted' | 'refused'>;
  /** Subjects that the owner decided about, in order. */
  asked: string[];
}
const key = Symbol.for('storeloom.payments.orders-double');
const shared = globalThis as unknown as Record<symbol, State | undefined>;
/** One state, also if the module is loaded several times. */
export const state: State = (shared[key] ??= { orders: new Map(), latePolicy: 'refund', payables: new Map(), asked: [] });

function of(id: string): DoubleOrder {
  const found = state.orders.get(id);
  if (!found) throw new Error(`no order ${id}`);
  return found;
}

/** The methods that payments uses; another one is a fault of the test. */
type UsedOrders = Pick<Orders, 'get' | 'settle' | 'hold' | 'move' | 'refreshPayment' | 'refundChanged'>;

export const delivered = event('orders.order.delivered', { public: true, title: 'Delivered', data: { id: f.id() } });

export default definePlugin({
  name: 'orders',
  provides: [
    provide(
      service<UsedOrders>(orders.id),
      (ctx): UsedOrders => ({
        async get(id, { lock = false } = {}) {
          if (lock) await ctx.db.rows(sql`select pg_advisory_xact_lock(hashtextextended(${`order ${id}`}, 1))`);
          const found = state.orders.get(id);
          return found && { ...found.view };
        },
        async settle(id, payment, reason) {
          const order = of(id);
          await ctx.call(settleCommit, { order: order.view, lines: [], payment, late: null, reason });
          if (order.goodsGone) Object.assign(order.view, { status: 'on_hold', holdReason: 'late_payment' });
          ctx.onCommit(() => {
            order.calls.push(`settle ${payment.status} ${payment.capturedAmount}`);
            if (order.view.status === 'pending') order.view.status = 'confirmed';
          });
        },
        async move(id, to, { reason, refund = true }) {
          const order = of(id);
          if (to !== 'cancelled') throw new Error(`the double can't transition an order to ${to}`);
          order.view.status = 'cancelled';
          order.calls.push(`cancel ${reason}`);
          const input = { order: order.view, lines: [], reason: reason ?? '', refund, notify: false };
          await ctx.call(cancelCommit, input);
        },
        async hold(id, reason) {
          ctx.onCommit(() => {
            of(id).calls.push(`hold ${reason}`);
            of(id).view.status = 'on_hold';
          });
        },
        async refreshPayment(id) {
          ctx.onCommit(() => void of(id).calls.push('refreshPayment'));
        },
        async refundChanged(id) {
          ctx.onCommit(() => void of(id).calls.push('refundChanged'));
        },
      }),
    ),
  ],
  hooks(h) {
    h.on(lateMoney, () => state.latePolicy);
    h.on(settlePayable, (_, { for: { id } }) => {
      state.asked.push(id);
      return state.payables.get(id);
    });
  },
  events: { emits: [delivered] },
});
