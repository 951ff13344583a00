import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { describe, expect, it } from 'vitest';
import { average, averageMoney, daySeries, lastDays, maskStats, nextDays, percent, sqlDate, statsPeriod } from './index.ts';

const none = { from: null, to: null };
const bucharest = 'Europe/Bucharest';

describe('the period', () => {
  it('is the last 30 civil days of the zone, today included', () => {
    // 01:30 of the 28th in Bucharest, still the 27th in UTC.
    expect(statsPeriod(none, '2026-11-27T23:30:00Z', bucharest)).toEqual({
      from: '2026-10-30',
      to: '2026-11-28',
      timezone: bucharest,
      start: '2026-10-29T22:00:00.000Z',
      end: '2026-11-28T22:00:00.000Z',
    });
    expect(statsPeriod(none, '2026-11-27T23:30:00Z', 'America/New_York').to).toBe('2026-11-27');
  });
  it('may be 366 days long and must not end before it starts', () => {
    const of = (from: string, to: string) => statsPeriod({ from, to }, '2026-11-27T23:30:00Z', bucharest);
    expect(of('2025-11-28', '2026-11-28').from).toBe('2025-11-28');
    for (const from of ['2025-11-27', '2026-11-29'])
      expect(() => of(from, '2026-11-28')).toThrow(expect.objectContaining({ code: 'invalid_parameter' }));
  });
  it('has windows that end on its last day, or begin there, with the hours of their days', () => {
    const period = statsPeriod({ from: '2026-01-01', to: '2026-10-25' }, '2026-11-27T23:30:00Z', bucharest);
    expect(lastDays(period, 1)).toMatchObject({
      from: '2026-10-25',
      start: '2026-10-24T21:00:00.000Z',
      end: '2026-10-25T22:00:00.000Z',
    });
    expect(lastDays(period, 30)).toMatchObject({ from: '2026-09-26', to: '2026-10-25' });
    expect(nextDays(period, 7)).toMatchObject({ from: '2026-10-25', to: '2026-10-31' });
  });
});

describe('figures', () => {
  it.each([
    [6, 9, 66.67],
    [1, 3, 33.33],
    [201, 20_000, 1.01],
    [-201, 20_000, -1.01],
    [0, 5, 0],
    [5, 5, 100],
    [5, 0, null],
    [0, 0, null],
    [7, 5, 140],
  ])('%i of %i is %s percent', (part, of, expected) => {
    expect(percent(part, of)).toBe(expected);
  });
  it('are null without data, rounded half away from zero with it', () => {
    expect([average(7, 2), average(10, 3), average(5, 1000), average(-5, 1000), average(1, 4, 0), average(1, 0)]).toEqual([
      3.5,
      3.33,
      0.01,
      -0.01,
      0,
      null,
    ]);
    expect(averageMoney(300_000, 6, 'RON')).toEqual({ amount: 50_000, currency: 'RON' });
    expect(averageMoney(300_000, 9, 'RON')).toEqual({ amount: 33_333, currency: 'RON' });
    expect(averageMoney(5, 2, 'RON')).toEqual({ amount: 3, currency: 'RON' });
    expect(averageMoney(-5, 2, 'RON')).toEqual({ amount: -3, currency: 'RON' });
    expect(averageMoney(0, 0, 'RON')).toBeNull();
  });
});

describe('series', () => {
  it('have every day once, also with a clock change', () => {
    const period = { from: '2026-10-24', to: '2026-10-26' };
    expect(daySeries(period, [{ date: '2026-10-25', sold: 4 }], { sold: 0 })).toEqual([
      { date: '2026-10-24', sold: 0 },
      { date: '2026-10-25', sold: 4 },
      { date: '2026-10-26', sold: 0 },
    ]);
  });
  it('are grouped by the date of the zone, as SQL with the zone as a parameter', () => {
    const db = new Kysely<unknown>({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (of) => new PostgresIntrospector(of),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    });
    expect(sqlDate('b.starts_at', bucharest).compile(db)).toMatchObject({
      sql: '("b"."starts_at" at time zone $1)::date::text',
      parameters: [bucharest],
    });
  });
});

describe('masks', () => {
  const result = { metrics: { sold: 4, margin: 7 }, series: { byDay: [1] }, masked: ['other'] };
  const rules = { margin: 'shop.cost.read', byDay: 'shop.days.read' };
  it('hide figures that the caller may not see, and list them', () => {
    expect(maskStats({ can: (permission) => permission === 'shop.days.read' }, result, rules)).toEqual({
      metrics: { sold: 4, margin: null },
      series: { byDay: [1] },
      masked: ['other', 'margin'],
    });
    expect(maskStats({ can: () => true }, result, rules)).toEqual(result);
    expect(maskStats({ can: () => false }, result, rules).series).toEqual({ byDay: null });
    expect(result.metrics.margin).toBe(7);
  });
  it('reject an unknown figure: a typo must not reveal what it should hide', () => {
    expect(() => maskStats({ can: () => true }, result, { margni: 'shop.cost.read' })).toThrow(RangeError);
  });
});
