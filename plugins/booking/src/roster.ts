import type { Ctx } from '@storeloom/plugin-sdk';
import type { Hours } from '@storeloom/plugin-sdk/time';
import { type Service, service } from './service.ts';
import { settings, zoneOf } from './settings.ts';
import { staff } from './staff.ts';
import type { Staff } from './staff-fields.ts';
import { workingHours } from './working.ts';

export interface Worker {
  row: Staff;
  hours: Hours;
}
export interface Roster {
  services: ReadonlyMap<string, Service>;
  /** Active staff, by name. */
  workers: readonly Worker[];
}

/** Services and working hours; cached in storefront requests until the configuration changes. */
export function rosterOf(ctx: Ctx): Promise<Roster> {
  const key = `roster ${zoneOf(ctx)} ${ctx.settings(settings).closedDays.join()}`;
  return ctx.remember(key, async () => {
    const [services, people] = await Promise.all([
      ctx.rows(service).find({}, { orderBy: ['name', 'id'] }),
      ctx.rows(staff).find({ isActive: true }, { orderBy: ['name', 'id'] }),
    ]);
    return {
      services: new Map(services.map((row) => [row.id, row])),
      workers: people.map((row) => ({ row: row, hours: workingHours(ctx, row) })),
    };
  });
}
