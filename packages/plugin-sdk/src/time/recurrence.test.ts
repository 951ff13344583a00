import { describe, expect, it } from 'vitest';
import { parseBody } from '../schema/body.ts';
import { addDays, eachDay, recurrenceField, recurringDays, recurringInstants, weekday } from './index.ts';

const bucharest = 'Europe/Bucharest';
const from2026 =
  (rule: string, start: string, timeZone = bucharest) =>
  (from: string, to: string) =>
    recurringInstants({ rule, start, timeZone }, `${from}T00:00:00Z`, `${to}T00:00:00Z`).map((at) => at.slice(5, 16));

describe('recurringInstants', () => {
  it('keep the wall time across clock changes', () => {
    const sundays = from2026('FREQ=WEEKLY;BYDAY=SU', '2026-10-18T06:00:00Z');
    expect(sundays('2026-10-01', '2026-11-03')).toEqual(['10-18T06:00', '10-25T07:00', '11-01T07:00']);
    const march = from2026('FREQ=WEEKLY', '2026-03-22T13:00:00Z', 'America/New_York');
    expect(march('2026-03-01', '2026-04-06')).toEqual(['03-22T13:00', '03-29T13:00', '04-05T13:00']);
    const before = from2026('FREQ=WEEKLY', '2026-03-01T14:00:00Z', 'America/New_York');
    expect(before('2026-03-01', '2026-03-16')).toEqual(['03-01T14:00', '03-08T13:00', '03-15T13:00']);
  });
  it('leave out skipped hours, and don’t count them', () => {
    const daily = from2026('FREQ=DAILY;COUNT=4', '2026-03-27T01:30:00Z');
    expect(daily('2026-03-01', '2026-05-01')).toEqual(['03-27T01:30', '03-28T01:30', '03-30T00:30', '03-31T00:30']);
  });
  it('use the earlier instant of a repeated hour, but the start as given', () => {
    expect(from2026('FREQ=DAILY;COUNT=2', '2026-10-24T00:30:00Z')('2026-10-01', '2026-11-01')).toEqual([
      '10-24T00:30',
      '10-25T00:30',
    ]);
    expect(from2026('FREQ=DAILY;COUNT=2', '2026-10-25T01:30:00Z')('2026-10-01', '2026-11-01')).toEqual([
      '10-25T01:30',
      '10-26T01:30',
    ]);
  });
  it('are half-open, and end with UNTIL: an instant, or a whole day of the zone', () => {
    const at = '2026-05-04T21:30:00Z'; // 00:30 on the 5th in Bucharest
    const of = (rule: string, end = '2026-06-01T00:00:00Z') =>
      recurringInstants({ rule, start: at, timeZone: bucharest }, at, end).map((one) => one.slice(8, 13));
    expect(of('FREQ=DAILY', '2026-05-06T21:30:00Z')).toEqual(['04T21', '05T21']);
    expect(of('FREQ=DAILY;UNTIL=20260506T213000Z')).toEqual(['04T21', '05T21', '06T21']);
    expect(of('FREQ=DAILY;UNTIL=20260506T212959Z')).toEqual(['04T21', '05T21']);
    expect(of('FREQ=DAILY;UNTIL=20260506')).toEqual(['04T21', '05T21']);
  });
  it('leave out exceptions, but count them', () => {
    const rule = { rule: 'FREQ=DAILY;COUNT=3', start: '2026-05-04T06:00:00Z', timeZone: bucharest };
    expect(
      recurringInstants({ ...rule, except: ['2026-05-05T09:00:00+03:00'] }, '2026-05-01T00:00:00Z', '2026-06-01T00:00:00Z'),
    ).toEqual(['2026-05-04T06:00:00.000Z', '2026-05-06T06:00:00.000Z']);
  });
});

describe('recurringDays', () => {
  const days = (rule: string, start: string, from: string, to: string) => recurringDays({ rule, start }, from, to);
  it.each([
    ['FREQ=MONTHLY;BYMONTHDAY=31', '2026-01-31', ['2026-01-31', '2026-03-31', '2026-05-31']],
    ['FREQ=MONTHLY;BYMONTHDAY=-1', '2026-01-31', ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31']],
    ['FREQ=MONTHLY;BYDAY=-1FR', '2026-01-01', ['2026-01-30', '2026-02-27', '2026-03-27', '2026-04-24', '2026-05-29']],
    [
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1',
      '2026-01-01',
      ['2026-01-01', '2026-02-02', '2026-03-02', '2026-04-01', '2026-05-01'],
    ],
    ['FREQ=YEARLY', '2024-02-29', []],
    ['FREQ=WEEKLY;INTERVAL=8;BYDAY=TU', '2026-01-06', ['2026-01-06', '2026-03-03', '2026-04-28']],
    ['FREQ=MONTHLY;COUNT=2', '2026-03-15', ['2026-03-15', '2026-04-15']],
    ['FREQ=MONTHLY;UNTIL=20260415', '2026-03-15', ['2026-03-15', '2026-04-15']],
  ])('%s from %s', (rule, start, expected) => {
    expect(days(rule, start, '2026-01-01', '2026-05-31')).toEqual(expected);
  });
  it('count from the start, for any requested range', () => {
    const rule = 'FREQ=WEEKLY;BYDAY=MO,WE;COUNT=150';
    const all = days(rule, '2026-01-05', '2026-01-01', '2030-01-01');
    expect(all).toHaveLength(150);
    expect(days(rule, '2026-01-05', '2027-01-01', '2027-12-31')).toEqual(all.filter((date) => date.startsWith('2027')));
    expect(all).toEqual(
      eachDay('2026-01-05', addDays('2026-01-05', 7 * 75 - 1)).filter((date) => ['mon', 'wed'].includes(weekday(date))),
    );
  });
  it('end even if the rule has no occurrence', () => {
    expect(days('FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6', '2026-01-01', '2026-01-01', '2099-01-01')).toEqual([]);
    expect(days('FREQ=YEARLY', '2026-01-01', '2075-01-01', '2099-01-01')).toEqual(['2075-01-01', '2076-01-01']);
    expect(days('FREQ=DAILY', '2026-01-01', '2025-01-01', '2025-12-31')).toEqual([]);
  });
});

describe('recurrenceField', () => {
  const read = (rule: string) => parseBody({ rule: recurrenceField }, { rule }, { partial: false });
  it.each([
    'FREQ=DAILY',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;WKST=SU',
    'FREQ=YEARLY;BYWEEKNO=-1;BYDAY=SU',
    'FREQ=MONTHLY;BYDAY=+2TU;COUNT=500',
  ])('takes %s', async (rule) => {
    expect(await read(rule)).toEqual({ rule });
  });
  it.each([
    'FREQ=HOURLY',
    'freq=daily',
    'INTERVAL=2',
    'FREQ=DAILY;',
    'FREQ=DAILY;FREQ=WEEKLY',
    'FREQ=DAILY;INTERVAL=0',
    'FREQ=DAILY;INTERVAL=101',
    'FREQ=DAILY;COUNT=501',
    'FREQ=DAILY;COUNT=2;UNTIL=20260401',
    'FREQ=DAILY;UNTIL=20261332',
    'FREQ=DAILY;UNTIL=20260401T100000',
    'FREQ=DAILY;BYHOUR=9',
    'FREQ=DAILY;RSCALE=CHINESE',
    'FREQ=DAILY;BYMONTH=13',
    'FREQ=WEEKLY;BYDAY=1MO',
    'FREQ=WEEKLY;BYMONTHDAY=13',
    'FREQ=MONTHLY;BYSETPOS=1',
    'FREQ=DAILY\nEXDATE:20260101T000000Z',
    'FREQ=DAILY;toString=1',
    'RRULE:FREQ=DAILY',
  ])('refuses %s', async (rule) => {
    await expect(read(rule)).rejects.toMatchObject({
      code: 'validation_failed',
      extra: { errors: [{ pointer: '/rule', code: 'invalid' }] },
    });
    expect(() => recurringDays({ rule, start: '2026-01-01' }, '2026-01-01', '2026-02-01')).toThrow(RangeError);
  });
});
