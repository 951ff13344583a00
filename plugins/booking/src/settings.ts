import { type Ctx, f, type Shape } from '@storeloom/plugin-sdk';

export const settings = {
  timezone: f.timeZone().optional().describe('Time zone of closed days and figures; default that of the shop'),
  closedDays: f.list(f.date(), { max: 1000 }).default([]).describe('Days without working hours'),
  approvalHoldHours: f.int({ min: 1, max: 720 }).default(24).describe('Hours until an appointment that needs approval lapses'),
  refuseCustomerOverlap: f.bool().default(false).describe('Refuse overlapping appointments of one customer'),
} satisfies Shape;

export const zoneOf = (ctx: Ctx): string => ctx.settings(settings).timezone ?? ctx.tenant.timezone;

/** Minutes for which a time is held while the customer pays. */
export const paymentHoldMin = 15;
