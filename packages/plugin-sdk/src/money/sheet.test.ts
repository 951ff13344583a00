import { describe, expect, test } from 'vitest';
import {
  createSheet,
  type DiscountInput,
  type DiscountValue,
  maxAmount,
  money,
  replay,
  type SheetContext,
  type SheetLine,
  type Trace,
  wirePriceBreakdown,
  wireTaxSummary,
  wireTotals,
} from './index.ts';

const invalid = expect.objectContaining({ code: 'money_invalid' });
const gross: SheetContext = { currency: 'RON', priceMode: 'gross', defaultTaxCategoryId: 'standard' };
const rates = { standard: [{ ratePpm: 210_000, name: 'TVA' }], reduced: [{ ratePpm: 110_000 }] };
const source = { type: 'promotions.promotion', id: 'p1' };

function discount(value: DiscountValue, more: Partial<DiscountInput> = {}): DiscountInput {
  return { source, name: 'Ten', target: 'order', ...more, ...value } as DiscountInput;
}

function lines(...prices: number[]): SheetLine[] {
  return prices.map((unitPrice, i) => ({ id: `l${i + 1}`, quantity: 1, unitPrice }));
}

describe('a whole cart', () => {
  const cart = () => {
    const sheet = createSheet(gross, [
      { id: 'l1', quantity: 2, unitPrice: 5000, listPrice: 6000 },
      { id: 'l2', quantity: 1, unitPrice: 2000, taxCategoryId: 'reduced' },
    ]);
    sheet.addDiscount(discount({ percentBp: 1000 }, { code: 'TEN' }));
    sheet.setShipping([{ id: 's1', code: 'post', name: { ro: 'Poșta', en: 'Post' }, methodId: 'm1', amount: 1500 }]);
    sheet.addDiscount(discount({ amount: 500 }, { target: 'shipping', source: { type: 'promotions.promotion', id: 'p2' } }));
    sheet.addSurcharge({ code: 'cod', name: 'Cash on delivery', amount: 300, of: 'shipping' });
    sheet.setTaxes(rates);
    sheet.addTender({ type: 'gift_card', reference: '••••1234', amount: 2000 });
    return sheet;
  };

  test('has the totals of the API', () => {
    const { trace, ...priced } = cart().finish({ captured: 1000 });
    expect(trace?.version).toBe(1);
    expect(priced).toMatchObject({
      currency: 'RON',
      priceMode: 'gross',
      discounts: [
        {
          source,
          code: 'TEN',
          target: 'order',
          amount: 1200,
          shares: [
            { id: 'l1', amount: 1000 },
            { id: 'l2', amount: 200 },
          ],
        },
        { target: 'shipping', code: null, amount: 500, shares: [{ id: 's1', amount: 500 }] },
      ],
      totals: {
        itemsSubtotal: 12_000,
        itemsDiscount: 1200,
        shipping: 1500,
        shippingDiscount: 500,
        surcharges: 300,
        taxTotal: 1950,
        total: 12_100,
        cashRounding: 0,
        tenders: [{ type: 'gift_card', reference: '••••1234', amount: 2000 }],
        amountDue: 9100,
      },
      taxSummary: [
        { ratePpm: 210_000, categoryCode: 'S', base: 8333, tax: 1750 },
        { ratePpm: 110_000, categoryCode: 'S', base: 1817, tax: 200 },
      ],
    });
    expect(priced.lines[0]).toEqual({
      id: 'l1',
      quantity: 2,
      unitPrice: 5000,
      listPrice: 6000,
      lineSubtotal: 10_000,
      discounts: [{ source, code: 'TEN', name: 'Ten', amount: 1000 }],
      discountTotal: 1000,
      taxLines: [{ ratePpm: 210_000, name: 'TVA', amount: 1562 }],
      tax: 1562,
      total: 9000,
      net: 7438,
      taxGroups: [{ ratePpm: 210_000, categoryCode: 'S', rates: rates.standard, amount: 9000, base: 7438, tax: 1562 }],
    });
    // 1000 by weights 9000 and 1800: 833 and 167.
    expect(priced.shippingLines[0]).toMatchObject({
      id: 's1',
      code: 'post',
      name: { ro: 'Poșta', en: 'Post' },
      methodId: 'm1',
      lineSubtotal: 1500,
      discountTotal: 500,
      taxLines: [
        { ratePpm: 210_000, amount: 145 },
        { ratePpm: 110_000, amount: 17 },
      ],
      tax: 162,
      total: 1000,
    });
    expect(priced.surcharges[0]).toMatchObject({ id: 'surcharge:1', code: 'cod', of: 'shipping', tax: 48, total: 300 });
  });

  test('on the wire', () => {
    const priced = cart().finish();
    expect(wireTotals(priced.totals, 'RON')).toMatchObject({
      total: money(12_100, 'RON'),
      tenders: [{ type: 'gift_card', amount: money(2000, 'RON') }],
    });
    expect(wirePriceBreakdown(priced.lines[0]!, 'RON')).toEqual({
      lineSubtotal: money(10_000, 'RON'),
      discountTotal: money(1000, 'RON'),
      taxLines: [{ ratePpm: 210_000, amount: money(1562, 'RON') }],
      tax: money(1562, 'RON'),
      total: money(9000, 'RON'),
    });
    const [row] = wireTaxSummary(priced.taxSummary, 'RON');
    expect(row).toEqual({
      ratePpm: 210_000,
      categoryCode: 'S',
      base: money(priced.taxSummary[0]!.base, 'RON'),
      tax: money(priced.taxSummary[0]!.tax, 'RON'),
    });
  });

  test('finish returns an independent calculation each time', () => {
    const sheet = cart();
    const first = sheet.finish();
    const copy = structuredClone(first);
    first.lines[0]!.total = 0;
    first.lines[0]!.discounts[0]!.source.id = 'changed';
    first.discounts[0]!.shares[0]!.amount = 0;
    first.totals.tenders[0]!.amount = 0;
    expect(sheet.finish()).toEqual(copy);
  });
});

describe('discounts', () => {
  test('are visible to the next call', () => {
    const sheet = createSheet(gross, lines(1000, 3000));
    sheet.addDiscount(discount({ amount: 400 }));
    expect(sheet.lines().map((line) => line.running)).toEqual([900, 2700]);
    expect([sheet.itemsTotal(), sheet.itemsTotal(['l2'])]).toEqual([3600, 2700]);
    expect(sheet.addDiscount(discount({ percentBp: 5000 }, { lineIds: ['l2'] })).shares).toEqual([{ id: 'l2', amount: 1350 }]);
  });

  test('one percentage of several lines: rounds each line, or the sum', () => {
    const byLine = createSheet(gross, lines(5, 5, 5));
    expect(byLine.addDiscount(discount({ percentBp: 1000 }, { target: 'line' })).amount).toBe(3);
    const across = createSheet(gross, lines(5, 5, 5));
    expect(across.addDiscount(discount({ percentBp: 1000, across: true }, { target: 'line' })).shares).toEqual([
      { id: 'l1', amount: 1 },
      { id: 'l2', amount: 1 },
    ]);
  });

  test('parallel percentages never exceed the price', () => {
    const sheet = createSheet({ ...gross, percentStacking: 'parallel' }, lines(1000, 500));
    sheet.addDiscount(discount({ percentBp: 8000 }));
    expect(sheet.addDiscount(discount({ percentBp: 8000 })).shares).toEqual([
      { id: 'l1', amount: 200 },
      { id: 'l2', amount: 100 },
    ]);
    expect(sheet.itemsTotal()).toBe(0);
  });

  test('parallel percentages see fixed discounts', () => {
    const sheet = createSheet({ ...gross, percentStacking: 'parallel' }, lines(1000));
    sheet.addDiscount(discount({ amount: 200 }));
    sheet.addDiscount(discount({ percentBp: 1000 }));
    expect(sheet.addDiscount(discount({ percentBp: 1000 })).amount).toBe(80);
  });

  test('a maximum discount', () => {
    expect(createSheet(gross, lines(1000, 3000)).addDiscount(discount({ percentBp: 5000 }, { maxDiscount: 100 })).shares).toEqual(
      [
        { id: 'l1', amount: 25 },
        { id: 'l2', amount: 75 },
      ],
    );
    const byLine = createSheet(gross, lines(1000, 3000));
    expect(byLine.addDiscount(discount({ percentBp: 5000 }, { target: 'line', maxDiscount: 100 })).amount).toBe(100);
    expect(createSheet(gross, lines(1000)).addDiscount(discount({ amount: 500 }, { maxDiscount: 0 })).amount).toBe(0);
  });

  test('fixed price of a unit', () => {
    const sheet = createSheet(gross, [
      { id: 'a', quantity: 3, unitPrice: 1000 },
      { id: 'b', quantity: 1, unitPrice: 500 },
    ]);
    const applied = sheet.addDiscount(discount({ each: { value: { price: 700 } } }, { target: 'line' }));
    expect(applied.shares).toEqual([{ id: 'a', amount: 900 }]);
  });

  test('only the selected units of a line', () => {
    const sheet = createSheet(gross, [
      { id: 'a', quantity: 3, unitPrice: 1000 },
      { id: 'b', quantity: 3, unitPrice: 500 },
    ]);
    const units = [{ lineId: 'b', quantity: 2 }];
    expect(sheet.addDiscount(discount({ each: { value: { percentBp: 10_000 }, units } }, { target: 'line' })).shares).toEqual([
      { id: 'b', amount: 1000 },
    ]);
  });

  test('free units do not use up a discount', () => {
    const sheet = createSheet(gross, [
      { id: 'gift', quantity: 2, unitPrice: 0 },
      { id: 'b', quantity: 2, unitPrice: 500 },
    ]);
    expect(sheet.units('least_expensive')).toEqual([{ lineId: 'b', amount: 500, count: 2 }]);
    const each = { value: { percentBp: 10_000 }, maxUnits: 1, first: 'least_expensive' as const };
    expect(sheet.addDiscount(discount({ each }, { target: 'line' })).amount).toBe(500);
  });

  test('units of a discounted line are worth their shares', () => {
    const sheet = createSheet(gross, [{ id: 'a', quantity: 3, unitPrice: 10_000 }]);
    sheet.addDiscount(discount({ amount: 1000 }));
    expect(sheet.units('most_expensive')).toEqual([
      { lineId: 'a', amount: 9667, count: 2 },
      { lineId: 'a', amount: 9666, count: 1 },
    ]);
  });

  test('a discount of single units leaves the others as they were', () => {
    const sheet = createSheet(gross, [{ id: 'a', quantity: 3, unitPrice: 1000 }]);
    const free = { value: { percentBp: 10_000 }, units: [{ lineId: 'a', quantity: 1 }] };
    const bought = [{ lineId: 'a', quantity: 1 }];
    expect(sheet.addDiscount(discount({ each: free }, { target: 'line', bought })).amount).toBe(1000);
    // One unit is free, one paid for it: one is left for another set.
    expect(sheet.units('least_expensive')).toEqual([{ lineId: 'a', amount: 1000, count: 1 }]);
    const half = { value: { percentBp: 5000 }, maxUnits: 1 };
    expect(sheet.addDiscount(discount({ each: half }, { target: 'line' })).amount).toBe(500);
    expect(sheet.addDiscount(discount({ each: free }, { target: 'line', bought })).amount).toBe(1000);
    expect(sheet.units('least_expensive')).toEqual([]);
    expect(sheet.finish().totals.total).toBe(500);
  });

  test('a discount of the line is spread over its units by what each costs', () => {
    const sheet = createSheet(gross, [{ id: 'a', quantity: 2, unitPrice: 1000 }]);
    sheet.addDiscount(discount({ each: { value: { price: 500 }, maxUnits: 1 } }, { target: 'line' }));
    sheet.addDiscount(discount({ amount: 300 }));
    expect(sheet.units('most_expensive').map(({ amount }) => amount)).toEqual([800, 400]);
  });

  test('the minimum price bounds each unit', () => {
    const sheet = createSheet(gross, [{ id: 'a', quantity: 3, unitPrice: 1000, minPrice: 900 }]);
    const free = discount({ each: { value: { percentBp: 10_000 }, maxUnits: 1 } }, { target: 'line' });
    expect(sheet.addDiscount(free).amount).toBe(100);
    expect(sheet.lines()[0]).toMatchObject({ running: 2900, room: 200 });
  });

  test('the minimum price bounds each kind', () => {
    const line: SheetLine = { id: 'a', quantity: 2, unitPrice: 1000, minPrice: 900 };
    const values: DiscountValue[] = [{ amount: 5000 }, { percentBp: 5000 }, { each: { value: { amount: 500 } } }];
    for (const value of values) {
      expect(createSheet(gross, [line]).addDiscount(discount(value)).amount).toBe(200);
      expect(createSheet(gross, [line]).addDiscount(discount(value, { target: 'line' })).amount).toBe(200);
    }
    expect(createSheet(gross, [{ ...line, minPrice: 1200 }]).addDiscount(discount({ amount: 5000 })).amount).toBe(0);
  });

  test('fixed shares stay as they are, down to 0', () => {
    const sheet = createSheet(gross, [{ id: 'a', quantity: 1, unitPrice: 1000, minPrice: 900 }, ...lines(500)]);
    const shares = [
      { lineId: 'a', amount: 300 },
      { lineId: 'l1', amount: 700 },
    ];
    expect(sheet.addDiscount(discount({ shares })).shares).toEqual([
      { id: 'a', amount: 300 },
      { id: 'l1', amount: 500 },
    ]);
  });

  test('skip locked lines unless selected', () => {
    const sheet = createSheet(gross, [{ id: 'quoted', quantity: 1, unitPrice: 1000, locked: true }, ...lines(1000)]);
    expect(sheet.addDiscount(discount({ amount: 100 })).shares).toEqual([{ id: 'l1', amount: 100 }]);
    expect(sheet.addDiscount(discount({ percentBp: 1000 }, { lineIds: ['quoted'] })).shares).toEqual([
      { id: 'quoted', amount: 100 },
    ]);
  });

  test('shipping discounts follow the shipping lines', () => {
    const sheet = createSheet(gross, lines(1000));
    expect(sheet.addDiscount(discount({ amount: 100 }, { target: 'shipping' })).amount).toBe(0);
    const two = createSheet(gross, lines(1000));
    two.setShipping([
      { code: 'a', name: 'A', amount: 100 },
      { code: 'b', name: 'B', amount: 300 },
    ]);
    expect(two.addDiscount(discount({ amount: 200 }, { target: 'shipping' })).shares).toEqual([
      { id: 'shipping:1', amount: 50 },
      { id: 'shipping:2', amount: 150 },
    ]);
    expect(two.addDiscount(discount({ percentBp: 10_000 }, { target: 'shipping' })).amount).toBe(200);
    expect(two.shippingTotal()).toBe(0);
    expect(() => two.setShipping([])).toThrow('shipping is already discounted');
  });

  test('reject invalid input', () => {
    const sheet = createSheet(gross, lines(1000));
    const before = sheet.finish();
    expect(() => sheet.addDiscount(discount({ amount: -1 }))).toThrow(invalid);
    expect(() => sheet.addDiscount(discount({ amount: 0.5 }))).toThrow(invalid);
    expect(() => sheet.addDiscount(discount({ percentBp: 10_001 }))).toThrow(RangeError);
    expect(() => sheet.addDiscount(discount({ amount: 1 }, { lineIds: ['other'] }))).toThrow('the sheet has no line other');
    expect(() => sheet.addDiscount(discount({ amount: 1, percentBp: 1 } as DiscountValue))).toThrow(RangeError);
    expect(() => sheet.addDiscount(discount({} as DiscountValue))).toThrow(RangeError);
    expect(() => sheet.addDiscount(discount({ shares: [{ lineId: 'l1', amount: -5 }] }))).toThrow(invalid);
    expect(() => sheet.addDiscount(discount({ each: { value: { price: -5 } } }))).toThrow(invalid);
    expect(() => sheet.addDiscount(discount({ each: { value: { amount: 1 }, maxUnits: 0.5 } }))).toThrow(RangeError);
    const units = [{ lineId: 'l1', quantity: -1 }];
    expect(() => sheet.addDiscount(discount({ each: { value: { amount: 1 }, units } }))).toThrow(RangeError);
    expect(sheet.finish()).toEqual(before);
  });
});

describe('taxes', () => {
  test('without rates nothing is taxed, and the summary has one row at 0', () => {
    const priced = createSheet(gross, lines(1000, 500)).finish();
    expect(priced.taxSummary).toEqual([{ ratePpm: 0, categoryCode: 'O', base: 1500, tax: 0 }]);
    expect(priced.lines[0]).toMatchObject({ taxLines: [], tax: 0, total: 1000 });
  });

  test('a category without rates is an error', () => {
    const sheet = createSheet(gross, [{ id: 'a', quantity: 1, unitPrice: 1000, taxCategoryId: 'toString' }]);
    sheet.setTaxes(rates);
    expect(() => sheet.totals()).toThrow('no tax rates for category toString');
  });

  test('the categories it needs', () => {
    const sheet = createSheet({ ...gross, shippingTaxCategoryId: 'post' }, [
      { id: 'a', quantity: 1, unitPrice: 1, taxCategoryId: 'reduced' },
      { id: 'b', quantity: 1, unitPrice: 1 },
    ]);
    sheet.addSurcharge({ code: 'x', name: 'X', amount: 1, of: 'payment', taxCategoryId: 'fees' });
    expect(sheet.taxCategoryIds().sort()).toEqual(['fees', 'post', 'reduced', 'standard']);
  });

  test('lines that are not delivered do not count for shipping tax', () => {
    const sheet = createSheet(gross, [
      { id: 'a', quantity: 1, unitPrice: 1000, taxCategoryId: 'reduced' },
      { id: 'b', quantity: 1, unitPrice: 9000, ships: false },
    ]);
    sheet.setShipping([{ code: 'post', name: 'Post', amount: 1110 }]);
    sheet.setTaxes(rates);
    expect(sheet.finish().shippingLines[0]?.taxLines).toEqual([{ ratePpm: 110_000, name: null, amount: 110 }]);
  });

  test('shipping in a fixed category, and the category of a method', () => {
    const context: SheetContext = { ...gross, shippingTaxMode: 'fixed_category', shippingTaxCategoryId: 'reduced' };
    const sheet = createSheet(context, lines(1000));
    sheet.setShipping([
      { code: 'a', name: 'A', amount: 1110 },
      { code: 'b', name: 'B', amount: 1210, taxCategoryId: 'standard' },
    ]);
    sheet.setTaxes(rates);
    expect(sheet.finish().shippingLines.map((line) => line.tax)).toEqual([110, 210]);
  });
});

describe('settling', () => {
  test('tenders pay at most what is due', () => {
    const sheet = createSheet(gross, lines(1000));
    expect(sheet.addTender({ type: 'gift_card', amount: 300 })).toBe(300);
    expect(sheet.due()).toBe(700);
    expect(sheet.addTender({ type: 'store_credit', amount: 5000 })).toBe(700);
    expect(sheet.addTender({ type: 'loyalty_points', amount: 5 })).toBe(0);
    expect(sheet.totals().tenders.map((tender) => tender.amount)).toEqual([300, 700]);
    expect(() => sheet.addTender({ type: 'gift_card', amount: -1 })).toThrow(invalid);
  });

  test('cash rounding of all, or of the cash part', () => {
    const all = createSheet(gross, lines(1952));
    expect(all.roundCash(5)).toBe(-2);
    expect(all.totals()).toMatchObject({ total: 1952, cashRounding: -2, amountDue: 1950 });
    const part = createSheet(gross, lines(1953));
    expect(part.roundCash(5, 953)).toBe(2);
    expect(part.due()).toBe(1955);
    expect(() => part.roundCash(0)).toThrow(RangeError);
  });

  test('a refund does not raise what is due', () => {
    expect(createSheet(gross, lines(1000)).totals(1500).amountDue).toBe(0);
    expect(() => createSheet(gross, lines(1000)).totals(-1)).toThrow(invalid);
  });

  test('prices are final after a tender', () => {
    const sheet = createSheet(gross, lines(1000));
    sheet.addTender({ type: 'gift_card', amount: 1 });
    expect(() => sheet.addDiscount(discount({ amount: 1 }))).toThrow('prices are final');
    expect(() => sheet.setShipping([])).toThrow('prices are final');
    expect(() => sheet.setTaxes(rates)).toThrow('prices are final');
    expect(() => sheet.addSurcharge({ code: 'x', name: 'X', amount: 1, of: 'payment' })).toThrow('prices are final');
    expect(() => sheet.fork().addDiscount(discount({ amount: 1 }))).toThrow('prices are final');
  });
});

describe('rejected input', () => {
  test.each([
    [{ unitPrice: -1 }, invalid],
    [{ unitPrice: 0.5 }, invalid],
    [{ unitPrice: maxAmount, quantity: 2 }, invalid],
    [{ minPrice: -1 }, invalid],
    [{ listPrice: -1 }, invalid],
    [{ listPrice: maxAmount, quantity: 2 }, invalid],
    [{ quantity: 0 }, expect.any(RangeError)],
    [{ quantity: 1.5 }, expect.any(RangeError)],
  ])('a line with %j', (more, error) => {
    expect(() => createSheet(gross, [{ id: 'a', quantity: 1, unitPrice: 1, ...more }])).toThrow(error);
  });

  test('a total out of bounds, an unknown currency, a duplicate id', () => {
    const sheet = createSheet(gross, lines(maxAmount, 1));
    expect(() => sheet.totals()).toThrow(invalid);
    expect(() => createSheet({ ...gross, currency: 'LEI' }, [])).toThrow(invalid);
    expect(() => createSheet(gross, [...lines(1), ...lines(1)])).toThrow('the id l1 is duplicated');
    const charges = createSheet(gross, []);
    expect(() => charges.addSurcharge({ code: 'x', name: 'X', amount: -1, of: 'payment' })).toThrow(invalid);
    expect(() =>
      charges.setShipping([
        { id: 's', code: 'x', name: 'X', amount: 1 },
        { id: 's', code: 'y', name: 'Y', amount: 1 },
      ]),
    ).toThrow(RangeError);
  });

  test('an empty sheet is worth nothing', () => {
    expect(createSheet(gross, []).finish()).toMatchObject({ totals: { total: 0, amountDue: 0 }, taxSummary: [] });
  });
});

describe('R18 trace', () => {
  const full = () => {
    const sheet = createSheet(gross, [
      { id: 'a', quantity: 1, unitPrice: 5000, minPrice: 4500 },
      { id: 'b', quantity: 1, unitPrice: 2000, taxCategoryId: 'reduced' },
    ]);
    sheet.addDiscount(discount({ percentBp: 2000 }));
    sheet.setShipping([{ code: 'post', name: 'Post', amount: 1000 }]);
    sheet.setTaxes(rates);
    return sheet;
  };

  test('names rule, base, rate, rounding and shares', () => {
    const trace = full().finish().trace!;
    expect(trace.steps[0]).toEqual({
      op: 'discount',
      input: discount({ percentBp: 2000 }),
      rule: 'R5',
      base: 7000,
      requested: 1400,
      amount: 1400,
      rounding: '0',
      lines: [
        { id: 'a', weight: 5000, room: 500, amount: 500 },
        { id: 'b', weight: 2000, room: 2000, amount: 900 },
      ],
    });
    expect(trace.splits).toEqual([
      {
        rule: 'R10',
        id: 'shipping:1',
        mode: 'proportional',
        base: 1000,
        groups: [
          { ratePpm: 210_000, categoryCode: 'S', weight: 4500, amount: 804 },
          { ratePpm: 110_000, categoryCode: 'S', weight: 1100, amount: 196 },
        ],
      },
    ]);
    expect(trace.taxes[0]).toMatchObject({
      rule: 'R3',
      ids: ['a'],
      base: 4500,
      rate: '210000/1210000',
      rounding: '1/121',
      tax: 781,
    });
  });

  test('contains only what the calculation needs', () => {
    const context = { ...gross, email: 'buyer@example.com', customer: { id: 'c1' } };
    const line = { id: 'a', quantity: 1, unitPrice: 1000, title: 'Secret title', facts: { cost: 1 } };
    const sheet = createSheet(context, [line]);
    const richer = { ...discount({ amount: 1 }), customerEmail: 'buyer@example.com' };
    sheet.addDiscount(richer);
    const text = JSON.stringify(sheet.finish());
    for (const secret of ['buyer@example.com', 'Secret title', 'cost', 'c1']) expect(text).not.toContain(secret);
  });

  test('does not change with its inputs', () => {
    const context = { ...gross };
    const line = { id: 'a', quantity: 1, unitPrice: 1000 };
    const input = discount({ amount: 100 }, { lineIds: ['a'] });
    const table = { standard: [{ ratePpm: 210_000 }] };
    const sheet = createSheet(context, [line]);
    sheet.addDiscount(input);
    sheet.setTaxes(table);
    const before = JSON.stringify(sheet.finish());
    context.priceMode = 'net';
    line.unitPrice = 1;
    Object.assign(input, { amount: 900 });
    (input.lineIds as string[]).push('b');
    table.standard[0]!.ratePpm = 0;
    expect(JSON.stringify(sheet.finish())).toBe(before);
  });

  test('can be omitted', () => {
    const sheet = createSheet({ ...gross, trace: false }, lines(1000));
    sheet.addDiscount(discount({ amount: 1 }));
    expect(sheet.finish().trace).toBeNull();
  });

  test.each<[string, (trace: Trace) => void]>([
    ['a share', (trace) => Object.assign(trace.steps[0]!, { amount: 1 })],
    ['a tax', (trace) => Object.assign(trace.taxes[0]!, { tax: 1 })],
    ['a price', (trace) => Object.assign(trace.lines[0]!, { unitPrice: 1 })],
  ])('with %s changed is refused', (_, change) => {
    const trace = structuredClone(full().finish().trace!);
    change(trace);
    expect(() => replay(trace)).toThrow('the trace does not follow from its inputs');
  });

  test('of another version is rejected', () => {
    const trace = { ...full().finish().trace!, version: 2 };
    expect(() => replay(trace as unknown as Trace)).toThrow("a trace of version 2 can't be replayed");
  });
});
