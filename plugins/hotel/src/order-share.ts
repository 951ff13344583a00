import type { Orders, OrderView } from '@storeloom/commerce';
import { mulRatio } from '@storeloom/plugin-sdk/money';
import type { ReservationRow } from './reservation-fields.ts';

type OrderMoney = Pick<OrderView, 'status' | 'total' | 'captured' | 'tendered' | 'refunded' | 'amountDue'> & {
  lines: readonly Pick<OrderView['lines'][number], 'id' | 'total'>[];
};
type OrderRefunds = Awaited<ReturnType<Orders['refundsOf']>>;

/** A stay in the order's currency, minor units. */
export interface StayMoney {
  lineId: string;
  /** Price in the order; 0 if an edit removed it. */
  price: number;
  /** Paid by the order, as its folio shows it. */
  paid: number;
  /** What the folio has above its price and charges. */
  excess: number;
  /** Refunded by the desk out of the order's money. */
  refundedAtDesk: number;
}

/** Money that the order has and hasn't refunded. */
export const heldBy = ({ captured, tendered, refunded }: Pick<OrderMoney, 'captured' | 'tendered' | 'refunded'>): number =>
  Math.max(0, captured + tendered - refunded);

const sum = (values: readonly number[]): number => values.reduce((rest, each) => rest + each, 0);

/**
 * What the order has paid of each stay. Refunds of units reduce their line, other refunds all parts of the order in proportion, except those
 * that the desk made of a stay. While an amount is due, money that the desk took for a stay stays with it, and the rest pays the other
 * parts of the order first. The present payments change as little as possible.
 */
export function sharesOf(order: OrderMoney, refunds: OrderRefunds, stays: readonly StayMoney[]): number[] {
  const units = refunds.flatMap(({ lines }) => lines.filter(({ quantity }) => quantity > 0));
  const refundedOf = (lineId: string): number => sum(units.filter((line) => line.lineId === lineId).map(({ amount }) => amount));
  const shares = stays.map(({ price, paid }) => Math.min(price, paid));
  const room = stays.map(({ price }) => price);
  for (const { id, total } of order.lines) {
    const own = [...stays.keys()].filter((i) => stays[i]?.lineId === id);
    if (own.length === 0) continue;
    const left = Math.max(0, total - refundedOf(id));
    lower(shares, stays, own, left);
    // The refunded units are those without the money.
    const refunded = Math.max(0, sum(own.map((i) => room[i] ?? 0)) - left);
    let rest = refunded;
    for (const i of byExcess(stays, own, shares)) {
      const less = Math.min(rest, (room[i] ?? 0) - (shares[i] ?? 0));
      room[i] = (room[i] ?? 0) - less;
      rest -= less;
    }
  }
  const all = [...stays.keys()];
  const most = sum(room);
  const atDesk = sum(stays.map(({ refundedAtDesk }) => refundedAtDesk));
  const byLine = sum([...units.map(({ amount }) => amount), ...refunds.map(({ shipping }) => shipping)]);
  // Without the parts without units, which the desk refunded of a stay.
  const free = Math.max(0, sum(refunds.map(({ amount }) => amount)) - byLine - atDesk);
  const parts = Math.max(order.total - byLine, most);
  const full = most - atDesk - (parts > 0 ? mulRatio(free, most, parts) : 0);
  const held = heldBy(order);
  const wanted = order.amountDue > 0 ? Math.max(Math.min(sum(shares), full), full - order.amountDue) : full;
  const pool = Math.max(0, Math.min(wanted, held, most));
  lower(shares, stays, all, pool);
  let more = pool - sum(shares);
  for (const i of all) {
    const added = Math.max(0, Math.min(more, (room[i] ?? 0) - (shares[i] ?? 0) - (stays[i]?.refundedAtDesk ?? 0)));
    shares[i] = (shares[i] ?? 0) + added;
    more -= added;
  }
  return shares;
}

/** Reduces shares to a sum: first of stays that are paid too much, then of the newest. */
function lower(shares: number[], stays: readonly StayMoney[], which: readonly number[], to: number): void {
  let over = Math.max(0, sum(which.map((i) => shares[i] ?? 0)) - to);
  const take = (i: number, most: number): void => {
    const less = Math.max(0, Math.min(over, most, shares[i] ?? 0));
    shares[i] = (shares[i] ?? 0) - less;
    over -= less;
  };
  for (const i of which) take(i, (stays[i]?.excess ?? 0) - ((stays[i]?.paid ?? 0) - (shares[i] ?? 0)));
  for (const i of [...which].reverse()) take(i, over);
}

const byExcess = (stays: readonly StayMoney[], which: readonly number[], shares: readonly number[]): number[] =>
  [...which].sort((a, b) => (shares[a] ?? 0) - (stays[a]?.price ?? 0) - ((shares[b] ?? 0) - (stays[b]?.price ?? 0)) || b - a);

/** Rates of a stay between the shop's currency and the order's. */
export interface OrderPrice {
  /** In the order's currency. */
  price: number;
  /** In the shop's currency. */
  total: number;
}
export const priceIn = ({
  orderPrice,
  orderTotal,
  total,
}: Pick<ReservationRow, 'orderPrice' | 'orderTotal' | 'total'>): OrderPrice => ({
  price: orderPrice?.amount ?? total.amount,
  total: orderTotal?.amount ?? total.amount,
});
export const toOrder = (amount: number, { price, total }: OrderPrice): number =>
  price === total || total === 0 ? amount : mulRatio(amount, price, total);
export const toFolio = (amount: number, { price, total }: OrderPrice): number =>
  price === total || price === 0 ? amount : mulRatio(amount, total, price);
