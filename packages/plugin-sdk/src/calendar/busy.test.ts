import { expect, test } from 'vitest';
import type { Ctx } from '../context.ts';
import type { BusyTime } from '../kernel/calendar.ts';
import { findBusyTimes } from './busy.ts';

const from = '2026-11-28T00:00:00.000Z';
const to = '2026-11-29T00:00:00.000Z';
const at = (hour: number): string => `2026-11-28T${String(hour).padStart(2, '0')}:00:00.000Z`;
const asked: unknown[] = [];
const ctxWith = (busy: BusyTime[]): Ctx =>
  ({
    plugin: 'booking',
    call: async (_hook: unknown, input: unknown) => {
      asked.push(input);
      return busy;
    },
  }) as unknown as Ctx;

test('finds each person by user, otherwise by e-mail address in any case, without times of the calling plugin', async () => {
  const ctx = ctxWith([
    { userId: 'u1', email: 'other@x.example', start: at(12), end: at(13), kind: 'healthcare.visit' },
    { userId: 'u1', start: at(9), end: at(10), kind: 'fitness.class' },
    { email: 'ANA@x.example', start: at(10), end: at(11), kind: 'fitness.class' },
    { userId: 'u9', email: 'ana@x.example', start: at(14), end: at(15), kind: 'fitness.class' },
    { userId: 'u1', start: at(16), end: at(17), kind: 'booking.appointment' },
  ]);
  const people = [
    { userId: 'u1', email: 'one@x.example' },
    { userId: null, email: 'Ana@X.example' },
    {},
    { userId: 'u2', email: 'ana@x.example' },
  ];
  expect(await findBusyTimes(ctx, { from, to, people })).toEqual([
    [
      { start: at(9), end: at(10), kind: 'fitness.class' },
      { start: at(12), end: at(13), kind: 'healthcare.visit' },
    ],
    [
      { start: at(10), end: at(11), kind: 'fitness.class' },
      { start: at(14), end: at(15), kind: 'fitness.class' },
    ],
    [],
    [{ start: at(10), end: at(11), kind: 'fitness.class' }],
  ]);
  expect(asked).toEqual([
    {
      from,
      to,
      people: [{ userId: 'u1', email: 'one@x.example' }, { email: 'ana@x.example' }, { userId: 'u2', email: 'ana@x.example' }],
      by: 'booking',
    },
  ]);
});

test('ignores times adjacent to the window, and calls no hook without people', async () => {
  const ctx = ctxWith([
    { userId: 'u1', start: '2026-11-27T22:00:00.000Z', end: from, kind: 'x.y' },
    { userId: 'u1', start: to, end: '2026-11-29T01:00:00.000Z', kind: 'x.y' },
  ]);
  expect(await findBusyTimes(ctx, { from, to, people: [{ userId: 'u1' }] })).toEqual([[]]);
  asked.length = 0;
  expect(await findBusyTimes(ctx, { from, to, people: [{}] })).toEqual([[]]);
  expect(asked).toEqual([]);
});
