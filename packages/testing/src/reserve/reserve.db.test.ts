import { readFileSync } from 'node:fs';
import { type Ctx, Problem, problem, type RawBuilder, sql, uuidv7 } from '@storeloom/plugin-sdk';
import {
  blockedRanges,
  expireHolds,
  holdUntil,
  isLapsed,
  mapConstraintErrors,
  nextPosition,
  promoteWaiting,
  readCounter,
  releaseCounter,
  releaseNights,
  reserveCounter,
  reservedNights,
  reserveNights,
  setCapacity,
  withKeyLocks,
  withResourceLocks,
} from '@storeloom/plugin-sdk/reserve';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deskShop, makeDesk } from '../../test/desk-shop.ts';
import plugin, { booking, desk, holds, line, nights, seats, slots, waiter } from '../../test/desks/src/index.ts';
import { crowd, repeatedUnits, runJob, type TestShop, tally } from '../index.ts';

let shop: TestShop;
/** Two processes, so that nothing but the database keeps them apart. */
beforeAll(async () => {
  shop = await deskShop({ processes: 2, workers: false });
});
afterAll(() => shop?.stop());

const path = '/api/storefront/desk-bookings/';
type Input = { deskIds: string[]; startsAt: string; endsAt: string };
type Made = { code?: string; ids?: string[] };
const ask = (i: number, body: Input) => shop.a.guest.at(shop.bases[i % 2] as string).post<Made>(path, body);
const askAll = (size: number, input: (i: number) => Input) =>
  crowd(shop.bases, size, (at, i) => at(shop.a.guest).post<Made>(path, input(i)));
const run = <T>(fn: (ctx: Ctx) => Promise<T>, i = 0): Promise<T> =>
  (shop.kernels[i % 2] as TestShop['kernel']).inTenant(shop.a.id, 'desks', fn);
const at = (minutes: number): string => new Date(Date.UTC(2030, 0, 1) + minutes * 60_000).toISOString();
const overlaps = () =>
  shop.rows(`select a.id from desks_booking a join desks_booking b on b.desk_id = a.desk_id and b.id > a.id
    and tstzrange(b.starts_at, b.ends_at) && tstzrange(a.starts_at, a.ends_at)
    where a.status in ('pending', 'confirmed') and b.status in ('pending', 'confirmed')`);
const spied = ({ tenant, clock }: Ctx) => ({ tenant, clock });
const explained = async (ctx: Ctx, query: RawBuilder<unknown>): Promise<string[]> =>
  (await ctx.db.rows<Record<string, string>>(sql`explain ${query}`)).map((row) => String(Object.values(row)[0]));
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error) => (error instanceof Problem ? error.code : error),
  );

describe('migrations', () => {
  it('run the statements that the definitions give', () => {
    const file = readFileSync(new URL('../../test/desks/migrations/0001_desks.sql', import.meta.url), 'utf8');
    for (const { migration } of [slots, nights, seats]) expect(file).toContain(migration);
  });

  it('put the tenant first in constraint and keys, behind row-level security', async () => {
    const [excluded] = await shop.rows<{ text: string }>(
      'select pg_get_constraintdef(oid) as text from pg_constraint where conname = $1',
      [slots.constraint],
    );
    expect(excluded?.text).toMatch(/^EXCLUDE USING gist \(tenant_id WITH =, desk_id WITH =, .*tstzrange.* WITH &&\) WHERE/);
    const secured = await shop.rows(`select relname from pg_class where relname in ('desks_night', 'desks_seats')
      and relrowsecurity and relforcerowsecurity order by 1`);
    expect(secured).toEqual([{ relname: 'desks_night' }, { relname: 'desks_seats' }]);
    expect((await shop.rows('select 1 from desks_night')).length).toBe(0);
  });

  it('refuse what no range can be made of', async () => {
    await expect(shop.rows(`select core_exclusion('desks_desk', 'id', 'name', 'name')`)).rejects.toThrow('must be a timestamptz');
    await expect(shop.rows(`select core_counter('desks_wrong', 'day money')`)).rejects.toThrow('must be `name type`');
  });
});

describe('one desk, two processes', () => {
  it('is given to one of fifty simultaneous requests', async () => {
    const id = await makeDesk(shop);
    const { answers, seconds } = await askAll(50, () => ({ deskIds: [id], startsAt: at(0), endsAt: at(60) }));
    expect(tally(answers)).toEqual({ '201': 1, '409 desk_taken': 49 });
    expect(seconds).toBeLessThan(10);
  });

  it('handles eighty staggered requests without an overlap, a deadlock or an error', async () => {
    const id = await makeDesk(shop);
    const before = await repeatedUnits(shop.bases);
    const { answers } = await askAll(80, (i) => ({ deskIds: [id], startsAt: at(i * 7), endsAt: at(i * 7 + 30) }));
    const counts = tally(answers);
    expect(Object.keys(counts).sort()).toEqual(['201', '409 desk_taken']);
    // A request was rejected only because of another one that succeeded.
    const kept = answers.flatMap(({ status }, i) => (status === 201 ? [i] : []));
    expect(answers.every((_, i) => kept.some((other) => Math.abs(i - other) * 7 < 30))).toBe(true);
    expect(await overlaps()).toEqual([]);
    expect(await repeatedUnits(shop.bases)).toEqual(before);
  });

  it('and another are asked for in either order without a circle', async () => {
    const [one, two] = [await makeDesk(shop), await makeDesk(shop)];
    const before = await repeatedUnits(shop.bases);
    const { answers } = await askAll(60, (i) => ({
      deskIds: i % 2 === 0 ? [one, two] : [two, one],
      startsAt: at((i % 6) * 20),
      endsAt: at((i % 6) * 20 + 40),
    }));
    expect(Object.keys(tally(answers)).sort()).toEqual(['201', '409 desk_taken']);
    expect(await overlaps()).toEqual([]);
    expect(await repeatedUnits(shop.bases)).toEqual(before);
    // Both or none.
    const lone = await shop.rows(
      'select starts_at from desks_booking where desk_id in ($1, $2) group by starts_at having count(*) <> 2',
      [one, two],
    );
    expect(lone).toEqual([]);
  });

  it('without the lock the constraint still stands, and answers with the domain code', async () => {
    const id = await makeDesk(shop);
    const insert = (i: number) =>
      codeOf(
        run(
          (ctx) =>
            mapConstraintErrors({ [slots.constraint]: () => problem('desk_taken') }, () =>
              ctx.rows(booking).insert({ deskId: id, startsAt: at(i), endsAt: at(i + 60), status: 'confirmed' }),
            ),
          i,
        ),
      );
    const codes = await Promise.all(Array.from({ length: 8 }, (_, i) => insert(i)));
    // A circle of waiting inserts is broken by the database, maybe for all who lose: that is what the lock is for.
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    expect(await insert(8)).toBe('desk_taken');
    expect(await overlaps()).toEqual([]);
  });

  it('is queried through an index behind row-level security, for any data of the shop', async () => {
    const every = await Promise.all(Array.from({ length: 20 }, () => makeDesk(shop)));
    const ids = every.slice(0, 2);
    await shop.rows(
      `insert into desks_booking (tenant_id, id, desk_id, starts_at, ends_at, status, created_at, updated_at)
       select $1, gen_random_uuid(), desk, t, t + interval '30 minutes', 'confirmed', now(), now()
       from unnest($2::uuid[]) desk, generate_series(timestamptz '2031-02-20', timestamptz '2031-03-10', interval '1 hour') t`,
      [shop.a.id, every],
    );
    await shop.rows('analyze desks_booking');
    const window = { start: '2031-03-01T10:00:00.000Z', end: '2031-03-01T11:15:00.000Z' };
    const plan = await run(async (ctx) => {
      const texts: string[] = [];
      const db = { rows: async (query: RawBuilder<unknown>) => texts.push(...(await explained(ctx, query))) };
      await blockedRanges({ ...spied(ctx), db } as unknown as Ctx, slots, { resources: ids, window });
      return texts.join('\n');
    });
    expect(plan).toMatch(/Index Scan (using|on) desks_booking_ends_at_idx/);
    const found = await run((ctx) => blockedRanges(ctx, slots, { resources: [...ids, ...ids], window }));
    expect(found.map(({ start }) => start)).toEqual([
      '2031-03-01T10:00:00.000Z',
      '2031-03-01T10:00:00.000Z',
      '2031-03-01T11:00:00.000Z',
      '2031-03-01T11:00:00.000Z',
    ]);
    const except = found.slice(0, 3).map(({ id }) => id);
    expect(await run((ctx) => blockedRanges(ctx, slots, { resources: ids, window, except }))).toEqual(found.slice(3));
    const touching = { start: '2031-03-01T10:30:00.000Z', end: '2031-03-01T11:00:00.000Z' };
    expect(await run((ctx) => blockedRanges(ctx, slots, { resources: ids, window: touching }))).toEqual([]);
  });

  it('back-to-back fits, and an end before its start is refused', async () => {
    const id = await makeDesk(shop);
    for (const [from, to] of [
      [60, 120],
      [0, 60],
      [120, 180],
    ] as const)
      expect((await ask(0, { deskIds: [id], startsAt: at(from), endsAt: at(to) })).status).toBe(201);
    const wrong = run((ctx) => ctx.rows(booking).insert({ deskId: id, startsAt: at(300), endsAt: at(240), status: 'confirmed' }));
    await expect(wrong).rejects.toMatchObject({ code: '23514' });
  });

  it('is not visible to another tenant', async () => {
    const id = await makeDesk(shop);
    const answer = await shop.b.guest.post(path, { deskIds: [id], startsAt: at(0), endsAt: at(60) });
    expect(answer.status).toBe(404);
    expect(await codeOf(shop.b.run('desks', (ctx) => withResourceLocks(ctx, desk, [id], async () => 1)))).toBe('not_found');
  });
});

describe('locks', () => {
  it('give the rows as the one before has left them, in id order and each once', async () => {
    const ids = [await makeDesk(shop, 'a'), await makeDesk(shop, 'b')];
    const names = await run((ctx) =>
      withResourceLocks(ctx, desk, [ids[1]!, ids[0]!, ids[1]!], async (rows) => rows.map(({ name }) => name)),
    );
    expect(names).toEqual(['a', 'b']);
    await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        run(
          (ctx) =>
            withResourceLocks(ctx, desk, [ids[0]!], async ([row]) => ctx.rows(desk).update(ids[0]!, { name: `${row!.name}x` })),
          i,
        ),
      ),
    );
    expect((await run((ctx) => ctx.rows(desk).require(ids[0]!))).name).toBe(`a${'x'.repeat(12)}`);
  });

  it('opens a transaction where none is open', async () => {
    const id = await makeDesk(shop);
    const locked = shop.a.run('desks', (ctx) => withResourceLocks(ctx, desk, [id], async (rows) => rows.length), {
      transaction: 'none',
    });
    expect(await locked).toBe(1);
  });

  it('by key keep apart what has no row, in any order of the keys', async () => {
    const before = await repeatedUnits(shop.bases);
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        run(
          (ctx) =>
            withKeyLocks(ctx, i % 2 === 0 ? ['x', 'y'] : ['y', 'x'], async () => {
              most = Math.max(most, ++inside);
              await ctx.db.rows(sql`select pg_sleep(0.005)`);
              inside--;
            }),
          i,
        ),
      ),
    );
    expect(most).toBe(1);
    expect(await repeatedUnits(shop.bases)).toEqual(before);
    // Another tenant's key of the same name is another.
    await run((ctx) =>
      withKeyLocks(ctx, ['x'], () => shop.kernels[1]!.inTenant(shop.b.id, 'desks', (b) => withKeyLocks(b, ['x'], async () => 1))),
    );
  });

  it('taken in a circle all the same are repeated without a word', async () => {
    const [one, two] = [await makeDesk(shop), await makeDesk(shop)];
    const before = (await repeatedUnits(shop.bases))['40P01'] ?? 0;
    const both = Promise.withResolvers<void>();
    let ready = 0;
    const cross = (first: string, second: string, i: number) =>
      run(async (ctx) => {
        await ctx.rows(desk).require(first, { lock: true });
        if (++ready === 2) both.resolve();
        await both.promise;
        return ctx.rows(desk).update(second, { name: 'crossed' });
      }, i);
    await Promise.all([cross(one, two, 0), cross(two, one, 1)]);
    expect((await repeatedUnits(shop.bases))['40P01']).toBe(before + 1);
  });

  it('that are held too long are answered as contention, not as a fault', async () => {
    const id = await makeDesk(shop);
    let code: unknown;
    await run((ctx) =>
      withResourceLocks(ctx, desk, [id], async () => {
        code = await codeOf(
          shop.kernels[1]!.inTenant(shop.a.id, 'desks', async (other) => {
            // As long as anybody waits outside of tests.
            await other.db.run(sql`select set_config('lock_timeout', '3000', true)`);
            return withResourceLocks(other, desk, [id], async () => 1);
          }),
        );
      }),
    );
    expect(code).toBe('conflict');
  });
});

describe('holds', () => {
  const hold = (deskId: string, from: number, until: string | null): Promise<{ id: string }> =>
    run((ctx) =>
      ctx.rows(booking).insert({ deskId, startsAt: at(from), endsAt: at(from + 60), holdExpiresAt: until, status: 'pending' }),
    );
  const past = '2020-01-01T00:00:00.000Z';
  const future = '2099-01-01T00:00:00.000Z';
  const statusOf = async (id: string) => (await run((ctx) => ctx.rows(booking).require(id))).status;

  it('block until they lapse; then the next comes in and the row is moved on with its history', async () => {
    const id = await makeDesk(shop);
    const [old, standing] = [await hold(id, 0, past), await hold(id, 60, future)];
    expect((await ask(0, { deskIds: [id], startsAt: at(60), endsAt: at(120) })).status).toBe(409);
    expect((await ask(1, { deskIds: [id], startsAt: at(0), endsAt: at(60) })).status).toBe(201);
    expect([await statusOf(old.id), await statusOf(standing.id)]).toEqual(['expired', 'pending']);
    const history = await shop.rows('select from_status, to_status from core_status_history where entity_id = $1', [old.id]);
    expect(history).toEqual([{ from_status: 'pending', to_status: 'expired' }]);
  });

  it('that have lapsed go to exactly one of twenty', async () => {
    const id = await makeDesk(shop);
    const old = await hold(id, 0, past);
    const { answers } = await askAll(20, () => ({ deskIds: [id], startsAt: at(0), endsAt: at(60) }));
    expect(tally(answers)).toEqual({ '201': 1, '409 desk_taken': 19 });
    expect(await statusOf(old.id)).toBe('expired');
  });

  it('whose row is being moved are passed over, without a circle', async () => {
    const id = await makeDesk(shop);
    const old = await hold(id, 0, past);
    const before = await repeatedUnits(shop.bases);
    const confirm = run((ctx) =>
      (async () => {
        await ctx.rows(booking).require(old.id, { lock: true });
        const other = ask(1, { deskIds: [id], startsAt: at(0), endsAt: at(60) });
        expect((await other).body.code).toBe('desk_taken');
        return withResourceLocks(ctx, desk, [id], () => booking.move(ctx, old.id, 'confirm'));
      })(),
    );
    expect((await confirm).status).toBe('confirmed');
    expect(await repeatedUnits(shop.bases)).toEqual(before);
  });

  it('are expired by the job, one tenant at a time; those without a term never', async () => {
    const id = await makeDesk(shop);
    const [old, standing, staff] = [await hold(id, 0, past), await hold(id, 60, future), await hold(id, 120, null)];
    await runJob(shop, plugin, 'lapse');
    expect([await statusOf(old.id), await statusOf(standing.id), await statusOf(staff.id)]).toEqual([
      'expired',
      'pending',
      'pending',
    ]);
  });

  it('lapse by the clock of the shop, immediately in queries, in the rows with the next request', async () => {
    const fast = await deskShop({ now: '2026-11-28T10:00:00.000Z', workers: false });
    try {
      const id = await makeDesk(fast);
      const made = await fast.a.run('desks', (ctx) =>
        ctx.rows(booking).insert({
          deskId: id,
          startsAt: '2026-11-28T12:00:00.000Z',
          endsAt: '2026-11-28T13:00:00.000Z',
          holdExpiresAt: holdUntil(ctx, 15),
          status: 'pending',
        }),
      );
      expect(made.holdExpiresAt).toBe('2026-11-28T10:15:00.000Z');
      const window = { start: '2026-11-28T12:30:00.000Z', end: '2026-11-28T14:00:00.000Z' };
      const blocking = () => fast.a.run('desks', (ctx) => blockedRanges(ctx, slots, { resources: [id], window }));
      expect(await blocking()).toEqual([{ id: made.id, resource: id, start: made.startsAt, end: made.endsAt }]);
      fast.clock.advance(15 * 60_000 - 1);
      expect(await blocking()).toHaveLength(1);
      fast.clock.advance(1);
      expect(await blocking()).toEqual([]);
      await runJob(fast, plugin, 'lapse');
      expect((await fast.a.run('desks', (ctx) => ctx.rows(booking).require(made.id))).status).toBe('expired');
      expect(await fast.a.run('desks', async (ctx) => holdUntil(ctx, 60, '2026-11-28T10:30:00.000Z'))).toBe(
        '2026-11-28T10:30:00.000Z',
      );
      // Who is signed in stays so for the tests of a day later.
      fast.clock.advance(24 * 3_600_000);
      expect((await fast.a.admin.get('/api/admin/desks/')).status).toBe(200);
    } finally {
      await fast.stop();
    }
  });

  it('are moved on under another lock too', async () => {
    const id = await makeDesk(shop);
    const old = await hold(id, 0, past);
    const lapsed = () => run((ctx) => withKeyLocks(ctx, [id], () => expireHolds(ctx, holds, [id])));
    expect([await lapsed(), await lapsed()]).toEqual([[old.id], []]);
    expect(await statusOf(old.id)).toBe('expired');
  });

  it('say for the guard of a confirmation whether they are over', async () => {
    await run(async (ctx) => {
      expect(isLapsed(ctx, holds, { status: 'pending', holdExpiresAt: past } as { status: string })).toBe(true);
      expect(isLapsed(ctx, holds, { status: 'pending', holdExpiresAt: future } as { status: string })).toBe(false);
      expect(isLapsed(ctx, holds, { status: 'pending', holdExpiresAt: null } as { status: string })).toBe(false);
      expect(isLapsed(ctx, holds, { status: 'confirmed', holdExpiresAt: past } as { status: string })).toBe(false);
    });
  });
});

describe('nights', () => {
  const stay = async (deskId: string): Promise<string> =>
    (await run((ctx) => ctx.rows(booking).insert({ deskId, startsAt: at(0), endsAt: at(1), status: 'cancelled' }))).id;
  const take = (holder: string, resources: string[], wanted: string[], i = 0) =>
    run((ctx) => reserveNights(ctx, nights, { holder, resources, nights: wanted }), i);

  it('are one holder’s each; what is refused leaves none behind', async () => {
    const room = await makeDesk(shop);
    const [one, two] = [await stay(room), await stay(room)];
    expect(await take(one, [room], ['2026-07-10', '2026-07-11'])).toEqual([]);
    expect(await take(two, [room], ['2026-07-09', '2026-07-10', '2026-07-11', '2026-07-12'])).toEqual([
      { resource: room, night: '2026-07-10' },
      { resource: room, night: '2026-07-11' },
    ]);
    expect(await take(two, [room], ['2026-07-12', '2026-07-13'])).toEqual([]);
    const taken = await run((ctx) => reservedNights(ctx, nights, { resources: [room], from: '2026-07-01', to: '2026-08-01' }));
    expect(taken.map(({ night, holder }) => `${night} ${holder === one ? 1 : 2}`)).toEqual([
      '2026-07-10 1',
      '2026-07-11 1',
      '2026-07-12 2',
      '2026-07-13 2',
    ]);
  });

  it('move with their holder, and stay where the move is refused', async () => {
    const room = await makeDesk(shop);
    const [one, two] = [await stay(room), await stay(room)];
    await take(one, [room], ['2026-07-10', '2026-07-11']);
    await take(two, [room], ['2026-07-14']);
    expect(await take(one, [room], ['2026-07-11', '2026-07-12'])).toEqual([]);
    expect(await take(one, [room], ['2026-07-13', '2026-07-14'])).toEqual([{ resource: room, night: '2026-07-14' }]);
    const held = await run((ctx) => reservedNights(ctx, nights, { from: '2026-07-01', to: '2026-08-01' }));
    expect(held.filter(({ holder }) => holder === one).map(({ night }) => night)).toEqual(['2026-07-11', '2026-07-12']);
    expect(await run((ctx) => releaseNights(ctx, nights, one, '2026-07-12'))).toBe(1);
    expect(await run((ctx) => releaseNights(ctx, nights, one))).toBe(1);
    expect(await run((ctx) => releaseNights(ctx, nights, one))).toBe(0);
  });

  it('of a whole room and of its bed exclude each other, for fifty simultaneous requests in one order', async () => {
    const [room, bed] = [await makeDesk(shop), await makeDesk(shop)];
    const before = await repeatedUnits(shop.bases);
    const wanted = ['2026-08-01', '2026-08-02', '2026-08-03'];
    const holders = await Promise.all(Array.from({ length: 50 }, () => stay(room)));
    const answers = await Promise.all(
      holders.map((holder, i) =>
        take(holder, i % 2 === 0 ? [room, bed] : [bed], i % 3 === 0 ? wanted : [...wanted].reverse(), i),
      ),
    );
    expect(answers.filter((refused) => refused.length === 0)).toHaveLength(1);
    expect(await repeatedUnits(shop.bases)).toEqual(before);
  });
});

describe('counters', () => {
  const key = (room: string, day = '2026-07-10') => ({ room, day });
  const take = (requests: Parameters<typeof reserveCounter<{ room: 'uuid'; day: 'date' }>>[2], i = 0) =>
    run((ctx) => reserveCounter(ctx, seats, requests), i);
  const standing = async (room: string, day?: string) => (await run((ctx) => readCounter(ctx, seats, [key(room, day)])))[0];

  it('never exceed the capacity, with two hundred simultaneous requests', async () => {
    const room = uuidv7();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => take([{ key: key(room), quantity: 1, capacity: 7 }], i)),
    );
    expect(answers.filter((short) => short.length === 0)).toHaveLength(7);
    expect(await standing(room)).toMatchObject({ reserved: 7, capacity: 7, available: 0 });
  });

  it('reserve all keys or none, in any order, and lines of a key together', async () => {
    const room = uuidv7();
    const days = ['2026-07-10', '2026-07-11', '2026-07-12'];
    const before = await repeatedUnits(shop.bases);
    const request = (list: readonly string[]) => list.map((day) => ({ key: key(room, day), quantity: 1, capacity: 5 }));
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => take(request(i % 2 === 0 ? days : [...days].reverse()), i)),
    );
    expect(answers.filter((short) => short.length === 0)).toHaveLength(5);
    expect(await repeatedUnits(shop.bases)).toEqual(before);
    const lines = Array.from({ length: 20 }, () => ({ key: key(room, '2026-07-20'), quantity: 1, capacity: 10 }));
    expect(await take([...lines, { key: key(room, '2026-07-21'), quantity: 1, capacity: 10 }])).toEqual([
      { key: key(room, '2026-07-20'), quantity: 20, available: 10 },
    ]);
    expect(await standing(room, '2026-07-21')).toMatchObject({ reserved: 0 });
  });

  it('know no limit, gone, and a smaller capacity', async () => {
    const room = uuidv7();
    expect(await take([{ key: key(room), quantity: 1000, capacity: null }])).toEqual([]);
    expect(await take([{ key: key(room), quantity: 1 }])).toEqual([]);
    expect(await standing(room)).toMatchObject({ reserved: 1001, capacity: null, available: null });
    expect(await run((ctx) => setCapacity(ctx, seats, key(room), 1000))).toBe(false);
    expect(await run((ctx) => setCapacity(ctx, seats, key(room), 1001))).toBe(true);
    expect(await take([{ key: key(room), quantity: 1 }])).toMatchObject([{ available: 0 }]);
    const gone = uuidv7();
    expect(await take([{ key: key(gone), quantity: 1, capacity: 0 }])).toMatchObject([{ available: 0 }]);
    // Less than is taken: nothing more goes, and what was taken stays.
    expect(await take([{ key: key(room), quantity: 1, capacity: 5 }])).toMatchObject([{ available: 0 }]);
    expect(await standing(room)).toMatchObject({ reserved: 1001, capacity: 1001 });
  });

  it('count one key once, however it is written', async () => {
    const room = uuidv7();
    const request = (id: string, quantity: number) => ({ key: key(id), quantity, capacity: 3 });
    expect(await take([request(room, 2), request(room.toUpperCase(), 2)])).toMatchObject([{ quantity: 4, available: 3 }]);
    expect(await take([request(room, 1), request(room.toUpperCase(), 2)])).toEqual([]);
    expect(await standing(room)).toMatchObject({ reserved: 3, available: 0 });
  });

  it('take back what they gave, and never more', async () => {
    const room = uuidv7();
    await take([{ key: key(room), quantity: 3, capacity: 3 }]);
    await run((ctx) => releaseCounter(ctx, seats, [{ key: key(room), quantity: 2 }]));
    expect(await standing(room)).toMatchObject({ reserved: 1, available: 2 });
    await expect(run((ctx) => releaseCounter(ctx, seats, [{ key: key(room), quantity: 2 }]))).rejects.toMatchObject({
      code: '23514',
    });
    expect(await standing(room)).toMatchObject({ reserved: 1 });
  });

  it('are each tenant’s own', async () => {
    const room = uuidv7();
    await take([{ key: key(room), quantity: 1, capacity: 1 }]);
    expect(
      await shop.b.run('desks', (ctx) => reserveCounter(ctx, seats, [{ key: key(room), quantity: 1, capacity: 1 }])),
    ).toEqual([]);
  });
});

describe('a waiting list', () => {
  it('is numbered without gaps by forty simultaneous requests, and promotes from its head', async () => {
    const id = await makeDesk(shop);
    const join = (places: number, i = 0) =>
      run(
        (ctx) =>
          withResourceLocks(ctx, desk, [id], async () =>
            ctx.rows(waiter).insert({ deskId: id, position: await nextPosition(ctx, line, id), places, status: 'waiting' }),
          ),
        i,
      );
    const joined = await Promise.all(Array.from({ length: 40 }, (_, i) => join(1, i)));
    const inLine = joined.map(({ position }) => position).sort((a, b) => a - b);
    expect(inLine).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    const free = (places: number, i: number) =>
      run((ctx) => withResourceLocks(ctx, desk, [id], () => promoteWaiting(ctx, line, id, places)), i);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => free(1, i)));
    expect(answers.every(({ promoted, left }) => promoted.length === 1 && left === 0)).toBe(true);
    const promoted = await shop.rows<{ position: number }>(
      `select position from desks_waiter where desk_id = $1 and status = 'promoted' order by 1`,
      [id],
    );
    expect(promoted.map(({ position }) => position)).toEqual(Array.from({ length: 10 }, (_, i) => i + 1));
  });

  it('stops at a row that needs more than is left', async () => {
    const id = await makeDesk(shop);
    const rows = await run((ctx) =>
      ctx
        .rows(waiter)
        .insertMany([2, 1, 3, 1].map((places, i) => ({ deskId: id, position: i + 1, places, status: 'waiting' as const }))),
    );
    const result = await run((ctx) => promoteWaiting(ctx, line, id, 4));
    expect(result).toEqual({ promoted: [rows[0]!.id, rows[1]!.id], left: 1 });
    expect(await run((ctx) => promoteWaiting(ctx, line, id, 0))).toEqual({ promoted: [], left: 0 });
  });
});
