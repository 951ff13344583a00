import { entityEvents, f } from '@storeloom/plugin-sdk';

const snapshot = {
  id: f.id(),
  variantId: f.id(),
  warehouseId: f.id(),
  onHand: f.int(),
  reserved: f.int(),
  available: f.int(),
};
/** Events of `inventory.level`. */
export const levelEvents = entityEvents('inventory.level', {
  changed: {
    public: true,
    title: 'Stock level or availability changed',
    data: snapshot,
  },
  low: {
    public: true,
    title: 'Stock at or below its reorder point',
    data: { ...snapshot, threshold: f.int() },
  },
});
/** Events of `inventory.variant`. */
export const stockEvents = entityEvents('inventory.variant', {
  restocked: {
    public: true,
    title: 'Variant back in stock',
    data: { variantId: f.id(), available: f.int() },
  },
});
