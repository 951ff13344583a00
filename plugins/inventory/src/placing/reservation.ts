import { f, table } from '@storeloom/plugin-sdk';
import { defineMachine } from '@storeloom/plugin-sdk/state';

const reservationStates = ['active', 'committed', 'released', 'expired'] as const;
export type ReservationState = (typeof reservationStates)[number];

/** Its moves are made by flows of orders and by the expiry job only. Some units of a reservation may move by themselves: they get a row of their own. */
export const reservationMachine = defineMachine({
  start: 'active',
  states: reservationStates,
  moves: {
    commit: { from: ['active'], to: 'committed', internal: true },
    release: { from: ['active'], to: 'released', internal: true },
    expire: { from: ['active'], to: 'expired', internal: true },
  },
});

export const reservation = table('reservation', {
  orderId: f.id(),
  orderLineId: f.id(),
  levelId: f.id(),
  variantId: f.id(),
  warehouseId: f.id(),
  quantity: f.int({ min: 1 }),
  /** Units that wait for a receipt. */
  backordered: f.int({ min: 0 }).default(0),
  /** Units that left and are on the shelf again: each once at most. */
  restocked: f.int({ min: 0 }).default(0),
  state: f.oneOf(reservationStates),
  /** Where the goods go: another warehouse that covers a backorder must serve it. */
  country: f.text({ min: 2, max: 2 }).optional(),
  expiresAt: f.instant().optional(),
});

export interface Reservation {
  id: string;
  orderId: string;
  orderLineId: string;
  levelId: string;
  variantId: string;
  warehouseId: string;
  quantity: number;
  backordered: number;
  restocked: number;
  state: ReservationState;
  country: string | null;
  expiresAt: string | null;
  createdAt: string;
}
