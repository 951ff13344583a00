import fc from 'fast-check';
import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import type { Ctx } from '../context.ts';
import { type CalendarEvent, calendarAttachment, calendarFeed, calendarUid } from './calendar.ts';

const now = '2026-11-28T10:00:00.000Z';
const ctx = {
  tenant: { id: '0190a7c4-6b5e-7c3a-9f21-5d8e4b7a1c02', name: 'Frizeria Țicău', hosts: ['shop.example'], defaultLocale: 'ro' },
  clock: { now: () => now, ms: () => Date.parse(now) },
} as unknown as Ctx;
const event: CalendarEvent = {
  entity: 'booking.appointment',
  id: '0190a7c4-6b5e-7c3a-9f21-5d8e4b7a1c03',
  sequence: 0,
  start: '2026-03-29T00:30:00.000Z',
  end: '2026-03-29T01:30:00.000Z',
  summary: 'Tuns',
};
const reader = { email: 'guest@visit.example', name: 'Ana' };

const textOf = ({ content }: { content: string }): string => Buffer.from(content, 'base64').toString('utf8');
function readBack(text: string) {
  const root = new ICAL.Component(ICAL.parse(text));
  const entry = root.getFirstSubcomponent('vevent') as ICAL.Component;
  return { root, entry, event: new ICAL.Event(entry) };
}
const instant = (time: ICAL.Time): string => time.toJSDate().toISOString();

describe('an e-mail attachment', () => {
  it('is an invitation that another library can read', () => {
    const file = calendarAttachment(
      ctx,
      'request',
      { ...event, location: 'Str. Țicău 1', description: 'a\nb', url: 'https://shop.example/x' },
      reader,
    );
    expect(file).toMatchObject({ name: 'invite.ics', type: 'text/calendar; charset=utf-8; method=REQUEST' });
    const { root, entry, event: read } = readBack(textOf(file));
    expect(root.getFirstPropertyValue('method')).toBe('REQUEST');
    expect(root.getFirstPropertyValue('version')).toBe('2.0');
    expect(String(root.getFirstPropertyValue('prodid'))).toContain('Storeloom');
    expect([read.uid, read.sequence, read.summary, read.location, read.description]).toEqual([
      calendarUid(ctx, event.entity, event.id),
      0,
      'Tuns',
      'Str. Țicău 1',
      'a\nb',
    ]);
    expect([instant(read.startDate), instant(read.endDate)]).toEqual([event.start, event.end]);
    expect(read.startDate.zone.tzid).toBe('UTC');
    expect(entry.getFirstPropertyValue('dtstamp')?.toString()).toBe('2026-11-28T10:00:00Z');
    expect(entry.getFirstPropertyValue('status')).toBe('CONFIRMED');
    expect(entry.getFirstPropertyValue('organizer')).toBe('mailto:no-reply@shop.example');
    expect(entry.getFirstProperty('organizer')?.getParameter('cn')).toBe('Frizeria Țicău');
    const attendees = entry.getAllProperties('attendee').map((property) => String(property.getFirstValue()).toLowerCase());
    expect(attendees).toEqual(['mailto:guest@visit.example']);
  });

  it('updates and cancels with the same UID and a greater sequence', () => {
    const invited = readBack(textOf(calendarAttachment(ctx, 'request', { ...event, status: 'pending' }, reader)));
    const moved = readBack(
      textOf(
        calendarAttachment(
          ctx,
          'request',
          { ...event, sequence: 1, start: '2026-10-25T00:30:00.000Z', end: '2026-10-25T02:30:00.000Z' },
          reader,
        ),
      ),
    );
    const file = calendarAttachment(ctx, 'cancel', { ...event, sequence: 2 }, reader);
    const gone = readBack(textOf(file));
    expect(file).toMatchObject({ name: 'cancel.ics', type: 'text/calendar; charset=utf-8; method=CANCEL' });
    expect([invited, moved, gone].map(({ event: read }) => [read.uid, read.sequence])).toEqual(
      [0, 1, 2].map((sequence) => [calendarUid(ctx, event.entity, event.id), sequence]),
    );
    expect([invited, moved, gone].map(({ entry }) => entry.getFirstPropertyValue('status'))).toEqual([
      'TENTATIVE',
      'CONFIRMED',
      'CANCELLED',
    ]);
    expect(gone.root.getFirstPropertyValue('method')).toBe('CANCEL');
    // Two hours across the end of summer time.
    expect(moved.event.duration.toSeconds()).toBe(7200);
  });

  it('rejects an end before the start', () => {
    expect(() => calendarAttachment(ctx, 'request', { ...event, end: event.start }, reader)).toThrow('must end after its start');
  });

  // Without the sign that would stand for a cut character.
  const words = fc.string({ unit: 'grapheme', maxLength: 200 }).filter((text) => !text.includes('\uFFFD'));
  it('is well-formed for any text: CRLF, 75 octets a line, no split character, no injected property', () => {
    fc.assert(
      fc.property(words, words, words, words, (summary, description, location, name) => {
        const given = { ...event, summary, description, location };
        const text = textOf(calendarAttachment(ctx, 'request', given, { email: reader.email, name }));
        const lines = text.split('\r\n');
        expect(lines.every((one) => !/[\r\n]/.test(one) && Buffer.byteLength(one) <= 75)).toBe(true);
        expect(text).not.toContain('\uFFFD');
        const { root, entry, event: read } = readBack(text);
        expect(root.getAllSubcomponents()).toHaveLength(1);
        expect(entry.getAllProperties('attendee')).toHaveLength(1);
        const clean = (value: string): string => value.replace(/\p{Cc}+/gu, ' ').trim();
        expect(read.summary ?? '').toBe(clean(summary));
        expect(read.uid).toBe(calendarUid(ctx, event.entity, event.id));
      }),
      { numRuns: 300 },
    );
  });

  it('adds no attendee by a line break in a name', () => {
    const name = 'Ana"\r\nATTENDEE:mailto:other@visit.example';
    const { entry } = readBack(
      textOf(calendarAttachment(ctx, 'request', { ...event, summary: 'x\r\nATTENDEE:mailto:a@b.example' }, { ...reader, name })),
    );
    expect(entry.getAllProperties('attendee')).toHaveLength(1);
  });
});

describe('a feed', () => {
  it('has whole days with an exclusive end, and no attendees', () => {
    const days = { ...event, start: '2026-03-28', end: '2026-03-31' };
    const text = calendarFeed(ctx, 'Șederi', [days, { ...event, id: 'b' }]);
    const { root, event: read } = readBack(text);
    expect(root.getFirstPropertyValue('method')).toBe('PUBLISH');
    expect(root.getAllSubcomponents('vevent')).toHaveLength(2);
    expect([read.startDate.isDate, read.startDate.toString(), read.endDate.toString()]).toEqual([
      true,
      '2026-03-28',
      '2026-03-31',
    ]);
    expect(text).toContain('DTSTART;VALUE=DATE:20260328');
    expect(text).not.toContain('ATTENDEE');
  });
});
