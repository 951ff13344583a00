import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cancelParts, countedBase, editParts, type OrderPart, partsOf, refundParts, withEur } from './correct.ts';
import type { OssEntry } from './tables.ts';

const m = (amount: number, currency = 'RON') => ({ amount, currency });
const entry = (part: string, base: number, tax: number, more: Partial<OssEntry> = {}): OssEntry => ({
  id: part,
  createdAt: '',
  updatedAt: '',
  version: 1,
  orderId: 'o',
  kind: 'sale',
  refundId: null,
  part,
  quarter: '2026-Q4',
  saleQuarter: '2026-Q4',
  saleYear: 2026,
  country: 'DE',
  supplyType: 'goods',
  treatment: 'destination',
  ratePpm: 190_000,
  base: m(base),
  tax: m(tax),
  eur: m(Math.round(base / 5), 'EUR'),
  ...more,
});
const asEntry = (part: OrderPart, kind: OssEntry['kind']): OssEntry =>
  entry(part.part, part.base, part.tax, {
    ...part,
    kind,
    base: m(part.base),
    tax: m(part.tax),
    eur: part.eur === null ? null : m(part.eur, 'EUR'),
  });
const left = (entries: OssEntry[]) =>
  partsOf(entries).reduce(
    (sum, part) => ({ base: sum.base + part.base, tax: sum.tax + part.tax, eur: sum.eur + (part.eur ?? 0) }),
    { base: 0, tax: 0, eur: 0 },
  );

const sale = [entry('a', 10_000, 1900), entry('b', 5000, 350, { ratePpm: 70_000 }), entry('shipping:1', 1000, 190)];
const unit = (lineId: string, amount: number, tax: number) => ({
  lineId,
  quantity: 1,
  restock: false,
  restockUnshipped: 0,
  restockShipped: 0,
  amount,
  tax,
});

describe('corrections of a cross-border order', () => {
  it('take a refunded line at the tax that orders has refunded, at its own rate', () => {
    const parts = refundParts(sale, { lines: [unit('b', 2675, 175)], shipping: 0, amount: 2675 });
    expect(parts).toEqual([{ part: 'b', supplyType: 'goods', ratePpm: 70_000, base: -2500, tax: -175, eur: -500 }]);
  });

  it('take shipping from shipping, and a free amount in proportion', () => {
    expect(refundParts(sale, { lines: [], shipping: 595, amount: 595 })).toMatchObject([
      { part: 'shipping:1', base: -500, tax: -95 },
    ]);
    expect(refundParts(sale, { lines: [], shipping: 0, amount: 9220, overpaid: 9220 })).toEqual([]);
    const free = refundParts(sale, { lines: [], shipping: 0, amount: 9220 });
    expect(free.map((part) => [part.part, part.base, part.tax])).toEqual([
      ['a', -5000, -950],
      ['b', -2500, -175],
      ['shipping:1', -500, -95],
    ]);
  });

  it('never take what does not count', () => {
    const mixed = [entry('a', 10_000, 1900), entry('s', 10_000, 1900, { supplyType: 'other', eur: m(0, 'EUR') })];
    const parts = refundParts(mixed, { lines: [], shipping: 0, amount: 11_900 });
    expect(parts.map((part) => [part.supplyType, part.base, part.eur])).toEqual([
      ['goods', -5000, -1000],
      ['other', -5000, 0],
    ]);
  });

  it('leave exactly nothing after refunds in any pieces and a cancellation', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ kind: fc.constantFrom('free', 'shipping', 'a'), share: fc.integer({ min: 1, max: 60 }) }), {
          maxLength: 8,
        }),
        (changes) => {
          const entries = [...sale];
          for (const { kind, share } of changes) {
            const parts = partsOf(entries);
            const of = parts.filter(
              (part) => kind === 'free' || (kind === 'a' ? part.part === 'a' : part.part.startsWith('shipping:')),
            );
            const amount = Math.floor((of.reduce((sum, part) => sum + part.base + part.tax, 0) * share) / 100);
            const tax = Math.round((amount * 19) / 119);
            const corrections = refundParts(entries, {
              lines: kind === 'a' && amount > 0 ? [unit('a', amount, Math.min(tax, of[0]?.tax ?? 0))] : [],
              shipping: kind === 'shipping' ? amount : 0,
              amount,
            });
            expect(corrections.reduce((sum, part) => sum - part.base - part.tax, 0)).toBe(amount);
            entries.push(...corrections.map((part) => asEntry(part, 'refund')));
          }
          entries.push(...cancelParts(entries).map((part) => asEntry(part, 'cancel')));
          expect(left(entries)).toEqual({ base: 0, tax: 0, eur: 0 });
        },
      ),
    );
  });

  it('leave a sale uncounted as long as no exchange rate is known', () => {
    const waiting = [entry('a', 1000, 190, { eur: null })];
    expect(refundParts(waiting, { lines: [], shipping: 0, amount: 595 })[0]?.eur).toBeNull();
    expect(cancelParts(waiting)[0]?.eur).toBeNull();
  });
});

describe('edits of a cross-border order', () => {
  const line = (id: string, total: number, tax: number, ratePpm = 190_000) => ({
    id,
    total,
    tax,
    taxLines: [{ ratePpm, amount: tax, name: '' }],
  });

  it('record what changed, line by line, with delivery at the mix of its rates', () => {
    const { changes, recorded } = editParts(sale, {
      total: 23_800 + 2380,
      // a doubled, b gone, c new; delivery doubled.
      lines: [line('a', 23_800, 3800)],
    });
    expect(changes).toEqual([
      { part: 'a', supplyType: 'goods', ratePpm: 190_000, base: 10_000, tax: 1900 },
      { part: 'shipping:1', supplyType: 'goods', ratePpm: 190_000, base: 1000, tax: 190 },
      { part: 'b', supplyType: 'goods', ratePpm: 70_000, base: -5000, tax: -350 },
    ]);
    expect(withEur(changes, recorded, { base: 0, eur: null }).map((part) => part.eur)).toEqual([2000, 200, -1000]);
  });

  it('change nothing where nothing changed, refunds or not', () => {
    const same = { total: 18_440, lines: [line('a', 11_900, 1900), line('b', 5350, 350, 70_000)] };
    const refunded = [
      ...sale,
      ...refundParts(sale, { lines: [], shipping: 0, amount: 1000 }).map((part) => asEntry(part, 'refund')),
    ];
    expect(editParts(refunded, same).changes).toEqual([]);
  });

  it('record a whole order that moved here', () => {
    const { changes, recorded } = editParts([], { total: 13_090, lines: [line('a', 11_900, 1900)] });
    expect(changes.map((part) => [part.part, part.base, part.tax])).toEqual([
      ['a', 10_000, 1900],
      ['surcharge:edit', 1000, 190],
    ]);
    expect(countedBase(changes)).toBe(11_000);
    expect(withEur(changes, recorded, { base: 11_000, eur: 2200 }).map((part) => part.eur)).toEqual([2000, 200]);
    expect(withEur(changes, recorded, { base: 11_000, eur: null })[0]?.eur).toBeNull();
  });
});
