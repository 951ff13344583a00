import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cart, home, openShop, type Placed, paid, read, refundsEnd } from '../../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await openShop({ processes: 2 });
  for (const tenant of [shop.a, shop.b]) await tenant.run('orders', (ctx) => ctx.saveSettings({ invoiceOn: 'paid' }));
});
afterAll(() => shop?.stop());

interface Document {
  id: string;
  kind: 'invoice' | 'credit_note';
  originalInvoiceId: string | null;
  taxSummary: { ratePpm: number; base: { amount: number }; tax: { amount: number } }[];
  roundingAmount: { amount: number };
  totals: Record<'net' | 'tax' | 'total', { amount: number }>;
  lines: { net: { amount: number }; tax: { amount: number } }[];
}
type Rates = Record<number, [base: number, tax: number]>;

const documentsOf = async (order: Placed): Promise<Document[]> =>
  (await shop.a.admin.get<{ data: Document[] }>(`/api/admin/invoices/?orderId=${order.id}&limit=100`)).body.data;

const rows = (documents: readonly Document[]) =>
  documents.flatMap(({ kind, taxSummary }) =>
    taxSummary.map((row) => ({
      row,
      base: row.base.amount * (kind === 'invoice' ? 1 : -1),
      tax: row.tax.amount * (kind === 'invoice' ? 1 : -1),
    })),
  );
function open(documents: readonly Document[]): { total: number; rates: Rates } {
  const rates: Rates = {};
  for (const { row, base, tax } of rows(documents)) {
    const [b, t] = rates[row.ratePpm] ?? [0, 0];
    rates[row.ratePpm] = [b + base, t + tax];
  }
  const total = documents.reduce((sum, { kind, totals }) => sum + (kind === 'invoice' ? 1 : -1) * totals.total.amount, 0);
  return { total, rates };
}

/** Checks that no invoice is credited above its amounts, in total and at each rate, and returns what is open of all of them. */
async function balance(order: Placed): Promise<{ total: number; rates: Rates }> {
  const documents = await documentsOf(order);
  for (const { totals, roundingAmount, lines } of documents) {
    expect(totals.net.amount + totals.tax.amount + roundingAmount.amount).toBe(totals.total.amount);
    expect(lines.reduce((sum, { net }) => sum + net.amount, 0)).toBe(totals.net.amount);
    expect(lines.reduce((sum, { tax }) => sum + tax.amount, 0)).toBe(totals.tax.amount);
  }
  for (const { id } of documents.filter(({ kind }) => kind === 'invoice')) {
    const { total, rates } = open(documents.filter((each) => each.id === id || each.originalInvoiceId === id));
    expect(total).toBeGreaterThanOrEqual(0);
    for (const [base, tax] of Object.values(rates)) {
      expect(base).toBeGreaterThanOrEqual(0);
      expect(tax).toBeGreaterThanOrEqual(0);
    }
  }
  return open(documents);
}

const api = (base = 0) => shop.a.admin.at(shop.bases[base] as string);
const edit = (order: Placed, operations: object[], base = 0) =>
  api(base).patch(`/api/admin/orders/${order.id}/edit`, { operations });
const remove = (order: Placed, line: number) => edit(order, [{ op: 'remove_item', itemId: order.lineIds[line] }]);
const surcharge = (order: Placed) =>
  edit(order, [{ op: 'add_surcharge', name: 'Express', amount: { amount: 500, currency: 'RON' } }]);
const refund = (order: Placed, amount: number, method = 'manual', base = 0) =>
  api(base).post(`/api/admin/orders/${order.id}/refund`, { amount: { amount, currency: 'RON' }, reason: 'delay', method });
const abroad = (order: Placed, country = 'HU') =>
  api().patch(`/api/admin/orders/${order.id}/address`, { shippingAddress: { ...home, country } });
const cancel = (order: Placed) => api().post(`/api/admin/orders/${order.id}/status`, { status: 'cancelled', reason: 'x' });
const ok = async (call: Promise<{ status: number; text: string }>): Promise<void> => {
  const { status, text } = await call;
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
};
const settle = async (order: Placed): Promise<void> => {
  await refundsEnd(shop.a, order.id, 'succeeded');
  await shop.settled();
};

/** 10.00 at 21 %, 40.00 at 11 % and shipping of 15.00 at both, with its invoice. */
const mixed: Cart = { lines: [{ price: 1000 }, { price: 4000, rate: 11 }] };
async function invoiced(cart: Cart = mixed): Promise<Placed> {
  const order = await paid(shop.a, cart);
  await shop.settled();
  expect(await documentsOf(order)).toHaveLength(1);
  return order;
}
const zero = { 210000: [0, 0], 110000: [0, 0] };

describe('documents of an order that is refunded and edited', () => {
  it('credits no more at a rate than is invoiced, when a line is removed after a refund by amount', async () => {
    const order = await invoiced();
    await ok(refund(order, 2000));
    await ok(remove(order, 0));
    await settle(order);
    expect(await balance(order)).toEqual({ total: 3500, rates: { 210000: [0, 0], 110000: [3153, 347] } });
    expect(await read(shop.a, order.id)).toMatchObject({ captured: { amount: 6500 }, refunded: { amount: 3000 } });
  });

  it('does the same when the refund is confirmed after the edit', async () => {
    const order = await invoiced();
    await ok(refund(order, 2000, 'original'));
    await ok(remove(order, 0));
    expect(await balance(order)).toMatchObject({ total: 5500, rates: { 210000: [0, 0] } });
    await settle(order);
    expect(await balance(order)).toEqual({ total: 3500, rates: { 210000: [0, 0], 110000: [3153, 347] } });
  });

  it('leaves nothing at a rate whose last line is removed, in spite of rounded discounts', async () => {
    const lines = [333, 777, 1111].map((price) => ({ price }));
    const order = await invoiced({ lines: [...lines, { price: 4999, rate: 11 }], codes: ['HALF'], noShipping: true });
    for (const line of [0, 1, 2]) await ok(remove(order, line));
    await settle(order);
    expect(await balance(order)).toMatchObject({ total: 2500, rates: { 210000: [0, 0] } });
  });

  it('credits a cancelled order completely at each rate after any edits', async () => {
    const steps = { abroad, surcharge, removeFirst: (o: Placed) => remove(o, 0), removeSecond: (o: Placed) => remove(o, 1) };
    const sequences: (keyof typeof steps)[][] = [
      [],
      ['abroad'],
      ['removeSecond'],
      ['abroad', 'removeSecond'],
      ['abroad', 'removeFirst'],
      ['surcharge', 'removeSecond'],
      ['abroad', 'surcharge', 'removeSecond'],
      ['removeFirst', 'surcharge', 'abroad'],
    ];
    for (const sequence of sequences) {
      const order = await invoiced();
      for (const step of sequence) {
        await ok(steps[step](order));
        const { totals } = await read(shop.a, order.id);
        expect([sequence, (await balance(order)).total]).toEqual([sequence, totals.total.amount]);
      }
      await ok(cancel(order));
      await settle(order);
      expect([sequence, await balance(order)]).toEqual([sequence, { total: 0, rates: zero }]);
    }
  });

  it('keeps documents within the invoices in random sequences of refunds and edits, and ends at zero', async () => {
    for (let seed = 1; seed <= 16; seed++) {
      let state = seed * 7919;
      const roll = (n: number): number => {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
        return Math.floor((state / 2_147_483_648) * n);
      };
      const order = await invoiced({
        lines: [
          { price: 999, quantity: 3 },
          { price: 433, quantity: 2 },
          { price: 4007, rate: 11, quantity: 2 },
        ],
        ...(seed % 2 ? { priceMode: 'net' as const } : {}),
        ...(seed % 3 ? {} : { level: 'rate_group' as const }),
        ...(seed % 4 ? {} : { codes: ['HALF'] }),
      });
      for (let step = 0; step < 6; step++) {
        const now = await read(shop.a, order.id);
        const line = now.lines[roll(now.lines.length)];
        const kind = roll(6);
        const answer = await (kind === 0
          ? refund(order, 1 + roll(2500), roll(2) ? 'manual' : 'original')
          : kind === 1
            ? api().post(`/api/admin/orders/${order.id}/refund`, {
                reason: 'x',
                method: 'manual',
                lines: [{ lineId: line?.id, quantity: 1 }],
              })
            : kind === 2
              ? edit(order, [{ op: 'remove_item', itemId: line?.id }])
              : kind === 3
                ? edit(order, [{ op: 'change_quantity', itemId: line?.id, quantity: 1 + roll(4) }])
                : kind === 4
                  ? abroad(order, ['HU', 'RO', 'DE', 'CH'][roll(4)])
                  : surcharge(order));
        expect([200, 404, 409, 422], `${seed} ${answer.text}`).toContain(answer.status);
        if (roll(2)) await settle(order);
        await balance(order);
      }
      await settle(order);
      await balance(order);
      await ok(cancel(order));
      await settle(order);
      const { total, rates } = await balance(order);
      expect([
        seed,
        total,
        Object.values(rates)
          .flat()
          .every((each) => each === 0),
        rates,
      ]).toEqual([seed, 0, true, rates]);
    }
  });

  it('stays within the invoices when refunds and edits race in two processes', async () => {
    for (let round = 0; round < 4; round++) {
      const order = await invoiced({
        lines: [
          { price: 1000, quantity: 2 },
          { price: 4000, rate: 11 },
        ],
      });
      await Promise.all([
        refund(order, 2000, 'manual', 0),
        refund(order, 1500, 'manual', 1),
        edit(order, [{ op: 'remove_item', itemId: order.lineIds[0] }], 1),
        edit(order, [{ op: 'change_quantity', itemId: order.lineIds[1], quantity: 2 }], 0),
        refund(order, 700, 'original', 1),
      ]);
      await settle(order);
      await balance(order);
      await ok(cancel(order));
      await settle(order);
      expect(await balance(order)).toEqual({ total: 0, rates: zero });
    }
  });
});
