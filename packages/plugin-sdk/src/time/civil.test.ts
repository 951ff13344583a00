import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  addMinutes,
  addMonths,
  addYears,
  civilDate,
  dayBounds,
  daysBetween,
  eachDay,
  epoch,
  holidayCalendar,
  instant,
  isCivilDate,
  minutesBetween,
  monthBounds,
  nextAnniversary,
  nights,
  orthodoxEaster,
  quarterBounds,
  romanianHolidays,
  wallMinutes,
  wallTime,
  weekBounds,
  weekday,
  workDays,
  yearBounds,
} from './index.ts';

const bucharest = 'Europe/Bucharest';
const dates = fc.integer({ min: -20_000, max: 40_000 }).map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10));

describe('instant', () => {
  it('is what toISOString says', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
        expect(instant(date.getTime())).toBe(date.toISOString());
        expect(epoch(instant(date.getTime()))).toBe(date.getTime());
      }),
    );
    expect(() => instant(Number.NaN)).toThrow(RangeError);
  });
  it('counts elapsed time', () => {
    expect(addMinutes('2026-03-29T00:30:00Z', 60)).toBe('2026-03-29T01:30:00.000Z');
    expect(minutesBetween('2026-03-29T02:30:00+02:00', '2026-03-29T04:30:00+03:00')).toBe(60);
  });
});

describe('civil dates', () => {
  it('are counted without a time zone', () => {
    expect(addDays('2026-03-28', 2)).toBe('2026-03-30');
    expect(addDays('2024-02-28', 1)).toBe('2024-02-29');
    expect(daysBetween('2026-03-28', '2026-03-31')).toBe(3);
    expect(eachDay('2026-12-31', '2027-01-01')).toEqual(['2026-12-31', '2027-01-01']);
    expect(eachDay('2026-12-31', '2026-12-30')).toEqual([]);
    expect(nights('2026-10-24', '2026-10-24')).toEqual([]);
    fc.assert(
      fc.property(dates, fc.integer({ min: -5000, max: 5000 }), (date, days) => {
        expect(daysBetween(date, addDays(date, days))).toBe(days);
        expect(isCivilDate(addDays(date, days))).toBe(true);
      }),
    );
  });
  it('reject other values', () => {
    for (const no of ['2026-02-30', '2026-13-01', '2026-1-01', '2026-01-01T10:00', '2026-01-01T10:00:00Z', '', '20260101'])
      expect([no, isCivilDate(no)]).toEqual([no, false]);
    expect(() => addDays('2026-05-04T09:00:00Z', 1)).toThrow(RangeError);
    expect(() => civilDate('2026-05-04', bucharest)).toThrow(RangeError);
    expect(() => civilDate('2026-05-04T09:00', bucharest)).toThrow(RangeError);
    for (const no of ['9:00', '24:30', '09:60', '09:00:00']) expect(() => wallMinutes(no)).toThrow(RangeError);
    expect([wallMinutes('00:00'), wallMinutes('23:59'), wallMinutes('24:00')]).toEqual([0, 1439, 1440]);
  });
  it('of an instant are those of the zone', () => {
    expect(civilDate('2026-05-03T21:00:00Z', bucharest)).toBe('2026-05-04');
    expect(civilDate('2026-05-03T20:59:59.999Z', bucharest)).toBe('2026-05-03');
    expect(civilDate('2026-05-04T02:00:00+02:00', 'America/New_York')).toBe('2026-05-03');
    expect(wallTime('2026-05-03T20:59:59.999Z', bucharest)).toBe('23:59');
    expect(wallTime('2026-05-04T00:00:00Z', 'Asia/Kathmandu')).toBe('05:45');
  });
  it('begin and end with the day of the zone: 23, 24 and 25 hours', () => {
    const length = (date: string, zone: string) => {
      const { start, end } = dayBounds(date, date, zone);
      return (Date.parse(end) - Date.parse(start)) / 3_600_000;
    };
    expect(['2026-03-28', '2026-03-29', '2026-10-25'].map((date) => length(date, bucharest))).toEqual([24, 23, 25]);
    expect(['2026-03-08', '2026-11-01'].map((date) => length(date, 'America/New_York'))).toEqual([23, 25]);
    expect(['2026-04-05', '2026-10-04'].map((date) => length(date, 'Australia/Lord_Howe'))).toEqual([24.5, 23.5]);
    // Cairo puts its clock forward at midnight: the day begins at 01:00. Samoa left a day out.
    expect(dayBounds('2026-04-24', '2026-04-24', 'Africa/Cairo').start).toBe('2026-04-23T22:00:00.000Z');
    expect(wallTime('2026-04-23T22:00:00.000Z', 'Africa/Cairo')).toBe('01:00');
    expect(length('2011-12-30', 'Pacific/Apia')).toBe(0);
  });
  it('lie in weeks, months, quarters and years', () => {
    expect(['2026-05-03', '2026-05-04', '1969-12-31'].map(weekday)).toEqual(['sun', 'mon', 'wed']);
    expect(weekBounds('2026-05-03')).toEqual({ from: '2026-04-27', to: '2026-05-03' });
    expect(weekBounds('2026-05-03', 'sun')).toEqual({ from: '2026-05-03', to: '2026-05-09' });
    expect(monthBounds('2024-02')).toEqual({ from: '2024-02-01', to: '2024-02-29' });
    expect(quarterBounds('2026-Q4')).toEqual({ from: '2026-10-01', to: '2026-12-31' });
    expect(yearBounds('2026')).toEqual({ from: '2026-01-01', to: '2026-12-31' });
  });
});

describe('anniversaries', () => {
  it('count from the anchor, never from the last one', () => {
    expect([1, 2, 3, 12, 25].map((n) => addMonths('2026-01-31', n))).toEqual([
      '2026-02-28',
      '2026-03-31',
      '2026-04-30',
      '2027-01-31',
      '2028-02-29',
    ]);
    expect([1, 2, 3, 4].map((n) => addYears('2024-02-29', n))).toEqual(['2025-02-28', '2026-02-28', '2027-02-28', '2028-02-29']);
    expect(addMonths('2026-03-31', -1)).toBe('2026-02-28');
  });
  it.each([
    ['2026-01-31', 1, '2026-01-31', '2026-02-28', 1],
    ['2026-01-31', 1, '2026-02-27', '2026-02-28', 1],
    ['2026-01-31', 1, '2026-02-28', '2026-03-31', 2],
    ['2026-01-31', 1, '2026-03-30', '2026-03-31', 2],
    ['2026-01-31', 1, '2025-06-01', '2026-02-28', 1],
    ['2024-02-29', 12, '2025-02-28', '2026-02-28', 2],
    ['2024-02-29', 12, '2028-02-28', '2028-02-29', 4],
    ['2026-01-15', 3, '2026-07-15', '2026-10-15', 3],
  ])('after %s every %i months, later than %s: %s', (anchor, months, after, date, count) => {
    expect(nextAnniversary(anchor, months, after)).toEqual({ date, count });
  });
  it('returns the first one after the date', () => {
    fc.assert(
      fc.property(dates, fc.integer({ min: 1, max: 24 }), dates, (anchor, months, after) => {
        const { date, count } = nextAnniversary(anchor, months, after);
        expect(date > after && date > anchor).toBe(true);
        expect(date).toBe(addMonths(anchor, count * months));
        const before = addMonths(anchor, (count - 1) * months);
        expect(count === 1 || before <= after).toBe(true);
      }),
    );
  });
});

describe('Romanian public holidays', () => {
  it('have Easter by the Julian computus', () => {
    expect([2008, 2016, 2023, 2024, 2025, 2026, 2027, 2028, 2030].map(orthodoxEaster)).toEqual([
      '2008-04-27',
      '2016-05-01',
      '2023-04-16',
      '2024-05-05',
      '2025-04-20',
      '2026-04-12',
      '2027-05-02',
      '2028-04-16',
      '2030-04-28',
    ]);
  });
  const of = (year: number) =>
    holidayCalendar(romanianHolidays)
      .of(year)
      .map((one) => one.date.slice(5));
  it('are those of the Labour Code, each from the year of its law on', () => {
    expect(of(2026)).toEqual(
      '01-01 01-02 01-06 01-07 01-24 04-10 04-12 04-13 05-01 05-31 06-01 08-15 11-30 12-01 12-25 12-26'.split(' '),
    );
    expect(of(2024)).toContain('01-06');
    expect(of(2023)).not.toContain('01-06');
    expect(of(2018)).toEqual(
      '01-01 01-02 01-24 04-06 04-08 04-09 05-01 05-27 05-28 06-01 08-15 11-30 12-01 12-25 12-26'.split(' '),
    );
    expect(of(2014)).toEqual('01-01 01-02 04-20 04-21 05-01 06-08 06-09 08-15 11-30 12-01 12-25 12-26'.split(' '));
  });
  it('include days of the tenant', () => {
    const calendar = holidayCalendar(romanianHolidays, [{ date: '2026-12-24', name: { ro: 'Ajun' } }]);
    expect(calendar.on('2026-12-24')?.name.ro).toBe('Ajun');
    expect(calendar.on('2027-12-24')).toBeUndefined();
    expect(calendar.of(2026).map((one) => one.date)).toEqual([...calendar.of(2026).map((one) => one.date)].sort());
    // Where two fall on one day it is named once.
    expect(calendar.on('2026-06-01')?.name.en).toBe("Children's Day");
  });
});

describe('working days', () => {
  const days = workDays({ holidays: holidayCalendar(romanianHolidays) });
  it('are counted with both ends', () => {
    expect(days.count('2026-05-29', '2026-06-02')).toBe(2);
    expect(days.count('2026-04-06', '2026-04-19')).toBe(8);
    expect(days.count('2026-05-30', '2026-05-30')).toBe(0);
    expect(workDays({ days: ['sat', 'sun'] }).count('2026-05-25', '2026-05-31')).toBe(2);
  });
  it('are added without the date itself', () => {
    // Invoiced on Thursday before Easter: Good Friday and Easter Monday don't count.
    expect(days.add('2026-04-09', 5)).toBe('2026-04-20');
    expect(days.add('2026-11-27', 2)).toBe('2026-12-03');
    expect(days.add('2026-12-02', -1)).toBe('2026-11-27');
    expect(days.add('2026-11-28', 0)).toBe('2026-12-02');
    expect(days.add('2026-11-27', 0)).toBe('2026-11-27');
    expect(() => workDays({ days: [] }).add('2026-05-04', 1)).toThrow(RangeError);
  });
});
