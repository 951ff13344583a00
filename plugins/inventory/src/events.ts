import { levelEvents, stockEvents } from '@storeloom/commerce';
import { entityEvents, f } from '@storeloom/plugin-sdk';

/** Events of `inventory.warehouse`. */
export const warehouseEvents = entityEvents('inventory.warehouse', {
  created: { title: 'A warehouse was created', data: { id: f.id() } },
  updated: { title: 'A warehouse was updated', data: { id: f.id() } },
  deleted: { title: 'A warehouse was deleted', data: { id: f.id() } },
});

export const emits = [levelEvents, stockEvents, warehouseEvents].flatMap((events) => Object.values(events));
