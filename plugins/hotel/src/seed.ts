import type { Ctx } from '@storeloom/plugin-sdk';
import { room } from './room.ts';
import { settings } from './settings.ts';

/** Creates three room types and a dozen rooms, unless there are some. */
export async function seedDemo(ctx: Ctx): Promise<void> {
  const { currency } = ctx.tenant;
  const money = (amount: number) => ({ amount, currency });
  if (ctx.settings(settings).roomTypes.length === 0)
    await ctx.saveSettings({
      roomTypes: [
        { code: 'single', name: 'Single room', capacity: { adults: 1, children: 0 } },
        {
          code: 'double',
          name: 'Double room',
          capacity: { adults: 2, children: 1 },
          policy: { freeUntilHours: 48, feeBp: 5000 },
        },
        {
          code: 'family',
          name: 'Family room',
          capacity: { adults: 2, children: 3 },
          policy: { freeUntilHours: 72, feeBp: 5000 },
        },
      ],
    });
  if (await ctx.rows(room).first({})) return;
  const rooms = [
    ...['101', '102', '201', '202'].map((number) => ({ number, roomType: 'single', maxAdults: 1, maxChildren: 0, rate: 22_000 })),
    ...['103', '104', '105', '203', '204', '205'].map((number) => ({
      number,
      roomType: 'double',
      maxAdults: 2,
      maxChildren: 1,
      rate: 34_000,
    })),
    ...['301', '302'].map((number) => ({ number, roomType: 'family', maxAdults: 2, maxChildren: 3, rate: 49_000 })),
  ];
  await ctx.rows(room).insertMany(
    rooms.map(({ rate, ...each }) => ({
      ...each,
      floor: each.number[0] as string,
      baseRate: money(rate),
      housekeeping: 'clean' as const,
    })),
  );
}
