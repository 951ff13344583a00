import { type OrderStatus, orderStatuses } from '@storeloom/commerce';
import { defineMachine, invalidTransition } from '@storeloom/plugin-sdk/state';

/** Possible transitions; `allowedFor` limits an order on hold to its previous status. */
export const orderMachine = defineMachine<OrderStatus>({
  start: 'pending',
  states: orderStatuses,
  moves: {
    confirm: { from: ['pending', 'on_hold'], to: 'confirmed' },
    process: { from: ['pending', 'confirmed', 'on_hold', 'shipped'], to: 'processing' },
    reopen: { from: ['on_hold'], to: 'pending' },
    hold: { from: ['pending', 'confirmed', 'processing'], to: 'on_hold' },
    ship: { from: ['processing'], to: 'shipped' },
    deliver: { from: ['shipped'], to: 'delivered' },
    complete: { from: ['delivered', 'confirmed', 'processing'], to: 'completed' },
    cancel: { from: ['pending', 'confirmed', 'processing', 'on_hold'], to: 'cancelled' },
  },
});

export interface OrderState {
  status: OrderStatus;
  previousStatus: OrderStatus | null;
}

/** Allowed transitions of an order. */
export function allowedFor({ status, previousStatus }: OrderState): OrderStatus[] {
  if (status === 'on_hold') return previousStatus === null ? ['cancelled'] : [previousStatus, 'cancelled'];
  return orderMachine.allowed(status);
}

/** `repeat` if the order has the status already. @throws 409 `invalid_transition` */
export function checkMove(order: OrderState, to: OrderStatus): 'move' | 'repeat' {
  if (order.status === to) return 'repeat';
  const allowed = allowedFor(order);
  if (!allowed.includes(to)) throw invalidTransition(order.status, to, allowed);
  return 'move';
}
