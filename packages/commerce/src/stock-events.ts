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
    title: 'Goods came or went, or a variant sold out or can be had again',
    data: snapshot,
  },
  low: {
    public: true,
    title: 'A stock fell to its reorder point',
    data: { ...snapshot, threshold: f.int() },
  },
});
/** Events of `inventory.variant`. */
export const stockEvents = entityEvents('inventory.variant', {
  restocked: {
    public: true,
    title: 'A variant that was sold out can be had again',
    data: { variantId: f.id(), available: f.int() },
  },
});
