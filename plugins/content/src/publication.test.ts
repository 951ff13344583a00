import { Problem } from '@storeloom/plugin-sdk';
import { describe, expect, it } from 'vitest';
import { machine, publishTime, type Status, statuses } from './publication.ts';

const now = '2026-11-27T20:00:00.000Z';
const past = '2026-11-01T00:00:00.000Z';
const future = '2026-12-01T00:00:00.000Z';
const time = (status: Status, given: string | null | undefined, kept: string | null = null): unknown => {
  try {
    return publishTime({ status, given, kept, now });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.extra.errors?.[0]?.code;
  }
};

describe('the time of publication', () => {
  it.each([
    ['draft', undefined, null, null],
    ['draft', future, null, future],
    ['draft', null, future, null],
    ['scheduled', future, null, future],
    ['scheduled', undefined, future, future],
    ['scheduled', undefined, null, 'required'],
    ['scheduled', null, future, 'required'],
    ['scheduled', past, null, 'in_past'],
    ['scheduled', now, null, 'in_past'],
    ['scheduled', undefined, past, 'in_past'],
    ['published', undefined, null, now],
    ['published', undefined, past, past],
    // Published before its time: from now on.
    ['published', undefined, future, now],
    ['published', past, null, past],
    ['published', now, null, now],
    ['published', future, null, 'in_future'],
    ['published', null, past, now],
    ['archived', undefined, past, past],
  ] as const)('of %s with %s, before %s, is %s', (status, given, kept, expected) =>
    expect(time(status, given, kept)).toBe(expected),
  );
});

it('moves as it is documented', () => {
  expect(Object.fromEntries(statuses.map((status) => [status, machine.allowed(status)]))).toEqual({
    draft: ['scheduled', 'published', 'archived'],
    scheduled: ['published', 'draft', 'archived'],
    published: ['draft', 'archived'],
    archived: [],
  });
});
