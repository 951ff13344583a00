import { type Ctx, f, problem } from '@storeloom/plugin-sdk';
import { issueManageToken, publicPost, publicView } from '@storeloom/plugin-sdk/public';
import { epoch, minuteMs, omitStart, requireStart, type StartInput, startFields } from '@storeloom/plugin-sdk/time';
import { announceChange, book, change, reservation } from './reservation.ts';
import { type Reservation, reservationFields } from './reservation-fields.ts';
import { settings, zoneOf } from './settings.ts';

const view = publicView(
  { ...reservationFields, status: reservation.fields.status },
  ['reference', 'status', 'startsAt', 'partySize', 'holdExpiresAt'],
  { timezone: f.text(), manageToken: f.text().optional() },
);
const shown = (ctx: Ctx, row: Reservation, manageToken: string | null = null) =>
  view.of(ctx, row, { timezone: zoneOf(ctx), manageToken });

/** @throws 409 `cutoff_passed {until}` for an open reservation after the cut-off */
function checkCutoff(ctx: Ctx, row: Reservation): void {
  if (row.status !== 'pending' && row.status !== 'confirmed') return;
  const until = epoch(row.startsAt) - ctx.settings(settings).cancelCutoffMin * minuteMs;
  if (ctx.clock.ms() > until)
    throw problem('cutoff_passed', {
      detail: 'The reservation can no longer be changed online. Contact the restaurant.',
      until: new Date(until).toISOString(),
    });
}

async function cancel(ctx: Ctx, rows: Reservation[]) {
  const [row] = rows as [Reservation];
  checkCutoff(ctx, row);
  return shown(ctx, await reservation.move(ctx, row.id, 'cancel'));
}

async function reschedule(ctx: Ctx, rows: Reservation[], body: StartInput) {
  const [row] = rows as [Reservation];
  const startsAt = requireStart(body, zoneOf(ctx));
  checkCutoff(ctx, row);
  const changed = await change(ctx, row, { startsAt }, 'guest');
  const moved = await ctx.rows(reservation).update(row.id, changed);
  await ctx.audit({
    entity: 'restaurant.reservation',
    entityId: row.id,
    action: 'restaurant.reservation.reschedule',
    before: row,
    after: moved,
  });
  await announceChange(ctx, moved, row);
  return shown(ctx, moved);
}

export const publicReservation = publicPost(
  '/reservations',
  {
    summary: 'Reserves a table; with a manage token reschedules or cancels the reservation',
    body: {
      name: reservationFields.name,
      phone: f.phone().optional(),
      email: f.email().optional(),
      partySize: reservationFields.partySize,
      area: f.text({ max: 60 }).optional(),
      occasion: f.text({ max: 200 }).optional(),
      notes: f.text({ max: 2000 }).optional(),
      ...startFields,
    },
    response: view.shape,
    consent: 'reservation',
    entity: 'restaurant.reservation',
    problems: [
      'no_table_available',
      'capacity_exceeded',
      'cutoff_passed',
      'expired',
      'invalid_transition',
      'party_size',
      'too_soon',
      'too_far',
      'outside_hours',
    ],
    manage: { table: reservation, fields: startFields, actions: { cancel, reschedule } },
  },
  async (ctx, body) => {
    const startsAt = requireStart(body, zoneOf(ctx));
    const row = await book(ctx, { ...omitStart(body), startsAt, durationMin: null, tableIds: [], source: 'web' }, 'guest');
    return shown(ctx, row, issueManageToken(ctx, reservation, row.id));
  },
);
