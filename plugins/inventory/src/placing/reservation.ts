import { f, table } from '@storeloom/plugin-sdk';
import { defineMachine } from '@storeloom/plugin-sdk/state';

const reservationStates = ['active', 'committed', 'released', 'expired'] as const;
export type ReservationState = (typeof reservationStates)[number];

/**
 * Only order flows and the expiry job run these transitions. When a part of a reservation changes state, it becomes a row of its
 * own.
 */
export const reservationMachine = defineMachine({
  start: 'active',
  states: reservationStates,
  moves: {
    commit: { from: ['active'], to: 'committed', internal: true },
    release: { from: ['active'], to: 'released', internal: true },
    expire: { from: ['active'], to: 'expired', internal: true },
  },
});

export const reservation = table(
  'reservation',
  {
    orderId: f.id(),
    orderLineId: f.id(),
    levelId: f.id(),
    variantId: f.id(),
    warehouseId: f.id(),
    quantity: f.int({ min: 1 }),
    /** Units that wait for a receipt. */
    backordered: f.int({ min: 0 }).default(0),
    /** Shipped units that were restocked, each once at most. */
    restocked: f.int({ min: 0 }).default(0),
    state: f.oneOf(reservationStates),
    /** Country of delivery: a warehouse that covers a backorder must serve it. */
    country: f.text({ min: 2, max: 2 }).optional(),
    expiresAt: f.instant().optional(),
  },
  {
    indexes: [
      { name: 'inventory_reservation_expiry_idx', fields: ['expiresAt'], where: "state = 'active' and expires_at is not null" },
      { name: 'inventory_reservation_order_idx', fields: ['orderId'] },
      { name: 'inventory_reservation_waiting_idx', fields: ['variantId', 'createdAt', 'id'], where: 'backordered > 0' },
    ],
  },
);

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
