import { type Ctx, f, type Shape } from '@storeloom/plugin-sdk';
import { dateOverridesField, type Hours, hours, weeklyHoursField } from '@storeloom/plugin-sdk/time';

export const settings = {
  timezone: f.timeZone().optional().describe("Zone of the house; the shop's without it"),
  openingHours: weeklyHoursField.optional().describe('Opening hours; without them guests may come at any time'),
  overrides: dateOverridesField.default([]).describe('Hours of single dates'),
  lastSeating: f.time().optional().describe('Who comes by then may stay beyond the closing hour'),
  intervalMin: f.int({ min: 5, max: 240 }).default(15).describe('Minutes between two starts'),
  stayMin: f
    .list(f.object({ upTo: f.int({ min: 1, max: 1000 }), minutes: f.int({ min: 15, max: 1440 }) }), { min: 1, max: 20 })
    .default([
      { upTo: 2, minutes: 90 },
      { upTo: 4, minutes: 120 },
      { upTo: 8, minutes: 150 },
    ])
    .describe('Length of a stay by the size of the party; larger parties have the longest band'),
  turnoverMin: f.int({ min: 0, max: 240 }).default(0).describe('Minutes after a stay for which its tables stay taken'),
  minParty: f.int({ min: 1, max: 1000 }).default(1).describe('Smallest party'),
  maxParty: f.int({ min: 1, max: 1000 }).default(20).describe('Largest party'),
  minAdvanceMin: f.int({ min: 0, max: 43_200 }).default(0).describe('Minutes before the start by which guests must ask'),
  maxAdvanceDays: f.int({ min: 1, max: 730 }).default(90).describe('Days ahead for which reservations are taken'),
  cancelCutoffMin: f
    .int({ min: 0, max: 43_200 })
    .default(120)
    .describe('Minutes before the start until which guests may change it'),
  noShowGraceMin: f.int({ min: 0, max: 1440 }).default(15).describe('Minutes after the start before a party counts as missing'),
  autoAssign: f.bool().default(true).describe('Give out tables by itself'),
  autoConfirm: f.bool().default(true).describe('Confirm reservations of the storefront by itself'),
  approvalHoldHours: f
    .int({ min: 1, max: 720 })
    .default(24)
    .describe('Hours for which an unconfirmed reservation keeps its tables'),
  maxCoversPerSlot: f
    .int({ min: 1, max: 100_000 })
    .optional()
    .describe('Guests who may begin in one interval; no limit without it'),
  serviceBp: f.bp().default(0).describe('Service charge on checks that are opened from now on'),
  taxCategoryId: f.ref('taxes.category').optional().describe('Tax category of what names none, and of the service charge'),
} satisfies Shape;

export const zoneOf = (ctx: Ctx): string => ctx.settings(settings).timezone ?? ctx.tenant.timezone;

/** How long a party of this size stays. */
export function stayMinutes(ctx: Ctx, partySize: number): number {
  const bands = [...ctx.settings(settings).stayMin].sort((a, b) => a.upTo - b.upTo);
  return (bands.find(({ upTo }) => partySize <= upTo) ?? bands.at(-1))?.minutes ?? 120;
}

const known = new Map<string, Hours>();
/** The opening hours, worked out once as long as they stand; undefined where none are said. */
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
