import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { f } from '../field.ts';
import { parseBody } from '../schema/body.ts';
import {
  formatWithOffset,
  hours,
  parseInstant,
  parseLocalDateTime,
  parseStart,
  resolveBound,
  type Span,
  span,
  startFields,
} from './index.ts';
import { offsetAt, readWall } from './zone.ts';

const bucharest = 'Europe/Bucharest';
const newYork = 'America/New_York';
const lordHowe = 'Australia/Lord_Howe';

const read = (shape: Parameters<typeof parseBody>[0], body: object, timezone?: string) =>
  parseBody(shape, body, {
    partial: false,
    ...(timezone ? { tenant: { defaultLocale: 'ro', locales: ['ro'], timezone } } : {}),
  });

describe('parseLocalDateTime', () => {
  it.each([
    [bucharest, '2026-03-28', '09:00', '2026-03-28T07:00:00.000Z'],
    [bucharest, '2026-03-29', '02:59', '2026-03-29T00:59:00.000Z'],
    [bucharest, '2026-03-29', '04:00', '2026-03-29T01:00:00.000Z'],
    [bucharest, '2026-10-25', '02:59', '2026-10-24T23:59:00.000Z'],
    [bucharest, '2026-10-25', '04:00', '2026-10-25T02:00:00.000Z'],
    [newYork, '2026-03-08', '01:59', '2026-03-08T06:59:00.000Z'],
    [newYork, '2026-03-08', '03:00', '2026-03-08T07:00:00.000Z'],
    [newYork, '2026-11-01', '00:59', '2026-11-01T04:59:00.000Z'],
    [newYork, '2026-11-01', '02:00', '2026-11-01T07:00:00.000Z'],
    ['Asia/Kolkata', '2026-05-04', '07:30', '2026-05-04T02:00:00.000Z'],
    [lordHowe, '2026-04-05', '02:00', '2026-04-04T15:30:00.000Z'],
    [lordHowe, '2026-10-04', '02:30', '2026-10-03T15:30:00.000Z'],
    ['UTC', '2026-05-04', '24:00', '2026-05-05T00:00:00.000Z'],
  ])('%s %s %s is %s', (zone, date, time, expected) => {
    expect(parseLocalDateTime({ date, time }, zone)).toBe(expected);
  });

  it.each([
    [bucharest, '2026-03-29', '03:00', 'invalid_local_time'],
    [bucharest, '2026-03-29', '03:59', 'invalid_local_time'],
    [bucharest, '2026-10-25', '03:00', 'ambiguous_local_time'],
    [bucharest, '2026-10-25', '03:59', 'ambiguous_local_time'],
    [newYork, '2026-03-08', '02:30', 'invalid_local_time'],
    [newYork, '2026-11-01', '01:30', 'ambiguous_local_time'],
    [lordHowe, '2026-10-04', '02:15', 'invalid_local_time'],
    [lordHowe, '2026-04-05', '01:30', 'ambiguous_local_time'],
    ['Pacific/Apia', '2011-12-30', '12:00', 'invalid_local_time'],
  ])('%s %s %s is refused as %s', (zone, date, time, code) => {
    expect(() => parseLocalDateTime({ date, time }, zone, '/when')).toThrow(
      expect.objectContaining({
        code,
        extra: expect.objectContaining({ errors: [expect.objectContaining({ pointer: '/when/time', code })] }),
      }),
    );
  });

  it('uses an offset as given: both instants of a repeated hour, and one that is not the zone’s', () => {
    const twice = { date: '2026-10-25', time: '03:30' };
    expect(parseLocalDateTime({ ...twice, offset: '+03:00' }, bucharest)).toBe('2026-10-25T00:30:00.000Z');
    expect(parseLocalDateTime({ ...twice, offset: '+02:00' }, bucharest)).toBe('2026-10-25T01:30:00.000Z');
    expect(parseLocalDateTime({ ...twice, offset: 'Z' }, bucharest)).toBe('2026-10-25T03:30:00.000Z');
    expect(parseLocalDateTime({ date: '2026-03-29', time: '03:30', offset: '+02:00' }, bucharest)).toBe(
      '2026-03-29T01:30:00.000Z',
    );
    for (const offset of ['3', '+3:00', '+19:00', '03:00', ''])
      expect(() => parseLocalDateTime({ ...twice, offset }, bucharest)).toThrow(
        expect.objectContaining({ code: 'validation_failed' }),
      );
  });
});

describe('instants of a body', () => {
  it.each([
    ['2026-03-29T03:30:00', bucharest, 'invalid_local_time'],
    ['2026-10-25T03:30', bucharest, 'ambiguous_local_time'],
    ['2026-10-25T03:30', newYork, 'offset_required'],
    ['2026-11-01T01:30:00.000', newYork, 'ambiguous_local_time'],
    ['2026-05-04 10:00', bucharest, 'offset_required'],
    ['tomorrow', bucharest, 'validation_failed'],
    ['2026-02-30T10:00', bucharest, 'validation_failed'],
    ['2026-05-04', bucharest, 'validation_failed'],
  ])('parseInstant: %s in %s is %s', (value, zone, code) => {
    expect(() => parseInstant(value, zone, '/startsAt')).toThrow(expect.objectContaining({ code }));
  });
  it('parseInstant uses an offset as given', () => {
    expect(parseInstant('2026-10-25T03:30+03:00', bucharest, '/startsAt')).toBe('2026-10-25T00:30:00.000Z');
    expect(parseInstant('2026-10-25T03:30:00+02:00', bucharest, '/startsAt')).toBe('2026-10-25T01:30:00.000Z');
  });

  it.each([
    ['2026-03-29T03:30:00', bucharest, 'invalid_local_time'],
    ['2026-10-25T03:30:00', bucharest, 'ambiguous_local_time'],
    ['2026-10-25T05:30:00', bucharest, 'offset_required'],
    ['2026-10-25T03:30:00', undefined, 'offset_required'],
    ['never', bucharest, 'validation_failed'],
  ])('f.instant: %s in %s is %s', async (at, zone, code) => {
    await expect(read({ at: f.instant() }, { at }, zone)).rejects.toMatchObject({
      code,
      extra: { errors: [{ pointer: '/at', code: code === 'validation_failed' ? 'invalid' : code }] },
    });
  });
  it('answers validation_failed if there are other errors too', async () => {
    await expect(read({ at: f.instant(), n: f.int() }, { at: '2026-10-25T03:30:00', n: 'x' }, bucharest)).rejects.toMatchObject({
      code: 'validation_failed',
      extra: { errors: [{ pointer: '/at', code: 'ambiguous_local_time' }, { pointer: '/n' }] },
    });
  });
  it('f.localInstant accepts a local time, and nothing else', async () => {
    const shape = { at: f.localInstant() };
    expect(await read(shape, { at: '2026-10-25T03:30:00' })).toEqual({ at: '2026-10-25T03:30:00' });
    expect(await read(shape, { at: '2026-10-25T03:30:00+02:00' })).toEqual({ at: '2026-10-25T01:30:00.000Z' });
    await expect(read(shape, { at: '2026-10-25' })).rejects.toMatchObject({ code: 'validation_failed' });
  });
  it('f.time accepts 24:00 only as an end', async () => {
    expect(await read({ at: f.time({ endOfDay: true }) }, { at: '24:00' })).toEqual({ at: '24:00' });
    await expect(read({ at: f.time() }, { at: '24:00' })).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(read({ at: f.time({ endOfDay: true }) }, { at: '24:01' })).rejects.toMatchObject({ code: 'validation_failed' });
  });
});

describe('bounds of opening hours', () => {
  const open = (timeZone: string, date: string, start: string, end: string): Span[] =>
    hours({ timeZone, weeklyHours: {}, overrides: [{ date, intervals: [{ start, end }] }] })
      .on(date)
      .map(span);
  it.each([
    // A start and an end inside the gap 03:00–04:00 move to 04:00, the first instant after it.
    [bucharest, '2026-03-29', '03:30', '09:00', '2026-03-29T01:00:00.000Z', '2026-03-29T06:00:00.000Z'],
    [bucharest, '2026-03-29', '01:00', '03:30', '2026-03-28T23:00:00.000Z', '2026-03-29T01:00:00.000Z'],
    // Of the doubled hour 03:00–04:00 a start takes the earlier, an end the later.
    [bucharest, '2026-10-25', '03:30', '09:00', '2026-10-25T00:30:00.000Z', '2026-10-25T07:00:00.000Z'],
    [bucharest, '2026-10-25', '01:00', '03:30', '2026-10-24T22:00:00.000Z', '2026-10-25T01:30:00.000Z'],
    [newYork, '2026-03-08', '02:30', '08:00', '2026-03-08T07:00:00.000Z', '2026-03-08T12:00:00.000Z'],
    [newYork, '2026-11-01', '01:30', '08:00', '2026-11-01T05:30:00.000Z', '2026-11-01T13:00:00.000Z'],
    [newYork, '2026-11-01', '00:00', '01:30', '2026-11-01T04:00:00.000Z', '2026-11-01T06:30:00.000Z'],
    [lordHowe, '2026-10-04', '02:10', '03:00', '2026-10-03T15:30:00.000Z', '2026-10-03T16:00:00.000Z'],
    [lordHowe, '2026-04-05', '01:40', '01:50', '2026-04-04T14:40:00.000Z', '2026-04-04T15:20:00.000Z'],
    // Across midnight into the day of the change.
    [bucharest, '2026-03-28', '22:00', '06:00', '2026-03-28T20:00:00.000Z', '2026-03-29T03:00:00.000Z'],
    [bucharest, '2026-10-24', '22:00', '06:00', '2026-10-24T19:00:00.000Z', '2026-10-25T04:00:00.000Z'],
  ])('%s %s %s–%s', (zone, date, from, to, start, end) => {
    expect(open(zone, date, from, to)).toEqual([{ start, end }]);
  });
  it('are empty for hours within a skipped hour', () => {
    expect(open(bucharest, '2026-03-29', '03:10', '03:50')).toEqual([]);
  });
});

describe('a start', () => {
  const start = async (body: object) => parseStart((await read(startFields, body)) as object, bucharest);
  it('is an instant, or a date and a time', async () => {
    expect(await start({ startsAt: '2026-05-04T10:00:00+03:00' })).toBe('2026-05-04T07:00:00.000Z');
    expect(await start({ date: '2026-05-04', time: '10:00' })).toBe('2026-05-04T07:00:00.000Z');
    expect(await start({ date: '2026-10-25', time: '03:30', offset: '+02:00' })).toBe('2026-10-25T01:30:00.000Z');
    expect(await start({})).toBeUndefined();
  });
  it.each([
    [{ date: '2026-05-04' }, '/time', 'validation_failed'],
    [{ time: '10:00' }, '/date', 'validation_failed'],
    [{ offset: '+03:00' }, '/date', 'validation_failed'],
    [{ date: '2026-05-04', time: '10:00', offset: 'EET' }, '/offset', 'validation_failed'],
    [{ startsAt: '2026-05-04T10:00:00Z', time: '10:00' }, '/startsAt', 'validation_failed'],
    [{ startsAt: '2026-05-04T10:00:00' }, '/startsAt', 'offset_required'],
    [{ startsAt: '2026-03-29T03:30:00' }, '/startsAt', 'invalid_local_time'],
    [{ date: '2026-03-29', time: '03:30' }, '/time', 'invalid_local_time'],
    [{ date: '2026-10-25', time: '03:30' }, '/time', 'ambiguous_local_time'],
  ])('%j is refused at %s as %s', async (body, pointer, code) => {
    await expect(start(body)).rejects.toMatchObject({ code, extra: { errors: [{ pointer }] } });
  });
  it('of a rule is always resolved', () => {
    expect(resolveBound('2026-03-29', '03:30', bucharest, 'start')).toBe('2026-03-29T01:00:00.000Z');
    expect(resolveBound('2026-10-25', '03:30', bucharest, 'start')).toBe('2026-10-25T00:30:00.000Z');
    expect(resolveBound('2026-10-25', '03:30', bucharest, 'end')).toBe('2026-10-25T01:30:00.000Z');
    expect(resolveBound('2026-05-04', '24:00', bucharest, 'end')).toBe('2026-05-04T21:00:00.000Z');
  });
});

describe('zones', () => {
  it.each([
    'UTC',
    'Europe/Bucharest',
    'Asia/Kolkata',
    'Asia/Calcutta',
    'Europe/Kyiv',
    'America/Argentina/Buenos_Aires',
    'Etc/GMT+3',
  ])('%s is one', async (timeZone) => {
    expect(await read({ timeZone: f.timeZone() }, { timeZone })).toEqual({ timeZone });
  });
  it.each(['Europe/bucharest', 'EUROPE/Bucharest', '+03:00', 'Europe/Nowhere', 'EET-2', '', 'Europe/Bucharest; drop'])(
    '%s is none',
    async (timeZone) => {
      await expect(read({ timeZone: f.timeZone() }, { timeZone })).rejects.toMatchObject({ code: 'validation_failed' });
    },
  );
});

describe('offsets', () => {
  it('resolve wall times as Temporal does, in zones of every kind', () => {
    const zone = fc.constantFrom(
      bucharest,
      newYork,
      lordHowe,
      'Africa/Casablanca',
      'America/Havana',
      'Asia/Kathmandu',
      'Pacific/Apia',
    );
    const wall = fc.integer({ min: Date.parse('2005-01-01T00:00Z') / 60_000, max: Date.parse('2035-01-01T00:00Z') / 60_000 });
    // Near a change, where the two differ, much more often than chance would have it.
    const near = fc.tuple(zone, wall, fc.integer({ min: -180, max: 180 })).map(([timeZone, minutes, off]) => {
      const next = Temporal.Instant.fromEpochMilliseconds(minutes * 60_000)
        .toZonedDateTimeISO(timeZone)
        .getTimeZoneTransition('next');
      const at = next?.toPlainDateTime().toZonedDateTime('UTC').epochMilliseconds ?? minutes * 60_000;
      return { timeZone, wallMs: Math.floor(at / 60_000) * 60_000 + off * 60_000 };
    });
    fc.assert(
      fc.property(near, ({ timeZone, wallMs }) => {
        const plain = Temporal.Instant.fromEpochMilliseconds(wallMs).toZonedDateTimeISO('UTC').toPlainDateTime();
        const of = (disambiguation: 'earlier' | 'later') => plain.toZonedDateTime(timeZone, { disambiguation });
        const expected = [of('earlier'), of('later')];
        const { instants, afterGap } = readWall(wallMs, timeZone);
        if (expected.every((one) => one.toPlainDateTime().equals(plain)))
          expect(instants).toEqual([...new Set(expected.map((one) => one.epochMilliseconds))]);
        else {
          expect(instants).toEqual([]);
          // The first instant after the gap lies between what the two readings shift to, and a millisecond before it the gap begins.
          expect(afterGap).toBeGreaterThanOrEqual((expected[0] as Temporal.ZonedDateTime).epochMilliseconds);
          expect(afterGap).toBeLessThanOrEqual((expected[1] as Temporal.ZonedDateTime).epochMilliseconds);
          expect(offsetAt((afterGap as number) - 1, timeZone)).toBeLessThan(offsetAt(afterGap as number, timeZone));
        }
      }),
      { numRuns: 120 },
    );
  });
  it('shows an instant as a zone’s clock does', () => {
    expect(formatWithOffset('2026-03-29T06:00:00.000Z', bucharest)).toBe('2026-03-29T09:00:00.000+03:00');
    expect(formatWithOffset('2026-01-12T12:00:00.000Z', 'Asia/Kolkata')).toBe('2026-01-12T17:30:00.000+05:30');
    expect(formatWithOffset('2026-01-12T12:00:00.000Z', 'America/St_Johns')).toBe('2026-01-12T08:30:00.000-03:30');
    expect(formatWithOffset(Date.parse('2026-01-12T12:00:00Z'), 'UTC')).toBe('2026-01-12T12:00:00.000+00:00');
  });
  it('agrees with Intl through a year of zones that change their clocks oddly', () => {
    for (const zone of [bucharest, lordHowe, 'America/Havana', 'Africa/Cairo']) {
      const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
      for (
        let at = Date.parse('2026-01-01T00:00:00Z');
        at < Date.parse('2027-01-01T00:00:00Z');
        at += 3_600_000 * 9 + 1_800_000
      ) {
        const wall = Date.parse(`${format.format(at).replace(' ', 'T')}Z`);
        expect(wall - at, `${zone} ${new Date(at).toISOString()}`).toBe(offsetAt(at, zone));
        expect(readWall(wall, zone).instants, `${zone} ${new Date(at).toISOString()}`).toContain(at);
      }
    }
  });
});
