import { type OrderStatus, orderStatuses } from '@storeloom/commerce';
import { defineMachine, invalidTransition } from '@storeloom/plugin-sdk/state';

/** Moves as they are possible at all; who is on hold goes back to where it was only. */
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

export interface Standing {
  status: OrderStatus;
  previousStatus: OrderStatus | null;
}

/** States that this order can go to now. */
export function allowedFor({ status, previousStatus }: Standing): OrderStatus[] {
  if (status === 'on_hold') return previousStatus === null ? ['cancelled'] : [previousStatus, 'cancelled'];
  return orderMachine.allowed(status);
}

/** `move`, or `repeat` when it stands there already; else 409 `invalid_transition`. */
export function checkMove(order: Standing, to: OrderStatus): 'move' | 'repeat' {
  if (order.status === to) return 'repeat';
  const allowed = allowedFor(order);
  if (!allowed.includes(to)) throw invalidTransition(order.status, to, allowed);
  return 'move';
}
