import { type Ctx, f, type Shape } from '@storeloom/plugin-sdk';
import { dateOverridesField, type Hours, hours, weeklyHoursField } from '@storeloom/plugin-sdk/time';

export const settings = {
  timezone: f.timeZone().optional().describe('Time zone of the restaurant; default that of the shop'),
  openingHours: weeklyHoursField.optional().describe('Opening hours; without them always open'),
  overrides: dateOverridesField.default([]).describe('Opening hours of single dates'),
  lastSeating: f.time().optional().describe('Last arrival of parties that stay beyond closing time'),
  intervalMin: f.int({ min: 5, max: 240 }).default(15).describe('Minutes between two start times'),
  stayMin: f
    .list(f.object({ upTo: f.int({ min: 1, max: 1000 }), minutes: f.int({ min: 15, max: 1440 }) }), { min: 1, max: 20 })
    .default([
      { upTo: 2, minutes: 90 },
      { upTo: 4, minutes: 120 },
      { upTo: 8, minutes: 150 },
    ])
    .describe('Length of stay by party size; larger parties use the longest band'),
  turnoverMin: f.int({ min: 0, max: 240 }).default(0).describe('Minutes for which tables stay blocked after a stay'),
  minParty: f.int({ min: 1, max: 1000 }).default(1).describe('Smallest party'),
  maxParty: f.int({ min: 1, max: 1000 }).default(20).describe('Largest party'),
  minAdvanceMin: f.int({ min: 0, max: 43_200 }).default(0).describe('Notice in minutes for reservations by guests'),
  maxAdvanceDays: f.int({ min: 1, max: 730 }).default(90).describe('Days ahead for which reservations are accepted'),
  cancelCutoffMin: f
    .int({ min: 0, max: 43_200 })
    .default(120)
    .describe('Minutes before the start until which guests may change a reservation'),
  noShowGraceMin: f.int({ min: 0, max: 1440 }).default(15).describe('Minutes after the start until a party is a no-show'),
  autoAssign: f.bool().default(true).describe('Assign tables automatically'),
  autoConfirm: f.bool().default(true).describe('Confirm storefront reservations automatically'),
  approvalHoldHours: f.int({ min: 1, max: 720 }).default(24).describe('Hours until a pending reservation lapses'),
  maxCoversPerSlot: f
    .int({ min: 1, max: 100_000 })
    .optional()
    .describe('Guests who may arrive per interval; without it no limit'),
  serviceBp: f.bp().default(0).describe('Service charge of new checks'),
  taxCategoryId: f.ref('taxes.category').optional().describe('Tax category of the service charge, and of items without one'),
} satisfies Shape;

export const zoneOf = (ctx: Ctx): string => ctx.settings(settings).timezone ?? ctx.tenant.timezone;

/** Length of stay of a party of this size. */
export function stayMinutes(ctx: Ctx, partySize: number): number {
  const bands = [...ctx.settings(settings).stayMin].sort((a, b) => a.upTo - b.upTo);
  return (bands.find(({ upTo }) => partySize <= upTo) ?? bands.at(-1))?.minutes ?? 120;
}

const known = new Map<string, Hours>();
/** Opening hours, cached while the settings stay the same; undefined without any. */
export function hoursOf(ctx: Ctx): Hours | undefined {
  const { openingHours, overrides } = ctx.settings(settings);
  if (openingHours === null) return undefined;
  const definition = { timeZone: zoneOf(ctx), weeklyHours: openingHours, overrides };
  const key = JSON.stringify(definition);
  let found = known.get(key);
  if (!found) {
    if (known.size >= 100) known.clear();
    known.set(key, (found = hours(definition)));
  }
  return found;
}
