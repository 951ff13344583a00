import { inflateSync } from 'node:zlib';
import { orders } from '@storeloom/commerce';
import { sql } from '@storeloom/plugin-sdk';
import { civilDate } from '@storeloom/plugin-sdk/time';
import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { home, type Order, openShop, type Placed, paid, place, read, refundsEnd, variantId } from '../../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await openShop({ processes: 2 });
});
afterAll(() => shop?.stop());

interface Invoice {
  id: string;
  number: string;
  series: string;
  sequence: number;
  kind: string;
  orderId: string;
  originalInvoiceId: string | null;
  lines: { title: string; quantity: number | null; net: { amount: number } }[];
  taxSummary: { ratePpm: number; base: { amount: number }; tax: { amount: number } }[];
  roundingAmount: { amount: number };
  totals: Record<'net' | 'tax' | 'total' | 'paid' | 'amountDue', { amount: number }>;
  pdfUrl: string;
  code?: string;
}
const manual = (tenant = shop.a) => tenant.run('orders', (ctx) => ctx.saveSettings({ invoiceOn: 'manual' }));
const invoice = (orderId: string, more: object = {}, base = 0) =>
  shop.a.admin.at(shop.bases[base % 2] as string).post<Invoice>('/api/admin/invoices/', { orderId, ...more });
const of = async (orderId: string): Promise<Invoice[]> =>
  (await shop.a.admin.get<{ data: Invoice[] }>(`/api/admin/invoices/?orderId=${orderId}&sort=issuedAt`)).body.data;
const cart = {
  lines: [
    { price: 1000, quantity: 3 },
    { price: 350, rate: 11 },
  ],
};

describe('documents of an order', () => {
  it('the invoice is issued once, automatically after the payment, with the next number of its series', async () => {
    const placed = await paid(shop.b, cart);
    await shop.settled();
    const [row, ...others] = await shop.rows<{ number: string; kind: string }>(
      'select number, kind from orders_invoice where order_id = $1',
      [placed.id],
    );
    expect([row, others]).toEqual([{ number: 'INV-000001', kind: 'invoice' }, []]);
  });

  it('the invoice is issued after shipment, if configured', async () => {
    await shop.b.run('orders', (ctx) => ctx.saveSettings({ invoiceOn: 'shipped' }));
    const placed = await paid(shop.b, cart);
    await shop.settled();
    const count = async () => (await shop.rows('select from orders_invoice where order_id = $1', [placed.id])).length;
    expect(await count()).toBe(0);
    await shop.b.admin.post(`/api/admin/orders/${placed.id}/ship`, {});
    await shop.settled();
    expect(await count()).toBe(1);
  });

  it('an invoice issued by staff contains the amounts per rate, the amount paid and the PDF URL', async () => {
    await manual();
    const unpaid = await place(shop.a, cart);
    expect((await invoice(unpaid.id)).body).toMatchObject({ code: 'nothing_to_invoice' });
    expect((await invoice(unpaid.id, { kind: 'proforma' })).body).toMatchObject({
      kind: 'proforma',
      series: 'PF',
      totals: { paid: { amount: 0 } },
    });
    const placed = await paid(shop.a, cart);
    const answer = await invoice(placed.id);
    expect(answer.status).toBe(201);
    const { body } = answer;
    expect(body.totals.total.amount).toBe(placed.total);
    expect(body.totals).toMatchObject({ paid: { amount: placed.total }, amountDue: { amount: 0 } });
    expect(body.taxSummary.reduce((sum, row) => sum + row.base.amount + row.tax.amount, 0) + body.roundingAmount.amount).toBe(
      placed.total,
    );
    expect(body.taxSummary.map((row) => row.ratePpm)).toEqual([210_000, 110_000]);
    expect((await invoice(placed.id)).body).toMatchObject({
      code: 'nothing_to_invoice',
      detail: expect.stringContaining(body.number),
    });
    expect((await of(placed.id)).map((each) => each.id)).toEqual([body.id]);
    expect((await invoice(placed.id, { kind: 'invoice', refundId: placed.id })).status).toBe(422);
    expect((await invoice('0190a000-0000-7000-8000-000000000009')).status).toBe(404);
  });

  it('R3: an order rounded by line keeps its total; the invoice carries the difference', async () => {
    const placed = await paid(shop.a, {
      priceMode: 'net',
      noShipping: true,
      lines: Array.from({ length: 5 }, () => ({ price: 108, rate: 19 })),
    });
    expect(placed.total).toBe(5 * (108 + 21));
    const { body } = await invoice(placed.id);
    expect([body.totals.net.amount, body.totals.tax.amount, body.roundingAmount.amount, body.totals.total.amount]).toEqual([
      540, 103, 2, 645,
    ]);
  });

  it('P14, B25: 40 concurrent invoices, 10 of them rolled back, leave no gap and no duplicate', async () => {
    const series = 'GAP';
    const placed: Placed[] = [];
    for (let i = 0; i < 40; i++) placed.push(await paid(shop.a, { lines: [{ price: 100 }], noShipping: true }));
    const tries = await Promise.all(
      placed.map((order, i) =>
        i % 4 === 3
          ? shop.a
              .run('orders', async (ctx) => {
                const { issueInvoice } = await import('./invoice.ts');
                const { lockOrder } = await import('../lock.ts');
                await issueInvoice(ctx, await lockOrder(ctx, order.id), 'invoice', series);
                throw new Error('rolled back');
              })
              .catch((error: Error) => error.message)
          : invoice(order.id, { series }, i).then((answer) => answer.status),
      ),
    );
    expect(tries.filter((each) => each === 201)).toHaveLength(30);
    expect(tries.filter((each) => each === 'rolled back')).toHaveLength(10);
    const rows = await shop.rows<{ sequence: number }>(
      'select sequence from orders_invoice where tenant_id = $1 and series = $2 order by sequence',
      [shop.a.id, series],
    );
    expect(rows.map((row) => row.sequence)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  });

  it('a series can restart every year, and each shop has its own sequence', async () => {
    const [x, y] = [await paid(shop.a, cart), await paid(shop.a, cart)];
    // The new year starts earlier in the shop's time zone.
    const year = civilDate(shop.clock.now(), 'Europe/Bucharest').slice(0, 4);
    expect((await invoice(x.id, { series: 'F{YYYY}' })).body.number).toBe(`F${year}-000001`);
    expect((await invoice(y.id, { series: 'F{YYYY}' })).body.number).toBe(`F${year}-000002`);
    expect((await invoice(y.id, { series: 'no blanks' })).status).toBe(422);
  });

  it('are immutable after the issue', async () => {
    const placed = await paid(shop.a, cart);
    const { body } = await invoice(placed.id);
    await shop.a.admin.patch(`/api/admin/orders/${placed.id}/address`, { billingAddress: { ...home, lastName: 'Altul' } });
    expect((await of(placed.id))[0]).toEqual(body);
    await expect(shop.a.run('orders', (ctx) => ctx.db.run(sql`update orders_invoice set number = 'X'`))).rejects.toThrow(
      /permission denied/,
    );
    await expect(shop.a.run('orders', (ctx) => ctx.db.run(sql`delete from orders_invoice`))).rejects.toThrow(/permission denied/);
  });
});

describe('credit notes', () => {
  it('a succeeded refund has one that refers to its invoice', async () => {
    const placed = await paid(shop.a, cart);
    const made = (await invoice(placed.id)).body;
    const refund = await shop.a.admin.post<{ refund: { id: string; amount: { amount: number } } }>(
      `/api/admin/orders/${placed.id}/refund`,
      {
        reason: 'broken',
        lines: [{ lineId: placed.lineIds[0], quantity: 1 }],
      },
    );
    expect(await of(placed.id)).toHaveLength(1);
    await refundsEnd(shop.a, placed.id, 'succeeded');
    await shop.settled();
    const [, credit] = await of(placed.id);
    expect(credit).toMatchObject({
      kind: 'credit_note',
      originalInvoiceId: made.id,
      refundId: refund.body.refund.id,
      totals: { total: refund.body.refund.amount },
    });
    expect(credit?.lines).toMatchObject([{ quantity: 1 }]);
    expect((await invoice(placed.id, { kind: 'credit_note', refundId: refund.body.refund.id })).body).toMatchObject({
      code: 'credit_exceeds_invoice',
    });
    const rest = await invoice(placed.id, { kind: 'credit_note' });
    expect(rest.body.totals.total.amount).toBe(placed.total - refund.body.refund.amount.amount);
    expect((await invoice(placed.id, { kind: 'credit_note' })).body).toMatchObject({ code: 'credit_exceeds_invoice' });
  });

  it('a later refund of an edit’s price reduction isn’t credited again', async () => {
    const placed = await paid(shop.a, cart);
    await invoice(placed.id);
    const open = async () =>
      (await of(placed.id)).reduce((sum, each) => sum + (each.kind === 'credit_note' ? -1 : 1) * each.totals.total.amount, 0);
    const edited = await shop.a.admin.patch<{ order: Order; difference: { amount: number } }>(
      `/api/admin/orders/${placed.id}/edit`,
      { operations: [{ op: 'change_quantity', itemId: placed.lineIds[0], quantity: 1 }], refund: false },
    );
    const { amount: total } = edited.body.order.totals.total;
    expect(await open()).toBe(total);
    const refund = (amount: number) =>
      shop.a.admin.post(`/api/admin/orders/${placed.id}/refund`, { amount: { amount, currency: 'RON' }, reason: 'edit' });
    expect((await refund(-edited.body.difference.amount - 50)).status).toBe(200);
    await refundsEnd(shop.a, placed.id, 'succeeded');
    await shop.settled();
    expect(await open()).toBe(total);
    // Above the price reduction the refund returns money of the present total.
    expect((await refund(80)).status).toBe(200);
    await refundsEnd(shop.a, placed.id, 'succeeded');
    await shop.settled();
    expect(await open()).toBe(total - 30);
  });

  it('a cancelled order is fully credited in the same transaction', async () => {
    const placed = await paid(shop.a, cart);
    const made = (await invoice(placed.id)).body;
    await shop.a.admin.post(`/api/admin/orders/${placed.id}/status`, { status: 'cancelled', reason: 'x' });
    const [, credit] = await of(placed.id);
    expect(credit).toMatchObject({
      kind: 'credit_note',
      totals: { total: made.totals.total, net: made.totals.net, tax: made.totals.tax },
    });
    expect(credit?.lines.map((line) => line.net)).toEqual(made.lines.map((line) => line.net));
    await refundsEnd(shop.a, placed.id, 'succeeded');
    await shop.settled();
    expect(await of(placed.id)).toHaveLength(2);
  });

  it('an edit issues an invoice or a credit note for the difference', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, quantity: 3 }], noShipping: true });
    await invoice(placed.id);
    const edit = (operations: object[]) =>
      shop.a.admin.patch<{ order: Order }>(`/api/admin/orders/${placed.id}/edit`, { operations });
    await edit([
      { op: 'add_item', variantId: variantId(500, 11), quantity: 2 },
      { op: 'change_quantity', itemId: placed.lineIds[0], quantity: 1 },
    ]);
    const documents = await of(placed.id);
    const signed = documents.map((each) => (each.kind === 'credit_note' ? -1 : 1) * each.totals.total.amount);
    expect(signed.sort((a, b) => a - b)).toEqual([-2000, 1000, 3000]);
    expect((await read(shop.a, placed.id)).totals.total.amount).toBe(signed.reduce((a, b) => a + b, 0));
  });

  it('a submitted invoice locks address and lines', async () => {
    const placed = await paid(shop.a, cart);
    const { id } = (await invoice(placed.id)).body;
    await shop.a.run('orders', (ctx) => ctx.require(orders).setEfacturaStatus(id, 'sent', { locks: true }));
    expect((await of(placed.id))[0]).toMatchObject({ efacturaStatus: 'sent' });
    const edit = await shop.a.admin.patch(`/api/admin/orders/${placed.id}/edit`, {
      operations: [{ op: 'add_item', variantId: variantId(5), quantity: 1 }],
    });
    expect(edit.body).toMatchObject({ code: 'invoice_issued' });
    const address = await shop.a.admin.patch(`/api/admin/orders/${placed.id}/address`, {
      billingAddress: { ...home, city: 'Iași' },
    });
    expect(address.body).toMatchObject({ code: 'invoice_issued' });
    await shop.a.run('orders', (ctx) => ctx.require(orders).setEfacturaStatus(id, 'error', { locks: false }));
    expect(
      (await shop.a.admin.patch(`/api/admin/orders/${placed.id}/address`, { billingAddress: { ...home, city: 'Iași' } })).status,
    ).toBe(200);
  });
});

/** The text of a PDF, by its ToUnicode maps. */
function unicodeOf(pdf: Buffer): string {
  const found: string[] = [];
  for (let at = pdf.indexOf('stream\n'); at !== -1; at = pdf.indexOf('stream\n', at + 1)) {
    const end = pdf.indexOf('endstream', at);
    try {
      const text = inflateSync(pdf.subarray(at + 7, end)).toString('latin1');
      if (text.includes('begincmap'))
        found.push(
          ...[...text.matchAll(/<([0-9a-f]{4})>/gi)].map((match) =>
            String.fromCodePoint(Number.parseInt(match[1] as string, 16)),
          ),
        );
    } catch {
      // The stream isn't deflated.
    }
  }
  return found.join('');
}

describe('printed documents', () => {
  const bytes = async (path: string, client = shop.a.admin): Promise<{ status: number; type: string; content: Buffer }> => {
    const response = await fetch(`${client.base}${path}`, { headers: { ...client.headers, 'x-forwarded-host': client.host } });
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      content: Buffer.from(await response.arrayBuffer()),
    };
  };

  it('the PDF of an invoice is reproducible, in the buyer’s language, with diacritics', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, title: 'Cămașă în dungi țesută' }] });
    const made = (await invoice(placed.id)).body;
    const one = await bytes(made.pdfUrl);
    expect([one.status, one.type]).toEqual([200, 'application/pdf']);
    expect(one.content.subarray(0, 5).toString()).toBe('%PDF-');
    expect(one.content.includes('/Lang (ro)')).toBe(true);
    const letters = unicodeOf(one.content);
    for (const letter of 'ăâîșțȘȚ')
      if ('Ștefan Țăranu Cămașă în dungi țesută Factură Cumpărător'.includes(letter)) expect(letters, letter).toContain(letter);
    expect((await bytes(made.pdfUrl)).content.equals(one.content)).toBe(true);
  });

  it('long orders take several pages', async () => {
    const placed = await paid(shop.a, { lines: Array.from({ length: 80 }, (_, i) => ({ price: 100 + i })) });
    const made = (await invoice(placed.id)).body;
    const { content } = await bytes(made.pdfUrl);
    expect(content.toString('latin1').match(/\/Type \/Page\b(?!s)/g)?.length).toBeGreaterThan(2);
  });

  it('a packing slip lists the units of the parcel, without prices', async () => {
    const placed = await paid(shop.a, {
      lines: [
        { price: 1234, quantity: 3 },
        { price: 4321, title: '<b>Ceai</b>' },
      ],
    });
    const parcel = await shop.a.admin.post<{ id: string }>(`/api/admin/orders/${placed.id}/fulfillments`, {
      lines: [{ lineId: placed.lineIds[0], quantity: 2 }],
    });
    const slip = (query: string) => shop.a.admin.get(`/api/admin/orders/${placed.id}/packing-slip?format=html${query}`);
    const html = await slip('');
    expect(html.headers).toMatchObject({
      'content-type': expect.stringContaining('text/html'),
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect(html.text).toContain('SKU-1234');
    expect(html.text).not.toContain('SKU-4321');
    expect(html.text).not.toContain('12,34');
    expect(html.text).toContain('Ștefan Țăranu');
    expect((await slip(`&fulfillmentId=${parcel.body.id}&prices=true`)).text).toContain('12,34');
    expect((await slip(`&fulfillmentId=${placed.id}`)).status).toBe(404);
    expect((await slip('&format=xml')).status).toBe(400);
    await shop.a.admin.post(`/api/admin/orders/${placed.id}/ship`, { fulfillmentId: parcel.body.id });
    await shop.a.admin.post(`/api/admin/orders/${placed.id}/fulfillments`, {
      lines: [{ lineId: placed.lineIds[1], quantity: 1 }],
    });
    expect((await slip('')).text).toContain('&lt;b&gt;Ceai&lt;/b&gt;');
    expect((await bytes(`/api/admin/orders/${placed.id}/packing-slip`)).content.subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('a pick list sums the units to pick, with bundles as components', async () => {
    const children = [
      { variantId: variantId(77), quantity: 2, title: 'Parte', sku: 'PART-77', listPrice: 77, weightG: 1, ships: true },
    ];
    const one = await paid(shop.a, { lines: [{ price: 5555, quantity: 2, children }] });
    const two = await paid(shop.a, { lines: [{ price: 77, quantity: 3 }] });
    await shop.a.admin.post(`/api/admin/orders/${one.id}/fulfillments`, { lines: [{ lineId: one.lineIds[0], quantity: 1 }] });
    const list = await shop.a.admin.get(`/api/admin/orders/pick-list?format=html&orderIds=${one.id},${two.id}`);
    expect(list.status).toBe(200);
    expect(list.text).not.toContain('SKU-5555');
    const cells = [...list.text.matchAll(/<tr>(.*?)<\/tr>/g)].map((row) =>
      [...(row[1] as string).matchAll(/<td[^>]*>(.*?)<\/td>/g)].map((cell) => cell[1]),
    );
    const sum = cells.filter((row) => row.length > 0).reduce((total, row) => total + Number(row[3]), 0);
    expect(sum).toBe(2 * 2 + 3);
    expect((await shop.a.admin.get(`/api/admin/orders/pick-list?format=html&warehouseId=${one.id}`)).text).not.toContain('<td');
    expect((await shop.a.admin.get('/api/admin/orders/pick-list?orderIds=x')).status).toBe(400);
  });

  it('an invoice is sent as an attachment, once per idempotency key', async () => {
    const placed = await paid(shop.a, cart);
    const made = (await invoice(placed.id)).body;
    const send = (body: object, key: string) =>
      shop.a.admin.post(`/api/admin/invoices/${made.id}/send`, body, { 'idempotency-key': key });
    expect((await send({}, 'first-key-1')).body).toEqual({ status: 'accepted', to: 'ana@test.example' });
    expect((await send({}, 'first-key-1')).headers['idempotency-replayed']).toBe('true');
    expect((await send({ to: 'conta@test.example' }, 'second-key-2')).status).toBe(202);
    const mails = await shop.rows<{ recipient: string }>(
      "select recipient from core_mail where template = 'orders.invoice' and key like $1 order by created_at, id",
      [`%${made.id}%`],
    );
    expect(mails.map((mail) => mail.recipient)).toEqual(['ana@test.example', 'conta@test.example']);
    expect((await of(placed.id))[0]).toMatchObject({ sentAt: expect.any(String) });
  });
});
