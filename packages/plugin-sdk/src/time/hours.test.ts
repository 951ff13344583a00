import { describe, expect, it } from 'vitest';
import { f } from '../field.ts';
import { parseBody } from '../schema/body.ts';
import {
  dateOverridesField,
  daysOffField,
  type HoursDefinition,
  holidayCalendar,
  hours,
  romanianHolidays,
  span,
  timeOffField,
  weeklyHoursField,
} from './index.ts';

const bucharest = 'Europe/Bucharest';
const nine = [{ start: '09:00', end: '17:00' }];
const week = { mon: nine, tue: nine, wed: nine, thu: nine, fri: nine };
const base: HoursDefinition = { timeZone: bucharest, weeklyHours: week };
const on = (date: string, more: Partial<HoursDefinition> = {}) =>
  hours({ ...base, ...more })
    .on(date)
    .map(span)
    .map(({ start, end }) => `${start.slice(5, 16)}/${end.slice(5, 16)}`);

describe('hours', () => {
  it('are those of the weekday, none on a closed day', () => {
    expect(on('2026-05-04')).toEqual(['05-04T06:00/05-04T14:00']);
    expect(on('2026-05-03')).toEqual([]);
  });
  it('are replaced by an override, also on a closed day', () => {
    const overrides = [
      { date: '2026-05-04', intervals: [{ start: '12:00', end: '13:00' }] },
      { date: '2026-05-05', closed: true, intervals: [] },
      { date: '2026-05-06' },
      { date: '2026-05-03', intervals: [{ start: '20:00', end: '24:00' }] },
    ];
    expect(on('2026-05-04', { overrides })).toEqual(['05-04T09:00/05-04T10:00']);
    expect(on('2026-05-05', { overrides })).toEqual([]);
    expect(on('2026-05-06', { overrides })).toEqual([]);
    expect(on('2026-05-03', { overrides })).toEqual(['05-03T17:00/05-03T21:00']);
    expect(on('2026-05-07', { overrides })).toEqual(['05-07T06:00/05-07T14:00']);
  });
  it('exclude breaks, time off and days off', () => {
    expect(on('2026-05-04', { breaks: { mon: [{ start: '12:00', end: '12:30' }] } })).toEqual([
      '05-04T06:00/05-04T09:00',
      '05-04T09:30/05-04T14:00',
    ]);
    const timeOff = [{ from: '2026-05-04T12:00:00Z', to: '2026-05-05T07:00:00Z' }];
    expect(on('2026-05-04', { timeOff })).toEqual(['05-04T06:00/05-04T12:00']);
    expect(on('2026-05-05', { timeOff })).toEqual(['05-05T07:00/05-05T14:00']);
    expect(on('2026-05-06', { timeOff })).toEqual(['05-06T06:00/05-06T14:00']);
    const daysOff = [{ from: '2026-05-04', to: '2026-05-05' }];
    expect(['2026-05-04', '2026-05-05', '2026-05-06'].map((date) => on(date, { daysOff }).length)).toEqual([0, 0, 1]);
  });
  it('of a night belong to the evening’s date; a closed day cuts off the rest of a night, an override does not', () => {
    const weeklyHours = { fri: [{ start: '18:00', end: '02:00' }] };
    expect(on('2026-05-08', { weeklyHours })).toEqual(['05-08T15:00/05-08T23:00']);
    expect(on('2026-05-09', { weeklyHours })).toEqual([]);
    expect(on('2026-05-08', { weeklyHours, closedDays: ['2026-05-09'] })).toEqual(['05-08T15:00/05-08T21:00']);
    expect(on('2026-05-08', { weeklyHours, overrides: [{ date: '2026-05-09', closed: true }] })).toEqual([
      '05-08T15:00/05-08T23:00',
    ]);
    // A break of the small hours is one of the day they are on.
    expect(on('2026-05-08', { weeklyHours, breaks: { sat: [{ start: '00:30', end: '01:00' }] } })).toEqual([
      '05-08T15:00/05-08T21:30',
      '05-08T22:00/05-08T23:00',
    ]);
  });
  it('use the tenant’s time zone for closed days', () => {
    const auckland = { timeZone: 'Pacific/Auckland', closedDays: ['2026-05-04'], closedDaysZone: bucharest };
    // The tenant's 4 May is 09:00 on the 4th to 09:00 on the 5th in Auckland.
    expect(on('2026-05-04', auckland)).toEqual([]);
    expect(on('2026-05-05', auckland)).toEqual(['05-04T21:00/05-05T05:00']);
  });
  it('are closed on holidays, unless an override opens them', () => {
    const holidays = holidayCalendar(romanianHolidays);
    expect(on('2026-12-01', { holidays })).toEqual([]);
    expect(on('2026-12-02', { holidays })).toHaveLength(1);
    expect(on('2026-12-01', { holidays, overrides: [{ date: '2026-12-01', intervals: nine }] })).toHaveLength(1);
    const own = holidayCalendar(romanianHolidays, [{ date: '2026-12-02', name: { ro: 'Inventar' } }]);
    expect(on('2026-12-02', { holidays: own })).toEqual([]);
  });
  it('between two instants are uncut and include the night before', () => {
    const open = hours({ timeZone: bucharest, weeklyHours: { fri: [{ start: '18:00', end: '02:00' }], sat: nine } });
    const found = (from: string, to: string) =>
      open
        .between(from, to)
        .map(span)
        .map(({ start }) => start.slice(5, 16));
    expect(found('2026-05-08T22:00:00Z', '2026-05-09T07:00:00Z')).toEqual(['05-08T15:00', '05-09T06:00']);
    expect(found('2026-05-08T23:00:00Z', '2026-05-09T06:00:00Z')).toEqual([]);
    expect(open.isOpen('2026-05-08T22:59:59Z')).toBe(true);
    expect(open.isOpen('2026-05-08T23:00:00Z')).toBe(false);
    expect(open.isOpen('2026-05-09T06:00:00Z')).toBe(true);
  });
  it('reject an invalid time, and hours without a length', () => {
    expect(() => hours({ ...base, weeklyHours: { mon: [{ start: '9:00', end: '17:00' }] } })).toThrow(RangeError);
    expect(() => hours({ ...base, weeklyHours: { mon: [{ start: '09:00', end: '09:00' }] } })).toThrow(RangeError);
    expect(() => hours(base).on('2026-02-30')).toThrow(RangeError);
  });
  it('can’t be changed through their results', () => {
    const open = hours(base);
    open.on('2026-05-04').pop();
    expect(open.on('2026-05-04')).toHaveLength(1);
  });
});

describe('fields of hours', () => {
  const shape = { hours: weeklyHoursField.optional(), overrides: dateOverridesField.default([]) };
  const read = (body: object) => parseBody(shape, body, { partial: false });
  it('fill in missing days', async () => {
    const { hours: read1 } = (await read({
      hours: {
        mon: [
          { start: '22:00', end: '06:00' },
          { start: '12:00', end: '24:00' },
        ],
      },
    })) as {
      hours: Record<string, unknown>;
    };
    expect(Object.keys(read1)).toEqual(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']);
    expect(read1.tue).toEqual([]);
    expect(await read({ hours: null })).toMatchObject({ hours: null });
  });
  it.each([
    [{ hours: { mon: [{ start: '09:00', end: '09:00' }] } }, '/hours/mon/0/end', 'invalid_interval', 'invalid_interval'],
    [{ hours: { mon: [{ start: '24:00', end: '09:00' }] } }, '/hours/mon/0/start', 'invalid_format', 'validation_failed'],
    [{ hours: { mon: [{ start: '09:00', end: '24:01' }] } }, '/hours/mon/0/end', 'invalid_format', 'validation_failed'],
    [{ hours: { monday: [] } }, '/hours/monday', 'unknown_field', 'unknown_field'],
    [
      { overrides: [{ date: '2026-05-04', closed: true, intervals: nine }] },
      '/overrides/0/intervals',
      'invalid',
      'validation_failed',
    ],
    [{ overrides: [{ date: '2026-05-04' }, { date: '2026-05-04' }] }, '/overrides/1/date', 'duplicate', 'validation_failed'],
  ])('refuse %j', async (body, pointer, code, top) => {
    await expect(read(body)).rejects.toMatchObject({ code: top, extra: { errors: [{ pointer, code }] } });
  });
  it('of time off need an end after the start, of days off not before it', async () => {
    const off = (body: object) =>
      parseBody({ timeOff: timeOffField.default([]), daysOff: daysOffField.default([]) }, body, { partial: false });
    const at = '2026-05-04T09:00:00+03:00';
    await expect(off({ timeOff: [{ from: at, to: '2026-05-04T06:00:00Z' }] })).rejects.toMatchObject({
      code: 'invalid_interval',
    });
    await expect(off({ daysOff: [{ from: '2026-05-04', to: '2026-05-03' }] })).rejects.toMatchObject({
      code: 'invalid_interval',
    });
    expect(await off({ daysOff: [{ from: '2026-05-04', to: '2026-05-04' }] })).toMatchObject({ daysOff: [{ to: '2026-05-04' }] });
  });
  it('apply checks to any field', async () => {
    const even = {
      n: f
        .int()
        .check((n) => (n % 2 === 0 ? [] : [{ code: 'odd', message: 'must be even' }]))
        .optional(),
    };
    const readEven = (body: object, partial = false) => parseBody(even, body, { partial });
    expect(await readEven({ n: 4 })).toEqual({ n: 4 });
    expect(await readEven({ n: null })).toEqual({ n: null });
    expect(await readEven({}, true)).toEqual({});
    await expect(readEven({ n: 3 }, true)).rejects.toMatchObject({ extra: { errors: [{ pointer: '/n', code: 'odd' }] } });
  });
});
