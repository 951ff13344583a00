import { f } from '@storeloom/plugin-sdk';

export const settings = {
  allowSplitShipment: f.bool().default(true).store().describe('An order may be sent from several warehouses'),
  showStockCount: f.bool().default(false).store().describe('Show the number of available units to shoppers'),
  /** Also the reorder point of levels without their own. */
  lowStockThreshold: f
    .int({ min: 0, max: 1_000_000 })
    .default(5)
    .store()
    .describe('Stock at or below this quantity counts as low'),
};
