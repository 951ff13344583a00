import { f, type Shape } from '@storeloom/plugin-sdk';

export const settings = {
  /** Version of the terms and privacy texts that shoppers agree to now; written with each consent. */
  consentTextVersion: f.text({ max: 60 }).default('1'),
} satisfies Shape;
