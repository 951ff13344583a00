import { f } from '@storeloom/plugin-sdk';

export const settings = {
  /** An order may come from several warehouses. */
  allowSplitShipment: f.bool().default(true).store().describe('An order may be sent from several warehouses'),
  showStockCount: f.bool().default(false).store().describe('Shoppers see how many are left'),
  /** Also the reorder point of levels that have none of their own. */
  lowStockThreshold: f.int({ min: 0, max: 1_000_000 }).default(5).store().describe('From here down a stock counts as low'),
};
