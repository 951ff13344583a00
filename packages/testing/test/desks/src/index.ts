import { checkReferences, definePlugin, f, listOf, migrations, problem, reply, resource, route } from '@storeloom/plugin-sdk';
import { generateToken, issueManageToken, publicPost, publicView } from '@storeloom/plugin-sdk/public';
import {
  blockedRanges,
  defineCounter,
  defineExclusion,
  defineHolds,
  defineNights,
  defineWaitingList,
  type Holds,
  holdsJob,
  mapConstraintErrors,
  type WaitingList,
  withResourceLocks,
} from '@storeloom/plugin-sdk/reserve';
import { defineMachine } from '@storeloom/plugin-sdk/state';

export const desk = resource('desk', {
  path: 'desks',
  verbs: ['list', 'create', 'get'],
  fields: { name: f.text(), note: f.text().optional().private(), cost: f.money().optional().private() },
});

export const booking = resource('booking', {
  path: 'desk-bookings',
  verbs: ['list', 'get'],
  fields: {
    deskId: f.ref('desks.desk'),
    startsAt: f.instant(),
    endsAt: f.instant(),
    holdExpiresAt: f.instant().optional(),
  },
  machine: defineMachine({
    start: 'pending',
    states: ['pending', 'confirmed', 'expired', 'cancelled'],
    moves: {
      confirm: { from: ['pending'], to: 'confirmed', run: () => ({ holdExpiresAt: null }) },
      expire: { from: ['pending'], to: 'expired', internal: true },
      cancel: { from: ['pending', 'confirmed'], to: 'cancelled' },
    },
  }),
});

export const holds: Holds = defineHolds({
  entity: 'desks.booking',
  resource: 'desk_id',
});
export const slots = defineExclusion({
  table: 'desks_booking',
  resource: 'desk_id',
  from: 'starts_at',
  until: 'ends_at',
  blocking: ['pending', 'confirmed'],
  holds,
});
export const nights = defineNights({
  table: 'desks_night',
  resource: 'desk_id',
  resources: 'desks_desk',
  holder: 'booking_id',
  holders: 'desks_booking',
});
export const seats = defineCounter({ table: 'desks_seats', key: { room: 'uuid', day: 'date' } });

export const waiter = resource('waiter', {
  path: 'desk-waiters',
  verbs: ['list'],
  fields: { deskId: f.id(), position: f.int(), places: f.int() },
  machine: defineMachine({
    start: 'waiting',
    states: ['waiting', 'promoted'],
    moves: { promote: { from: ['waiting'], to: 'promoted', internal: true } },
  }),
});
export const line: WaitingList = defineWaitingList({
  table: 'desks_waiter',
  resource: 'desk_id',
  status: 'waiting',
  position: 'position',
  places: 'places',
  promote: (ctx, id) => waiter.move(ctx, id, 'promote'),
});

export const visit = resource('visit', {
  path: 'desk-visits',
  verbs: ['list', 'get'],
  fields: {
    deskId: f.ref('desks.desk'),
    reference: f.text(),
    email: f.email().private().personal(),
    day: f.date(),
    place: f.object({ room: f.text(), door: f.text().private() }),
  },
  machine: defineMachine({
    start: 'booked',
    states: ['booked', 'cancelled'],
    moves: { cancel: { from: ['booked'], to: 'cancelled' } },
  }),
});
const visitView = publicView(visit.fields, ['reference', 'day', 'place', 'status'], { manageToken: f.text().optional() });
const deskView = publicView(desk.fields, ['id', 'name']);

/** A stranger's visit, which they move or cancel with their token. */
const visitPost = publicPost(
  '/desk-visits/',
  {
    body: { deskId: f.ref('desks.desk'), email: f.email(), day: f.date() },
    response: visitView.shape,
    consent: 'visit',
    manage: {
      table: visit,
      fields: { day: f.date().optional() },
      actions: {
        cancel: async (ctx, rows) => {
          for (const { id } of rows) await visit.move(ctx, id, 'cancel');
          return { ...visitView.of(ctx, await ctx.rows(visit).require(rows[0]?.id as string), { manageToken: null }) };
        },
        reschedule: async (ctx, [row], { day }) => {
          if (!row || row.status === 'cancelled') throw problem('cutoff_passed');
          return visitView.of(ctx, await ctx.rows(visit).update(row.id, { day: day ?? row.day }), { manageToken: null });
        },
      },
    },
    problems: ['cutoff_passed'],
  },
  async (ctx, { deskId, email, day }) => {
    await checkReferences(ctx, visit.fields, { deskId });
    const row = await ctx.rows(visit).insert({
      deskId,
      email,
      day,
      reference: generateToken(),
      place: { room: 'Blue', door: 'the code of the door' },
      status: 'booked',
    });
    return visitView.of(ctx, row, { manageToken: issueManageToken(ctx, visit, row.id) });
  },
);
const deskList = route('GET', '/desks/', { response: deskView.shape, list: true }, async (ctx) =>
  listOf((await ctx.rows(desk).find({})).map((row) => deskView.of(ctx, row))),
);

const taken = () => problem('desk_taken');

/** Every desk that is wanted, or none. */
const book = route(
  'POST',
  '/desk-bookings/',
  {
    body: { deskIds: f.list(f.ref('desks.desk'), { min: 1, max: 5 }), startsAt: f.instant(), endsAt: f.instant() },
    response: { ids: f.list(f.id()) },
    status: 201,
    problems: ['desk_taken'],
  },
  (ctx, { body: { deskIds, startsAt, endsAt } }) =>
    withResourceLocks(
      ctx,
      desk,
      deskIds,
      async (desks) => {
        const resources = desks.map(({ id }) => id);
        if ((await blockedRanges(ctx, slots, { resources, window: { start: startsAt, end: endsAt } })).length > 0) throw taken();
        const rows = await mapConstraintErrors({ [slots.constraint]: taken }, () =>
          ctx.rows(booking).insertMany(desks.map(({ id }) => ({ deskId: id, startsAt, endsAt, status: 'pending' as const }))),
        );
        const ids = rows.map(({ id }) => id);
        return reply(201, { ids });
      },
      { pointer: '/deskIds', holds },
    ),
);

export default definePlugin({
  name: 'desks',
  migrations: migrations(import.meta.url, ['0001_desks.sql']),
  admin: [desk, booking, waiter, visit],
  storefront: [book, visitPost, deskList],
  jobs: { lapse: holdsJob(holds) },
  errors: {
    desk_taken: { status: 409, title: 'The desk is taken' },
  },
  locales: { ro: {}, en: {} },
});
