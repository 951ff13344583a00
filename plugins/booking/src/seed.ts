import type { Ctx } from '@storeloom/plugin-sdk';
import { addDays, civilDate, parseLocalDateTime } from '@storeloom/plugin-sdk/time';
import { book } from './appointment.ts';
import { service } from './service.ts';
import { zoneOf } from './settings.ts';
import { staff } from './staff.ts';

/** Creates three services, two members of staff and an appointment in a week, unless there are some. */
export async function seedDemo(ctx: Ctx): Promise<void> {
  if (await ctx.rows(service).first({ name: 'Haircut' })) return;
  const price = (amount: number) => ({ amount, currency: ctx.tenant.currency });
  const services = await ctx.rows(service).insertMany([
    {
      name: 'Haircut',
      durationMin: 45,
      bufferAfterMin: 15,
      price: price(9000),
      category: 'Hair',
      color: '#c2703d',
      maxAdvanceDays: 60,
      cancelCutoffMin: 720,
    },
    {
      name: 'Colouring',
      durationMin: 120,
      price: price(24_000),
      category: 'Hair',
      color: '#7a3d6b',
      requiresConfirmation: true,
      minNoticeMin: 1440,
    },
    { name: 'Group styling class', durationMin: 90, price: price(6000), capacity: 6, category: 'Classes', color: '#3d6b7a' },
  ]);
  const day = (start: string, end: string) => [{ start, end }];
  const hours = (start: string, end: string) => ({
    mon: day(start, end),
    tue: day(start, end),
    wed: day(start, end),
    thu: day(start, end),
    fri: day(start, end),
    sat: day('10:00', '14:00'),
    sun: day('10:00', '14:00'),
  });
  const serviceIds = services.map(({ id }) => id);
  await ctx.rows(staff).insertMany([
    { name: 'First chair', timezone: zoneOf(ctx), weeklyHours: hours('09:00', '17:00'), serviceIds },
    {
      name: 'Second chair',
      timezone: zoneOf(ctx),
      weeklyHours: hours('11:00', '19:00'),
      serviceIds: serviceIds.slice(0, 2),
      priority: 1,
    },
  ]);
  const date = addDays(civilDate(ctx.clock.now(), zoneOf(ctx)), 7);
  const customer = { name: 'Walk-in customer', email: null, phone: '+40700000000' };
  await book(
    ctx,
    {
      items: [{ serviceId: serviceIds[0] as string, staffId: null }],
      startsAt: parseLocalDateTime({ date, time: '11:00' }, zoneOf(ctx)),
      seats: 1,
      asCustomer: false,
    },
    { timezone: null, notes: null, source: 'demo' },
    async () => ({ customer, customerId: null }),
    () => ({ status: 'confirmed', holdExpiresAt: null, depositOf: () => null }),
  );
}
