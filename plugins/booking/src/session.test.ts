import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { exclusion, fits, type SeatRequest, type Session } from './session.ts';

it('the migration makes the exclusion that the code names', () => {
  const migration = readFileSync(new URL('../migrations/0001_booking.sql', import.meta.url), 'utf8');
  expect(migration).toContain(exclusion.migration);
});

const group: Session = {
  id: '1',
  staffId: 's',
  serviceId: 'class',
  start: 600,
  end: 660,
  blocked: { start: 590, end: 670 },
  seats: 2,
};
const request = (more: Partial<SeatRequest>): SeatRequest => ({
  serviceId: 'class',
  start: 600,
  end: 660,
  blocked: { start: 590, end: 670 },
  seats: 1,
  capacity: 3,
  ...more,
});

it.each<[string, Partial<SeatRequest>, boolean]>([
  ['the last seat', {}, true],
  ['more seats than are left', { seats: 2 }, false],
  ['another service at the same start', { serviceId: 'other' }, false],
  ['the same service while the session runs', { start: 630, end: 690, blocked: { start: 620, end: 700 } }, false],
  ['one that contains it', { start: 500, end: 800, blocked: { start: 500, end: 800 } }, false],
  ['one inside it', { start: 610, end: 620, blocked: { start: 610, end: 620 } }, false],
  ['right after what it blocks', { start: 680, end: 740, blocked: { start: 670, end: 750 } }, true],
  ['right before it', { start: 500, end: 580, blocked: { start: 490, end: 590 } }, true],
])('%s', (_, more, expected) => {
  expect(fits([group], request(more))).toBe(expected);
});
