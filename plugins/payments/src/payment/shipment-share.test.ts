import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ShareLine, shareAmount, shareOf } from './shipment-share.ts';

const line = (id: string, quantity: number, total: number, more: Partial<ShareLine> = {}): ShareLine => ({
  id,
  quantity,
  total,
  quantityCancelled: 0,
  ships: true,
  ...more,
});

describe('share of a shipment', () => {
  it('is weighted by price', () => {
    const lines = [line('a', 3, 1000), line('b', 1, 500)];
    expect(shareOf(lines, [], [{ lineId: 'a', quantity: 1 }])).toEqual({ to: 334, total: 1500, last: false });
    expect(shareOf(lines, [{ lineId: 'a', quantity: 1 }], [{ lineId: 'a', quantity: 2 }])).toEqual({
      to: 1000,
      total: 1500,
      last: false,
    });
    expect(shareOf(lines, [{ lineId: 'a', quantity: 3 }], [{ lineId: 'b', quantity: 1 }])).toEqual({
      to: 1500,
      total: 1500,
      last: true,
    });
  });
  it("excludes cancelled units and lines that don't ship", () => {
    const lines = [line('a', 4, 1000, { quantityCancelled: 2 }), line('ebook', 1, 900, { ships: false })];
    expect(shareOf(lines, [], [{ lineId: 'a', quantity: 1 }])).toEqual({ to: 250, total: 500, last: false });
    expect(shareOf(lines, [{ lineId: 'a', quantity: 1 }], [{ lineId: 'a', quantity: 1 }])).toMatchObject({ last: true });
  });
  it('is weighted by units if all are free, so that shipping costs are captured in parts', () => {
    const lines = [line('a', 1, 0), line('b', 3, 0)];
    const share = shareOf(lines, [], [{ lineId: 'a', quantity: 1 }]);
    expect(share).toEqual({ to: 1, total: 4, last: false });
    expect(shareAmount(1999, share, 0)).toBe(500);
  });
  it('sums to the amount for any sequence of shipments', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ quantity: fc.integer({ min: 1, max: 6 }), total: fc.integer({ min: 0, max: 100_000 }) }), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.infiniteStream(fc.nat()),
        (parts, amount, picks) => {
          const lines = parts.map(({ quantity, total }, i) => line(String(i), quantity, total));
          const units = lines.flatMap((one) => Array.from({ length: one.quantity }, () => one.id));
          const before: { lineId: string; quantity: number }[] = [];
          let taken = 0;
          while (units.length > 0) {
            const [lineId] = units.splice((picks.next().value as number) % units.length, 1) as [string];
            const share = shareOf(lines, before, [{ lineId, quantity: 1 }]);
            before.push({ lineId, quantity: 1 });
            expect(share.last).toBe(units.length === 0);
            const part = share.last ? amount - taken : shareAmount(amount, share, taken);
            expect(part).toBeGreaterThanOrEqual(0);
            taken += part;
          }
          expect(taken).toBe(amount);
        },
      ),
    );
  });
});
