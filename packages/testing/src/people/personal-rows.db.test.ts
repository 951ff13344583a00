import { type Person, sql } from '@storeloom/plugin-sdk';
import { type PersonalTaps, personalRows, personalTaps } from '@storeloom/plugin-sdk/people';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deskShop, makeDesk } from '../../test/desk-shop.ts';
import { booking, visit } from '../../test/desks/src/index.ts';
import type { TestShop } from '../index.ts';

let shop: TestShop;
let deskId: string;
beforeAll(async () => {
  shop = await deskShop();
  deskId = await makeDesk(shop);
});
afterAll(() => shop?.stop());

const makeVisit = (email: string, day: string, tenant = shop.a): Promise<{ id: string }> =>
  tenant.run('desks', (ctx) =>
    ctx.rows(visit).insert({ deskId, email, day, reference: email, place: { room: 'Blue', door: '1' }, status: 'booked' }),
  );
const personOf = (email: string): Person => ({ emails: [email], phones: [] });
const exported = (taps: PersonalTaps, person: Person) => shop.a.run('desks', async (ctx) => taps.exportPerson(ctx, person));
async function erased(taps: PersonalTaps, person: Person): Promise<object[]> {
  const reports: object[] = [];
  await shop.a.run('desks', async (ctx) => taps.erasePerson(ctx, { ...person, report: (entry) => void reports.push(entry) }));
  return reports;
}

describe('personal rows', () => {
  it('are found by personal addresses, however they are written, and only in their shop', async () => {
    const taps = personalTaps(personalRows({ table: visit, exports: ['id', 'day'] }));
    const { id } = await makeVisit('anna@visit.example', '2030-05-01');
    await makeVisit('other@visit.example', '2030-05-01');
    const rows = [{ id, day: '2030-05-01' }];
    expect(await exported(taps, personOf(' Anna@Visit.example'))).toEqual([{ resource: 'desks.visit', rows }]);
    expect(await shop.b.run('desks', async (ctx) => taps.exportPerson(ctx, personOf('anna@visit.example')))).toEqual([]);
    // A person who is known by nothing that the table has is not even reported.
    const unknown: Person = { customerId: deskId, emails: [], phones: ['+40700000000'] };
    expect([await exported(taps, unknown), await erased(taps, unknown)]).toEqual([[], []]);
  });

  it('lose what is personal, keep the rest, and can be erased again', async () => {
    const taps = personalTaps(personalRows({ table: visit }));
    const { id } = await makeVisit('gone@visit.example', '2030-05-02');
    expect(await erased(taps, personOf('gone@visit.example'))).toEqual([{ resource: 'desks.visit', erased: 1 }]);
    const row = await shop.a.run('desks', (ctx) => ctx.rows(visit).require(id));
    expect(row).toMatchObject({ email: `erased+${id}@invalid`, day: '2030-05-02', reference: 'gone@visit.example' });
    expect(await erased(taps, personOf('gone@visit.example'))).toEqual([{ resource: 'desks.visit', erased: 0 }]);
  });

  it('that are still needed are kept and reported until the last of them ends', async () => {
    const kept = {
      reason: 'open_visit',
      until: (_: unknown, { day }: { day: string }) => (day > '2030-06-01' ? `${day}T00:00:00.000Z` : null),
    };
    const taps = personalTaps(personalRows({ table: visit, keep: kept }));
    for (const day of ['2030-05-30', '2030-06-02', '2030-06-05']) await makeVisit('open@visit.example', day);
    expect(await erased(taps, personOf('open@visit.example'))).toEqual([
      { resource: 'desks.visit', erased: 1, kept: { count: 2, reason: 'open_visit', until: '2030-06-05T00:00:00.000Z' } },
    ]);
    expect((await exported(taps, personOf('open@visit.example')))[0]?.rows).toHaveLength(2);
  });

  it('of all tables are found before the first is erased; they are presented, removed, and followed up', async () => {
    const { id } = await makeVisit('both@visit.example', '2030-05-03');
    const followed: string[] = [];
    const taps = personalTaps(
      personalRows({ table: visit, erased: 'removed' }),
      personalRows({
        table: visit,
        by: ({ emails }) => sql`t.email = any(${emails}::text[])`,
        present: async (_, rows) => rows.map(({ day }) => ({ visited: day })),
        erased: false,
      }),
      personalRows({
        table: booking,
        by: () => sql`exists (select from desks_visit v where v.tenant_id = t.tenant_id and v.email = 'both@visit.example')`,
        async after(_, rows) {
          followed.push(...rows.map((row) => row.id));
        },
      }),
    );
    const made = await shop.a.run('desks', (ctx) =>
      booking.create(ctx, { deskId, startsAt: '2030-05-03T08:00:00.000Z', endsAt: '2030-05-03T09:00:00.000Z' }),
    );
    expect(await exported(taps, personOf('both@visit.example'))).toMatchObject([
      { resource: 'desks.visit', rows: [{ id }] },
      { resource: 'desks.visit', rows: [{ visited: '2030-05-03' }] },
      { resource: 'desks.booking', rows: [{ id: made.id }] },
    ]);
    expect(await erased(taps, personOf('both@visit.example'))).toEqual([
      { resource: 'desks.visit', erased: 1 },
      { resource: 'desks.booking', erased: 1 },
    ]);
    expect(followed).toEqual([made.id]);
    expect(await shop.a.run('desks', (ctx) => ctx.rows(visit).get(id))).toBeUndefined();
  });
});
