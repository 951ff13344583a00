import { f, type Shape } from '@storeloom/plugin-sdk';

export const settings = {
  holdMinutes: f.int({ min: 1, max: 1440 }).default(15).describe('Minutes for which unpaid tickets are kept'),
  lowPercent: f.int({ min: 0, max: 100 }).default(10).describe('Percent of places left from which the storefront says "low"'),
  taxCategoryId: f.ref('taxes.category').optional().describe('Tax category of tickets; the default one without it'),
} satisfies Shape;
