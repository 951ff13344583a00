import { f, type Shape } from '@storeloom/plugin-sdk';

export const settings = {
  loanDays: f.int({ min: 1, max: 90 }).default(14).describe('Days until a tool is due'),
  maxOpenLoans: f.int({ min: 1, max: 20 }).default(3).describe('Tools that one customer may have at a time'),
} satisfies Shape;
