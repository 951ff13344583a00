import { describe, expect, test } from 'vitest';
import cases from './fixtures/commerce.json' with { type: 'json' };
import {
  allocate,
  calculateTax,
  cashRound,
  constantNetPrice,
  convert,
  createSheet,
  formatMoney,
  invoiceFromOrder,
  money,
  mulDecimal,
  parseDecimal,
  previewRefund,
  rateSet,
  replay,
  type SheetContext,
  type SheetLine,
  type TaxRate,
  toDecimalString,
  unitShares,
} from './index.ts';

const source = { type: 'test', id: '1' };
const discount = { source, name: 'Discount' };
const net: SheetContext = { currency: 'EUR', priceMode: 'net' };
const gross: SheetContext = { currency: 'EUR', priceMode: 'gross' };

/** Rates by a category named after its percentage. */
function rates(...percents: number[]): Record<string, TaxRate[]> {
  return Object.fromEntries(percents.map((percent) => [String(percent), [{ ratePpm: percent * 10_000 }]]));
}

function line(id: string, quantity: number, unitPrice: number, percent: number, more: Partial<SheetLine> = {}): SheetLine {
  return { id, quantity, unitPrice, taxCategoryId: String(percent), ...more };
}

describe('cases/commerce.json', () => {
  for (const one of cases) {
    test(`${one.id} (${one.source})`, () => {
      const sheet = createSheet(
        { currency: one.currency, priceMode: one.priceMode as 'gross' | 'net' },
        one.lines.map((input, i) => ({
          id: `l${i}`,
          quantity: input.quantity,
          unitPrice: input.unitAmount,
          taxCategoryId: String(input.ratePpm),
        })),
      );
      for (const [i, input] of one.lines.entries()) {
        if (input.itemDiscount > 0)
          sheet.addDiscount({ ...discount, target: 'line', lineIds: [`l${i}`], amount: input.itemDiscount });
      }
      const shares = one.orderDiscounts.map((amount) => {
        const applied = sheet.addDiscount({ ...discount, target: 'order', amount });
        return one.lines.map((_, i) => applied.shares.find((share) => share.id === `l${i}`)?.amount ?? 0);
      });
      const ppms = one.lines.map((input) => input.ratePpm);
      if (one.shipping) {
        sheet.setShipping([
          { code: 'post', name: 'Post', amount: one.shipping.amount, taxCategoryId: String(one.shipping.ratePpm) },
        ]);
        ppms.push(one.shipping.ratePpm);
      }
      sheet.setTaxes(Object.fromEntries(ppms.map((ratePpm) => [String(ratePpm), [{ ratePpm }]])));
      const priced = sheet.finish();
      expect({
        discountShares: shares,
        lineTaxable: priced.lines.map((priced) => priced.lineSubtotal - priced.discountTotal),
        lineTax: priced.lines.map((priced) => priced.tax),
        shippingTax: priced.shippingLines.reduce((sum, shipping) => sum + shipping.tax, 0),
        taxTotal: priced.totals.taxTotal,
        total: priced.totals.total,
      }).toEqual(one.expect);
      expect(replay(priced.trace!)).toEqual(priced);
    });
  }
});

describe('tax', () => {
  test('C02 line and shipping, net and tax', () => {
    const sheet = createSheet(gross, [line('a', 1, 100, 20)]);
    sheet.setShipping([{ code: 'post', name: 'Post', amount: 500 }]);
    sheet.setTaxes(rates(20));
    const { lines, shippingLines, totals } = sheet.finish();
    expect([lines[0]?.net, lines[0]?.tax]).toEqual([83, 17]);
    expect([shippingLines[0]?.net, shippingLines[0]?.tax]).toEqual([417, 83]);
    expect(totals.total).toBe(600);
  });

  test.each([
    ['line', 386],
    ['unit', 387],
  ] as const)('C03 rounding level %s', (taxRoundingLevel, total) => {
    const sheet = createSheet({ ...net, taxRoundingLevel }, [line('a', 3, 108, 19)]);
    sheet.setTaxes(rates(19));
    expect(sheet.totals().total).toBe(total);
  });

  test('C05 rounded by unit it would be 2320', () => {
    const sheet = createSheet({ ...net, taxRoundingLevel: 'unit' }, [line('a', 10, 1010, 23)]);
    sheet.setTaxes(rates(23));
    expect(sheet.totals().taxTotal).toBe(2320);
  });

  test('C08 discounts, shipping and tax combined', () => {
    const amounts: [number, number][] = [
      [2000, 7],
      [3000, 19],
      [1000, 19],
      [500, 9],
      [800, 7],
      [1600, 19],
      [200, 19],
    ];
    const entries = amounts.map(([amount, percent], i) => ({
      id: String(i),
      amount,
      quantity: 1,
      set: rateSet([{ ratePpm: percent * 10_000 }]),
    }));
    const taxes = calculateTax(entries, { priceMode: 'gross', level: 'line' });
    expect(taxes.map((one) => one.tax)).toEqual([131, 479, 160, 41, 52, 255, 32]);
  });

  test('C09 two additive rates', () => {
    const sheet = createSheet(net, [{ id: 'a', quantity: 1, unitPrice: 2000, taxCategoryId: 'ny' }]);
    sheet.setShipping([{ code: 'post', name: 'Post', amount: 800 }]);
    sheet.setTaxes({
      ny: [
        { ratePpm: 50_000, name: 'State' },
        { ratePpm: 100_000, name: 'City' },
      ],
    });
    const { lines, shippingLines } = sheet.finish();
    expect(lines[0]?.taxLines.map((tax) => tax.amount)).toEqual([100, 200]);
    expect(lines[0]?.total).toBe(2300);
    expect(shippingLines[0]?.taxLines.map((tax) => tax.amount)).toEqual([40, 80]);
  });

  test.each([
    [[40_000], 5719],
    [[40_000, 45_000], 5966],
  ])('C10 rates %j', (ppms, total) => {
    const sheet = createSheet(net, [
      { id: 'a', quantity: 2, unitPrice: 1000, taxCategoryId: 'x' },
      { id: 'b', quantity: 1, unitPrice: 3499, taxCategoryId: 'x' },
    ]);
    sheet.setTaxes({ x: ppms.map((ratePpm) => ({ ratePpm })) });
    expect(sheet.totals().total).toBe(total);
  });

  test.each([
    [5106, 0, 4595, 460, 460, 6055],
    [5104, 0, 4594, 459, 459, 6053],
    [5104, 23, 4594, 459, 689, 6283],
  ])('C11, C12 shipping %i less 10 %%, item @%i', (amount, percent, discounted, shippingTax, taxTotal, total) => {
    const sheet = createSheet(net, [line('a', 1, 1000, percent)]);
    sheet.setShipping([{ code: 'post', name: 'Post', amount, taxCategoryId: '10' }]);
    sheet.addDiscount({ ...discount, target: 'shipping', percentBp: 1000 });
    sheet.setTaxes({ ...rates(10, 23), '0': [] });
    const { shippingLines, totals } = sheet.finish();
    expect(shippingLines[0]).toMatchObject({ net: discounted, tax: shippingTax });
    expect(totals).toMatchObject({ taxTotal, total });
  });

  test('C13 proportional shipping', () => {
    const sheet = createSheet(net, [line('a', 1, 1000, 7), line('b', 1, 2000, 19)]);
    sheet.setShipping([{ code: 'post', name: 'Post', amount: 600 }]);
    sheet.setTaxes(rates(7, 19));
    const groups = sheet.finish().shippingLines[0]?.taxGroups;
    expect(groups?.map(({ ratePpm, amount, tax }) => [ratePpm, amount, tax])).toEqual([
      [190_000, 400, 76],
      [70_000, 200, 14],
    ]);
  });

  test('C14 no goods at the standard rate', () => {
    const sheet = createSheet({ ...net, defaultTaxCategoryId: '19' }, [line('a', 3, 1000, 7)]);
    sheet.setShipping([{ code: 'post', name: 'Post', amount: 1000 }]);
    sheet.setTaxes(rates(7, 19));
    expect(sheet.finish().shippingLines[0]?.tax).toBe(70);
  });

  test.each([
    [2000, 7, 1869],
    [3000, 19, 2521],
    [1000, 19, 840],
  ])('C15 constant_net: %i with %i %% included, to a zone without tax', (price, percent, expected) => {
    expect(constantNetPrice(price, [{ ratePpm: percent * 10_000 }], [])).toBe(expected);
  });

  test('C16 untaxed surcharge', () => {
    const make = (context: SheetContext) => {
      const sheet = createSheet(context, [line('a', 2, 1000, 20), line('b', 1, 3499, 10)]);
      sheet.addSurcharge({ code: 'fee', name: 'Fee', amount: 240, of: 'payment', taxCategoryId: '0' });
      sheet.setTaxes({ ...rates(10, 20), '0': [] });
      return sheet.finish();
    };
    expect(make(net).totals.total).toBe(6489);
    const included = make(gross).totals;
    expect([included.total - included.taxTotal, included.total]).toEqual([5088, 5739]);
  });
});

describe('allocation and discounts', () => {
  test.each([
    [299, [4300, 1400, 2300], [161, 52, 86]],
    [299, [1000, 1000, 1000], [100, 100, 99]],
    [95, [10, 20, 10, 30, 50, 20, 10, 40], [5, 10, 5, 15, 25, 10, 5, 20]],
    [93, [10, 20, 10, 30, 50, 20, 10, 40], [5, 10, 5, 15, 24, 10, 5, 19]],
    [-300, [4000, 2000, 2000], [-150, -75, -75]],
    [40, [10, 0], [40, 0]],
    [77, [0, 0], [0, 0]],
  ])('C17 allocate %i over %j', (amount, weights, shares) => {
    expect(allocate(amount, weights)).toEqual(shares);
  });

  test('C20 an order discount leaves shipping alone', () => {
    const sheet = createSheet(gross, [line('a', 1, 10_000, 0)]);
    sheet.setShipping([{ code: 'post', name: 'Post', amount: 1000 }]);
    sheet.addDiscount({ ...discount, target: 'order', amount: 1000 });
    expect(sheet.totals()).toMatchObject({ total: 10_000, shipping: 1000, shippingDiscount: 0 });
  });

  test('C21 item and order percentage', () => {
    const sheet = createSheet(net, [line('a', 1, 155_880, 20)]);
    sheet.setTaxes(rates(20));
    sheet.addDiscount({ ...discount, target: 'line', lineIds: ['a'], percentBp: 1000 });
    expect([sheet.itemsTotal(), sheet.totals().total]).toEqual([140_292, 168_350]);
    sheet.addDiscount({ ...discount, target: 'order', percentBp: 1000 });
    expect([sheet.itemsTotal(), sheet.totals().total]).toEqual([126_263, 151_516]);
  });

  test('C27 fixed amounts across lines', () => {
    const shares = (amount: number, prices: number[]) => {
      const sheet = createSheet(
        gross,
        prices.map((price, i) => line(String(i), 1, price, 0)),
      );
      return sheet.addDiscount({ ...discount, target: 'line', amount }).shares.map((share) => share.amount);
    };
    expect(shares(400, [200, 600])).toEqual([100, 300]);
    expect(shares(3000, [5000, 15_000])).toEqual([750, 2250]);
    expect(shares(5000, [5000, 15_000])).toEqual([1250, 3750]);
  });

  test.each([
    [{ value: { amount: 1000 } }, 3900],
    [{ value: { amount: 1000 }, maxUnits: 5 }, 3360],
    [{ value: { amount: 1500 }, maxUnits: 1 }, 1395],
  ])('C28 each unit %j', (each, amount) => {
    const sheet = createSheet(gross, [line('a', 3, 1395, 0), line('b', 5, 180, 0)]);
    expect(sheet.addDiscount({ ...discount, target: 'line', each }).amount).toBe(amount);
  });

  test.each([[11], [3], [1]])('C29 fixed cart discount over %i lines', (lines) => {
    const sheet = createSheet(
      gross,
      Array.from({ length: lines }, (_, i) => line(String(i), lines === 1 ? 7 : 1, 1000, 0)),
    );
    const applied = sheet.addDiscount({ ...discount, target: 'order', amount: 1000 });
    expect(applied.shares.reduce((sum, share) => sum + share.amount, 0)).toBe(1000);
  });

  test.each([
    ['sequential', 700],
    ['parallel', 750],
  ] as const)('C30 percentages %s', (percentStacking, amount) => {
    const sheet = createSheet({ ...gross, percentStacking }, [line('a', 2, 1000, 0), line('b', 1, 500, 0)]);
    sheet.addDiscount({ ...discount, target: 'order', percentBp: 1000 });
    sheet.addDiscount({ ...discount, target: 'order', percentBp: 2000 });
    expect(sheet.totals().itemsDiscount).toBe(amount);
  });

  test('C31 the free units of buy 2 get 2', () => {
    const free = (lines: SheetLine[], quantity: number) => {
      const sheet = createSheet(gross, lines);
      let left = quantity;
      const units = sheet.units('least_expensive').map((run) => {
        const taken = Math.min(left, run.count);
        left -= taken;
        return { lineId: run.lineId, quantity: taken };
      });
      return sheet.addDiscount({
        ...discount,
        target: 'line',
        each: { value: { percentBp: 10_000 }, units, first: 'least_expensive' },
      }).amount;
    };
    expect(free([line('a', 4, 250, 0)], 2)).toBe(500);
    expect(
      free(
        [500, 500, 1000, 1000].map((price, i) => line(String(i), 1, price, 0)),
        2,
      ),
    ).toBe(1000);
  });

  test.each([
    [{ amount: 2000 }, [500, 1500], 5000],
    [{ percentBp: 2000 }, [500, 900], 5600],
  ])('C34 minimum price, order %j', (value, shares, total) => {
    const sheet = createSheet(gross, [line('shirt', 1, 5000, 0, { minPrice: 4500 }), line('mug', 1, 2000, 0)]);
    const applied = sheet.addDiscount({ ...discount, target: 'order', ...value });
    expect(applied.shares.map((share) => share.amount)).toEqual(shares);
    expect(sheet.totals().total).toBe(total);
  });

  test('C36 10 × 1 minor unit, 10 %', () => {
    const sheet = createSheet(gross, [line('a', 10, 1, 0)]);
    sheet.addDiscount({ ...discount, target: 'line', lineIds: ['a'], percentBp: 1000 });
    expect(sheet.totals().total).toBe(9);
  });
});

describe('currencies, cash, orders', () => {
  test('C39 yen have no decimals', () => {
    const sheet = createSheet({ currency: 'JPY', priceMode: 'net' }, [line('a', 1, 1127, 10), line('b', 6, 1000, 0)]);
    sheet.setTaxes(rates(0, 10));
    const order = sheet.finish();
    expect(order.lines[0]?.total).toBe(1240);
    const refund = previewRefund(order, { captured: 7240, refunded: 0, previous: [] }, { amount: 5800 });
    expect(money(refund.amount, 'JPY')).toEqual({ amount: 5800, currency: 'JPY' });
    expect(toDecimalString(money(refund.amount, 'JPY'))).toBe('5800');
  });

  test('C40 dinars have three', () => {
    const dinars = parseDecimal('1.255', 'KWD');
    expect(dinars).toEqual({ amount: 1255, currency: 'KWD' });
    expect(toDecimalString(dinars)).toBe('1.255');
    expect(formatMoney(dinars, 'en')).toContain('1.255');
  });

  test('C41 dollars to euros by the unit', () => {
    const unit = convert(money(5499, 'USD'), 'EUR', '0.86');
    expect(unit.amount).toBe(4729);
    expect(createSheet(gross, [line('a', 5, unit.amount, 0)]).totals().total).toBe(23_645);
  });

  test.each([
    [2500, 9458],
    [1000, 3783],
    [200, 757],
  ])('C42 %i × 3.783325', (amount, expected) => {
    expect(convert(money(amount, 'USD'), 'BRL', '3.783325').amount).toBe(expected);
    expect(mulDecimal(amount, '3.783325')).toBe(expected);
  });

  test('C43 a cart in the other currency', () => {
    const unit = convert(money(700, 'USD'), 'EUR', '0.9737');
    expect(unit.amount).toBe(682);
    expect(createSheet(gross, [line('a', 2, unit.amount, 0)]).totals().total).toBe(1364);
  });

  test.each([
    [1952, 5, 1950],
    [1953, 5, 1955],
    [1924, 50, 1900],
    [1925, 50, 1950],
    [1949, 100, 1900],
    [1950, 100, 2000],
  ])('C44 %i in steps of %i', (amount, step, rounded) => {
    expect(cashRound(amount, step)).toEqual({ rounded, difference: rounded - amount });
    const sheet = createSheet(gross, [line('a', 1, amount, 0)]);
    sheet.roundCash(step);
    expect(sheet.totals()).toMatchObject({ total: amount, cashRounding: rounded - amount, amountDue: rounded });
  });

  test('C45 refund unit by unit', () => {
    const sheet = createSheet(gross, [line('a', 3, 10_000, 0)]);
    sheet.addDiscount({ ...discount, target: 'order', amount: 1000 });
    const order = sheet.finish();
    const previous: ReturnType<typeof previewRefund>[] = [];
    let refunded = 0;
    const next = () => previewRefund(order, { captured: 29_000, refunded, previous }, { lines: [{ lineId: 'a', quantity: 1 }] });
    for (const expected of [9667, 9667, 9666]) {
      const refund = next();
      expect(refund.amount).toBe(expected);
      previous.push(refund);
      refunded += refund.amount;
    }
    expect(refunded).toBe(29_000);
    expect(next).toThrow(
      expect.objectContaining({ code: 'refund_exceeds_captured', extra: expect.objectContaining({ refundable: 0 }) }),
    );
    expect(unitShares(29_000, 3)).toEqual([9667, 9667, 9666]);
  });

  test('C46 full refund of a discounted line', () => {
    const sheet = createSheet(gross, [line('a', 10, 2390, 20)]);
    sheet.addDiscount({ ...discount, code: 'QUARTER', target: 'order', percentBp: 2500 });
    sheet.setTaxes(rates(20));
    const order = sheet.finish();
    expect(order.totals).toMatchObject({ total: 17_925, taxTotal: 2988 });
    const refund = previewRefund(
      order,
      { captured: 17_925, refunded: 0, previous: [] },
      { lines: [{ lineId: 'a', quantity: 10 }] },
    );
    expect(refund).toMatchObject({ amount: 17_925, tax: 2988, refundable: 0 });
    expect(invoiceFromOrder(order)).toMatchObject({ total: 17_925, tax: 2988, roundingAmount: 0 });
  });

  test('C54 tenders take no more than is due', () => {
    const sheet = createSheet(gross, [line('a', 1, 3500, 0)]);
    expect(sheet.addTender({ type: 'gift_card', reference: 'one', amount: 2000 })).toBe(2000);
    expect(sheet.addTender({ type: 'gift_card', reference: 'two', amount: 3000 })).toBe(1500);
    expect(sheet.totals().amountDue).toBe(0);
  });

  test('C61 order edit', () => {
    const sheet = createSheet(gross, [line('a', 1, 1200, 20), line('b', 1, 1200, 20)]);
    sheet.setTaxes(rates(20));
    expect(sheet.totals()).toMatchObject({ total: 2400, amountDue: 2400, taxTotal: 400 });
  });
});
