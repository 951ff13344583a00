import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  constantNetPrice,
  createSheet,
  type DiscountValue,
  invoiceFromOrder,
  isMoney,
  type PricedSheet,
  previewRefund,
  replay,
  type Sheet,
  type SheetContext,
  type SheetLine,
  type ShippingInput,
  type SurchargeInput,
  type TaxRate,
  type TenderInput,
  tierFor,
  wireTaxSummary,
  wireTotals,
} from './index.ts';

const rates: Record<string, TaxRate[]> = {
  high: [{ ratePpm: 210_000, name: 'VAT' }],
  low: [{ ratePpm: 110_000, name: 'VAT' }],
  zero: [{ ratePpm: 0, categoryCode: 'E' }],
  two: [{ ratePpm: 50_000 }, { ratePpm: 88_750 }],
  compound: [{ ratePpm: 50_000 }, { ratePpm: 99_750, compound: true }],
};
const categories = Object.keys(rates);

interface Cart {
  context: SheetContext;
  lines: SheetLine[];
  discounts: ({ target: 'line' | 'order'; picks: number[] | null; maxDiscount: number | null } & { value: DiscountValue })[];
  shipping: ShippingInput[];
  shippingOff: DiscountValue | null;
  surcharges: SurchargeInput[];
  tenders: TenderInput[];
  cashStep: number | null;
}

const amount = fc.oneof(fc.constant(0), fc.nat({ max: 300 }), fc.nat({ max: 500_000 }));
const bp = fc.oneof(fc.constantFrom(0, 1, 3333, 5000, 10_000), fc.nat({ max: 10_000 }));

const context = fc.record({
  currency: fc.constantFrom('EUR', 'JPY', 'KWD'),
  priceMode: fc.constantFrom('gross' as const, 'net' as const),
  taxRoundingLevel: fc.constantFrom('line' as const, 'unit' as const, 'rate_group' as const),
  shippingTaxMode: fc.constantFrom('proportional' as const, 'highest_rate' as const, 'fixed_category' as const),
  shippingTaxCategoryId: fc.constantFrom('high', 'low'),
  defaultTaxCategoryId: fc.constant('high'),
  percentStacking: fc.constantFrom('sequential' as const, 'parallel' as const),
});

const lines = fc
  .array(
    fc.record({
      quantity: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 400 })),
      unitPrice: amount,
      listPrice: amount,
      minPrice: fc.oneof(fc.constant(0), amount),
      taxCategoryId: fc.constantFrom(...categories),
      ships: fc.boolean(),
      locked: fc.oneof({ arbitrary: fc.constant(false), weight: 4 }, { arbitrary: fc.constant(true), weight: 1 }),
    }),
    { maxLength: 7 },
  )
  .map((all) => all.map((line, i): SheetLine => ({ id: `line-${i}`, ...line })));

const unitValue = fc.oneof(fc.record({ amount }), fc.record({ percentBp: bp }), fc.record({ price: amount }));
const value: fc.Arbitrary<DiscountValue> = fc.oneof(
  fc.record({ amount }),
  fc.record({ percentBp: bp }),
  fc.record({ percentBp: bp, across: fc.constant(true) }),
  fc.record({
    each: fc.record(
      {
        value: unitValue,
        maxUnits: fc.nat({ max: 20 }),
        first: fc.constantFrom('most_expensive' as const, 'least_expensive' as const),
      },
      { requiredKeys: ['value'] },
    ),
  }),
);

const cart: fc.Arbitrary<Cart> = fc.record({
  context,
  lines,
  discounts: fc.array(
    fc.record({
      target: fc.constantFrom('line' as const, 'order' as const),
      picks: fc.option(fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 3 })),
      maxDiscount: fc.option(amount),
      value,
    }),
    { maxLength: 5 },
  ),
  shipping: fc.array(
    fc.record(
      { code: fc.constant('post'), name: fc.constant('Post'), amount, taxCategoryId: fc.constantFrom(...categories) },
      { requiredKeys: ['code', 'name', 'amount'] },
    ),
    { maxLength: 2 },
  ),
  shippingOff: fc.option(fc.oneof(fc.record({ amount }), fc.record({ percentBp: bp }))),
  surcharges: fc.array(
    fc.record(
      {
        code: fc.constant('fee'),
        name: fc.constant('Fee'),
        amount,
        of: fc.constant('payment' as const),
        taxCategoryId: fc.constantFrom(...categories),
      },
      { requiredKeys: ['code', 'name', 'amount', 'of'] },
    ),
    { maxLength: 2 },
  ),
  tenders: fc.array(fc.record({ type: fc.constant('gift_card'), reference: fc.constant('card'), amount }), { maxLength: 2 }),
  cashStep: fc.option(fc.constantFrom(5, 10, 100)),
});

const head = { source: { type: 'test', id: '1' }, name: 'Discount' };

/** Everything up to the taxes; `order` is the order of the lines. */
function build(one: Cart, order: SheetLine[] = one.lines, withRates = rates): Sheet {
  const sheet = createSheet(one.context, order);
  for (const { target, picks, maxDiscount, value } of one.discounts) {
    const ids = picks?.map((pick) => one.lines[pick]?.id).filter((id) => id !== undefined);
    sheet.addDiscount({
      ...head,
      target,
      ...value,
      ...(ids?.length ? { lineIds: ids } : {}),
      ...(maxDiscount === null ? {} : { maxDiscount }),
    });
  }
  sheet.setShipping(one.shipping);
  if (one.shippingOff) sheet.addDiscount({ ...head, target: 'shipping', ...one.shippingOff });
  for (const surcharge of one.surcharges) sheet.addSurcharge(surcharge);
  sheet.setTaxes(withRates);
  return sheet;
}

function settle(one: Cart, sheet: Sheet): PricedSheet {
  if (one.cashStep !== null) sheet.roundCash(one.cashStep);
  for (const tender of one.tenders) sheet.addTender(tender);
  return sheet.finish();
}

function sum<T>(all: readonly T[], member: (one: T) => number): number {
  return all.reduce((total, one) => total + member(one), 0);
}

function allPriced(priced: PricedSheet) {
  return [...priced.lines, ...priced.shippingLines, ...priced.surcharges];
}

const runs = { numRuns: 400 };

describe('properties over random carts', () => {
  test('P1 totals are the sum of their parts', () => {
    fc.assert(
      fc.property(cart, (one) => {
        const priced = settle(one, build(one));
        const { totals } = priced;
        const net = one.context.priceMode === 'net';
        for (const part of allPriced(priced)) {
          expect(part.total).toBe(part.lineSubtotal - part.discountTotal + (net ? part.tax : 0));
          expect(part.net + part.tax).toBe(part.total);
          expect(sum(part.taxLines, (tax) => tax.amount)).toBe(part.tax);
          expect(sum(part.discounts, (discount) => discount.amount)).toBe(part.discountTotal);
        }
        expect(totals.total).toBe(sum(allPriced(priced), (part) => part.total));
        const { itemsSubtotal, itemsDiscount, shipping, shippingDiscount, surcharges, taxTotal } = totals;
        expect(totals.total).toBe(
          itemsSubtotal - itemsDiscount + shipping - shippingDiscount + surcharges + (net ? taxTotal : 0),
        );
        expect(itemsSubtotal).toBe(sum(one.lines, (line) => line.unitPrice * line.quantity));
        const paid = sum(totals.tenders, (tender) => tender.amount);
        expect(totals.amountDue).toBe(totals.total + totals.cashRounding - paid);
      }),
      runs,
    );
  });

  test('P2 the tax summary is the tax of everything', () => {
    fc.assert(
      fc.property(cart, (one) => {
        const priced = settle(one, build(one));
        const tax = sum(priced.taxSummary, (row) => row.tax);
        expect(tax).toBe(sum(allPriced(priced), (part) => part.tax));
        expect(tax).toBe(priced.totals.taxTotal);
        expect(tax + sum(priced.taxSummary, (row) => row.base)).toBe(priced.totals.total);
        const keys = priced.taxSummary.map((row) => `${row.ratePpm} ${row.categoryCode}`);
        expect(new Set(keys).size).toBe(keys.length);
      }),
      runs,
    );
  });

  test('P3 shares add up to their discount, none above its line or its minimum price', () => {
    fc.assert(
      fc.property(cart, (one) => {
        const priced = settle(one, build(one));
        for (const discount of priced.discounts) expect(sum(discount.shares, (share) => share.amount)).toBe(discount.amount);
        for (const [i, line] of priced.lines.entries()) {
          const input = one.lines[i]!;
          const floor = Math.min(line.lineSubtotal, (input.minPrice ?? 0) * input.quantity);
          expect(line.lineSubtotal - line.discountTotal).toBeGreaterThanOrEqual(floor);
          const shares = priced.discounts.flatMap((discount) => discount.shares).filter((share) => share.id === line.id);
          expect(sum(shares, (share) => share.amount)).toBe(line.discountTotal);
        }
        for (const part of allPriced(priced)) expect(part.net).toBeGreaterThanOrEqual(0);
        const { tenders, cashRounding, ...amounts } = priced.totals;
        for (const total of Object.values(amounts)) expect(total).toBeGreaterThanOrEqual(0);
        expect(sum(tenders, (tender) => tender.amount)).toBeLessThanOrEqual(priced.totals.total + cashRounding);
      }),
      runs,
    );
  });

  test('P4 recalculating, also after changing the address and back, returns the first result', () => {
    fc.assert(
      fc.property(cart, (one) => {
        const abroad = { ...rates, high: [{ ratePpm: 255_000 }], low: [], two: [{ ratePpm: 170_000 }] };
        const sheet = build(one);
        const first = sheet.finish();
        sheet.setTaxes(abroad);
        sheet.finish();
        sheet.setTaxes(rates);
        const { trace: _, ...again } = sheet.finish();
        const { trace, ...before } = first;
        expect(again).toEqual(before);
        expect(build(one).finish()).toEqual({ ...before, trace });
      }),
      runs,
    );
  });

  test('P4 the order of the lines changes no total', () => {
    const ordered = fc.record({ one: cart, seed: fc.array(fc.nat(), { minLength: 7, maxLength: 7 }) });
    fc.assert(
      fc.property(ordered, ({ one, seed }) => {
        // What counts on single lines comes first, as in the pipeline: a tie of an order discount must not change its base.
        const byLine = one.discounts.filter(({ target, value }) => target === 'line' && 'percentBp' in value && !value.across);
        const byOrder = one.discounts
          .filter(({ target, value }) => target === 'order' && !('each' in value))
          .map((all) => ({ ...all, picks: null }));
        const shuffled = one.lines.map((line, i) => ({ line, key: seed[i]! })).sort((a, b) => a.key - b.key);
        const other = shuffled.map(({ line }) => line);
        const totals = (discounts: Cart['discounts'], order: SheetLine[]) => build({ ...one, discounts }, order).finish();

        // Without order discounts nothing can tie: every figure is the same.
        const single = byLine.filter(({ maxDiscount }) => maxDiscount === null);
        const [a, b] = [totals(single, one.lines), totals(single, other)];
        expect(b.taxSummary).toEqual(a.taxSummary);
        expect(b.totals).toEqual(a.totals);

        // With them a cent may go to another line, and in net mode to another rate; the sums stay.
        const [c, d] = [totals([...byLine, ...byOrder], one.lines).totals, totals([...byLine, ...byOrder], other).totals];
        expect(d).toMatchObject({
          itemsSubtotal: c.itemsSubtotal,
          itemsDiscount: c.itemsDiscount,
          shipping: c.shipping,
          surcharges: c.surcharges,
        });
        if (one.context.priceMode === 'gross') expect(d.total).toBe(c.total);
        else expect(Math.abs(d.taxTotal - c.taxTotal)).toBeLessThanOrEqual(2 * (one.lines.length + 4));
      }),
      runs,
    );
  });

  test('P5 a line at 0 and a discount of 0 change nothing', () => {
    fc.assert(
      fc.property(cart, fc.nat(), fc.constantFrom(...categories), (one, at, taxCategoryId) => {
        const free: SheetLine = { id: 'free', quantity: 3, unitPrice: 0, taxCategoryId };
        const order = [...one.lines];
        order.splice(at % (order.length + 1), 0, free);
        const zero = { target: 'order' as const, picks: null, maxDiscount: null, value: { percentBp: 0 } };
        const before = build(one).finish();
        const after = build({ ...one, discounts: [zero, ...one.discounts, zero] }, order).finish();
        expect(after.totals).toEqual(before.totals);
        expect(after.lines.filter((line) => line.id !== 'free')).toEqual(before.lines);
        if (before.totals.total > 0) expect(after.taxSummary).toEqual(before.taxSummary);
      }),
      runs,
    );
  });

  test('P5 a larger quantity never costs less', () => {
    fc.assert(
      fc.property(cart, fc.nat(), fc.integer({ min: 1, max: 5 }), (one, at, more) => {
        fc.pre(one.lines.length > 0);
        const discounts = one.discounts
          .filter(({ value }) => !('each' in value))
          .map((all) => ({ ...all, target: 'order' as const, picks: null }));
        const context = { ...one.context, priceMode: 'gross' as const, percentStacking: 'sequential' as const };
        const bigger = one.lines.map((line, i) =>
          i === at % one.lines.length ? { ...line, quantity: line.quantity + more } : line,
        );
        const total = (lines: SheetLine[]) => build({ ...one, context, discounts }, lines).totals().total;
        expect(total(bigger)).toBeGreaterThanOrEqual(total(one.lines));
      }),
      runs,
    );
  });

  test('P19 every amount is an integer in a known currency, and survives JSON', () => {
    fc.assert(
      fc.property(cart, (one) => {
        const priced = settle(one, build(one));
        const totals = wireTotals(priced.totals, priced.currency);
        const { tenders, ...amounts } = totals;
        for (const money of [...Object.values(amounts), ...tenders.map((tender) => tender.amount)])
          expect(isMoney(money)).toBe(true);
        for (const row of wireTaxSummary(priced.taxSummary, priced.currency))
          expect([isMoney(row.base), isMoney(row.tax)]).toEqual([true, true]);
        expect(JSON.parse(JSON.stringify(priced))).toEqual(priced);
        JSON.stringify(priced, (key, member) => {
          if (typeof member === 'number' && (!Number.isSafeInteger(member) || Object.is(member, -0)))
            throw new Error(`${key} is ${member}`);
          return member;
        });
      }),
      runs,
    );
  });

  test('R18 the trace replays byte for byte, and a changed one is rejected', () => {
    fc.assert(
      fc.property(cart, amount, (one, captured) => {
        const sheet = build(one);
        if (one.cashStep !== null) sheet.roundCash(one.cashStep);
        for (const tender of one.tenders) sheet.addTender(tender);
        const priced = sheet.finish({ captured });
        const stored = JSON.parse(JSON.stringify(priced.trace));
        expect(JSON.stringify(replay(stored))).toBe(JSON.stringify(priced));
        stored.totals.total += 1;
        expect(() => replay(stored)).toThrow('the trace does not follow from its inputs');
      }),
      runs,
    );
  });

  test('a fork is equal and independent', () => {
    fc.assert(
      fc.property(cart, (one) => {
        const sheet = build(one);
        const before = sheet.finish();
        const fork = sheet.fork();
        expect(fork.finish()).toEqual(before);
        const preview = fork.preview({ ...head, target: 'order', percentBp: 5000 });
        expect(fork.addDiscount({ ...head, target: 'order', percentBp: 5000 })).toEqual(preview);
        expect(sheet.finish()).toEqual(before);
      }),
      runs,
    );
  });
});

describe('properties of refunds and invoices', () => {
  const parts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 6 });

  test('P9 refunds of units in any sequence add up to the paid amount and its tax', () => {
    fc.assert(
      fc.property(cart, parts, (one, sizes) => {
        const order = build(one).finish();
        const captured = order.totals.total;
        const previous: ReturnType<typeof previewRefund>[] = [];
        const refund = (selection: Parameters<typeof previewRefund>[2], worth: number) => {
          if (worth === 0) return;
          previous.push(previewRefund(order, { captured, refunded: sum(previous, (one) => one.amount), previous }, selection));
        };
        for (const line of order.lines) {
          let left = line.quantity;
          for (let i = 0; left > 0 && i < 40; i++) {
            const quantity = i === 39 ? left : Math.min(left, sizes[i % sizes.length]!);
            const paid = sum(
              previous.flatMap((one) => one.lines).filter((one) => one.lineId === line.id),
              (one) => one.amount,
            );
            // Units that were paid nothing can't be refunded alone.
            const rest = line.total - paid;
            if (rest === 0) break;
            if (Math.floor(rest / left) === 0) {
              refund({ lines: [{ lineId: line.id, quantity: left }] }, rest);
              left = 0;
            } else {
              refund({ lines: [{ lineId: line.id, quantity }] }, 1);
              left -= quantity;
            }
          }
        }
        const shipping = sum(order.shippingLines, (line) => line.total);
        refund({ lines: [], shipping: Math.floor(shipping / 3) }, Math.floor(shipping / 3));
        refund({ lines: [], shipping: shipping - Math.floor(shipping / 3) }, shipping);
        const goods = [...order.lines, ...order.shippingLines];
        expect(sum(previous, (one) => one.amount)).toBe(sum(goods, (line) => line.total));
        expect(sum(previous, (one) => one.tax)).toBe(
          sum(
            goods.filter((line) => line.total > 0),
            (line) => line.tax,
          ),
        );
        const left = captured - sum(previous, (one) => one.amount);
        refund({ amount: left }, left);
        expect(sum(previous, (one) => one.amount)).toBe(captured);
        expect(sum(previous, (one) => one.tax)).toBe(order.totals.taxTotal);
        expect(() => refund({ amount: 1 }, 1)).toThrow('at most 0 can be refunded');
      }),
      runs,
    );
  });

  test('R3 an invoice adds up to its order, without rounding in gross mode and at rate_group', () => {
    fc.assert(
      fc.property(cart, (one) => {
        const order = build(one).finish();
        const invoice = invoiceFromOrder(order);
        expect(invoice.net + invoice.tax + invoice.roundingAmount).toBe(order.totals.total);
        for (const row of invoice.taxSummary) {
          const lines = invoice.lines.filter((line) => line.ratePpm === row.ratePpm && line.categoryCode === row.categoryCode);
          expect([sum(lines, (line) => line.net), sum(lines, (line) => line.tax)]).toEqual([row.base, row.tax]);
        }
        if (one.context.priceMode === 'gross' || one.context.taxRoundingLevel === 'rate_group')
          expect(invoice.roundingAmount).toBe(0);
        if (one.context.taxRoundingLevel === 'rate_group') expect(invoice.taxSummary).toEqual(order.taxSummary);
      }),
      runs,
    );
  });
});

describe('properties of prices', () => {
  test('P24 a tier depends on the quantity alone and its price falls with it', () => {
    const tiers = fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 6 }).map((mins) => {
      const sorted = [...mins].sort((a, b) => a - b);
      return sorted.map((min, i) => ({ min, price: 1000 - 50 * i }));
    });
    fc.assert(
      fc.property(tiers, fc.nat({ max: 60 }), fc.nat({ max: 60 }), fc.integer({ min: 0, max: 5 }), (table, a, b, turn) => {
        const mixed = [...table.slice(turn), ...table.slice(0, turn)];
        const price = (quantity: number) => tierFor(mixed, quantity)?.price ?? 1001;
        expect(price(a)).toBe(tierFor(table, a)?.price ?? 1001);
        expect(price(Math.max(a, b))).toBeLessThanOrEqual(price(Math.min(a, b)));
      }),
    );
  });

  test('R9 the same country twice gives the catalogue price again', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10_000_000 }), fc.nat({ max: 300_000 }), fc.nat({ max: 300_000 }), (gross, home, abroad) => {
        const origin = [{ ratePpm: home }];
        const there = constantNetPrice(gross, origin, [{ ratePpm: abroad }]);
        expect(Math.abs(constantNetPrice(gross, origin, origin) - gross)).toBeLessThanOrEqual(1);
        expect(constantNetPrice(gross, origin, [{ ratePpm: abroad }])).toBe(there);
      }),
    );
  });
});
