import { f, type Shape } from '@storeloom/plugin-sdk';

export const settings = {
  holdMinutes: f.int({ min: 1, max: 1440 }).default(15).describe('Minutes for which unpaid tickets are held'),
  lowPercent: f
    .int({ min: 0, max: 100 })
    .default(10)
    .describe('The storefront shows "low" availability from this percentage of places left'),
  taxCategoryId: f.ref('taxes.category').optional().describe('Tax category of tickets'),
} satisfies Shape;
