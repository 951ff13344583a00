import { describe, expect, it } from 'vitest';
import { type AwbStatus, advances, awbStatuses, finalStatuses, statusOf } from './states.ts';

const noon = '2026-11-27T12:00:00.000Z';
const later = '2026-11-27T13:00:00.000Z';
const rank: AwbStatus[] = ['created', 'label_printed', 'picked_up', 'in_transit', 'out_for_delivery', 'delivered'];

describe('states of an AWB', () => {
  it('advance, and may skip steps', () => {
    for (const [i, from] of rank.entries())
      for (const [j, to] of rank.entries())
        expect([from, to, advances(from, to, later, noon)]).toEqual([from, to, j > i && !(to === 'label_printed' && i > 0)]);
  });
  it('end with delivered, returned, cancelled', () => {
    for (const from of finalStatuses) for (const to of awbStatuses) expect(advances(from, to, later, null)).toBe(false);
  });
  it('allow cancellation only before pickup', () => {
    const from = awbStatuses.filter((status) => advances(status, 'cancelled', later, null));
    expect(from).toEqual(['created', 'label_printed']);
  });
  it('ignore events older than the latest known one', () => {
    expect(advances('failed_attempt', 'in_transit', noon, later)).toBe(false);
    expect(advances('failed_attempt', 'in_transit', later, noon)).toBe(true);
    expect(advances('created', null, later, null)).toBe(false);
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
