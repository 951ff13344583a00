import type { Ctx } from '@storeloom/plugin-sdk';
import { event } from './event.ts';
import { speaker } from './speaker.ts';
import { sponsor } from './sponsor.ts';
import { ticketType } from './ticket-type.ts';

const day = 86_400_000;

/** Creates two upcoming events, unless they exist. */
export async function seedDemo(ctx: Ctx): Promise<void> {
  const { timezone, currency } = ctx.tenant;
  const at = (days: number, hours: number): string =>
    new Date(Math.ceil(ctx.clock.ms() / day + days) * day + hours * 3_600_000).toISOString();
  const price = (amount: number) => ({ amount, currency });
  if (!(await ctx.rows(event).first({ slug: 'open-workshop' }))) {
    const { id } = await ctx.rows(event).insert({
      title: 'Open workshop',
      slug: 'open-workshop',
      startsAt: at(20, 15),
      endsAt: at(20, 19),
      timezone,
      venue: { name: 'The old tram depot', address: '4 Depot Street', onlineUrl: null },
      capacity: 60,
      reentry: true,
      status: 'published',
      description: '<p>An afternoon at the workbenches, with tools and material for everybody.</p>',
    });
    await ctx.rows(ticketType).insertMany([
      { eventId: id, name: 'Standard', price: price(9000), quantity: 50, order: 1 },
      { eventId: id, name: 'Student', price: price(4500), quantity: 20, maxPerOrder: 2, order: 2 },
      { eventId: id, name: 'Spectator', price: price(0), order: 3 },
    ]);
    await ctx.rows(speaker).insert({ eventId: id, name: 'The joiner on duty', title: 'Host', order: 1 });
    await ctx.rows(sponsor).insert({ eventId: id, name: ctx.tenant.name, tier: 'House', order: 1 });
  }
  if (!(await ctx.rows(event).first({ slug: 'night-of-lamps' }))) {
    const { id } = await ctx.rows(event).insert({
      title: 'Night of lamps',
      slug: 'night-of-lamps',
      startsAt: at(41, 17),
      endsAt: at(41, 23),
      timezone,
      venue: { name: 'The glasshouse', address: '1 Park Lane', onlineUrl: null },
      capacity: 200,
      status: 'published',
      description: '<p>Two hundred lamps, one dark glasshouse.</p>',
    });
    await ctx.rows(ticketType).insertMany([
      { eventId: id, name: 'Entry', price: price(3000), order: 1 },
      { eventId: id, name: 'Early entry', price: price(5000), quantity: 40, order: 2 },
    ]);
  }
}
