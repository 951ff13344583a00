import { type Ctx, f, type Shape } from '@storeloom/plugin-sdk';

export const settings = {
  timezone: f.timeZone().optional().describe("Zone of closed days, of today and of figures; the shop's without it"),
  closedDays: f.list(f.date(), { max: 1000 }).default([]).describe('Days on which nobody works'),
  approvalHoldHours: f.int({ min: 1, max: 720 }).default(24).describe('Hours for which a time waits for the approval of staff'),
  refuseCustomerOverlap: f.bool().default(false).describe('Whether a customer may have one appointment at a time only'),
} satisfies Shape;

export const zoneOf = (ctx: Ctx): string => ctx.settings(settings).timezone ?? ctx.tenant.timezone;

/** How long a time is kept for somebody who was sent to pay, in minutes. */
export const paymentHoldMin = 15;
