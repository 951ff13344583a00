import { describe, expect, it } from 'vitest';
import { bodyOf, maxBody } from './payload.ts';

const event = {
  type: 'orders.order.placed',
  at: '2026-11-27T20:12:00.000Z',
  aggregate: '0190a000-0000-7000-8000-000000000001',
  sequence: 3,
};

describe('the body of an event', () => {
  it('has its type, time and data, and its place among the events of one thing', () => {
    expect(JSON.parse(bodyOf({ ...event, data: { id: 'x', number: '2026-000001', sequence: 99 } }))).toEqual({
      type: event.type,
      timestamp: event.at,
      data: { id: 'x', number: '2026-000001', aggregateId: event.aggregate, sequence: 3 },
    });
  });

  it('leaves out the longest members until it fits, and names them', () => {
    const lines = Array.from({ length: 500 }, (_, i) => ({ sku: `SKU-${i}`, quantity: i, text: 'ăîșț' }));
    const body = bodyOf({ ...event, data: { id: 'x', lines, note: 'ș'.repeat(9_000), total: { amount: 1, currency: 'RON' } } });
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(maxBody);
    expect(JSON.parse(body).data).toMatchObject({
      id: 'x',
      total: { amount: 1, currency: 'RON' },
      omitted: ['lines'],
      sequence: 3,
    });
    expect(JSON.parse(body).data.note).toHaveLength(9_000);
  });

  it('is cut at the limit and not before', () => {
    const length = (n: number) => bodyOf({ ...event, data: { text: 'x'.repeat(n) } });
    const room = maxBody - Buffer.byteLength(length(0));
    expect(JSON.parse(length(room)).data.omitted).toBeUndefined();
    expect(Buffer.byteLength(length(room))).toBe(maxBody);
    expect(JSON.parse(length(room + 1)).data.omitted).toEqual(['text']);
  });
});
