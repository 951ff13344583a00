import { describe, expect, it } from 'vitest';
import { type AwbStatus, awbStatuses, finalStatuses, movesOn, statusOf } from './states.ts';

const noon = '2026-11-27T12:00:00.000Z';
const later = '2026-11-27T13:00:00.000Z';
const rank: AwbStatus[] = ['created', 'label_printed', 'picked_up', 'in_transit', 'out_for_delivery', 'delivered'];

describe('states of an AWB', () => {
  it('go forwards, steps may be left out', () => {
    for (const [i, from] of rank.entries())
      for (const [j, to] of rank.entries())
        expect([from, to, movesOn(from, to, later, noon)]).toEqual([from, to, j > i && !(to === 'label_printed' && i > 0)]);
  });
  it('end with delivered, returned, cancelled', () => {
    for (const from of finalStatuses) for (const to of awbStatuses) expect(movesOn(from, to, later, null)).toBe(false);
  });
  it('are cancelled only before the carrier has the parcel', () => {
    const from = awbStatuses.filter((status) => movesOn(status, 'cancelled', later, null));
    expect(from).toEqual(['created', 'label_printed']);
  });
  it('do not follow news that are older than what is known', () => {
    expect(movesOn('failed_attempt', 'in_transit', noon, later)).toBe(false);
    expect(movesOn('failed_attempt', 'in_transit', later, noon)).toBe(true);
    expect(movesOn('created', null, later, null)).toBe(false);
  });
  it.each([
    ['Delivered', 'delivered'],
    ['OUT-FOR-DELIVERY', 'out_for_delivery'],
    ['picked up', 'picked_up'],
    ['returned_to_sender', 'returned'],
    ['customs_hold', null],
    ['undelivered', 'failed_attempt'],
  ])('%s is %s', (word, expected) => expect(statusOf(word)).toBe(expected));
});
