import { customers } from '@storeloom/commerce';
import { sql, uuidv7 } from '@storeloom/plugin-sdk';
import type { TestClient, TestShop, TestTenant } from '@storeloom/testing';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formulas } from '../../../packages/plugin-sdk/test/formulas.ts';
import { strictCsv } from '../../../packages/plugin-sdk/test/strict-csv.ts';
import { address, cartOf, type Json, openStore, place, product } from '../../promotions/test/store.ts';

/** Texts that a spreadsheet would run, in every member that takes a text: none is raw in an export, and an import has them again. */
let shop: TestShop;
beforeAll(async () => {
  shop = await openStore({ plugins: ['data-exchange'] });
});
afterAll(() => shop?.stop());

const csv = async (tenant: TestTenant, what: string): Promise<string> => {
  const answer = await tenant.admin.get(`/api/admin/export/${what}.csv`);
  expect(answer.status, answer.text).toBe(200);
  return answer.text;
};
/** Returns the formulas that a reader could see, with any separator, with or without support for quotes. */
const rawCells = (text: string): string[] =>
  text
    .split(/[,;|\t\r\n"]/)
    .map((cell) => cell.replace(/^[\s\uFEFF]+/, ''))
    .filter((cell) => /^[=+\-@＝＋－＠]/.test(cell) && !/^[+-]?\d[\d., ]*$/.test(cell));
const load = async (tenant: TestTenant, content: string, type: string): Promise<Json> => {
  const report = await tenant.admin.call<Json>('POST', '/api/admin/import/products', { raw: { content, type } });
  expect(report.status, report.text).toBe(200);
  return report.body;
};

it('products: none is raw, and another shop has every value unchanged', async () => {
  const items = formulas.map((text, i) => ({
    slug: `formula-${i}`,
    status: 'active',
    type: 'service',
    title: { ro: text, en: `${text} ` },
    description: { ro: `<p>${text.replaceAll('<', '')}</p>` },
    shortDescription: { ro: text },
    brand: text,
    categoryPath: [text, 'below'],
    tags: [text, 'tag'],
    seo: { title: text, description: text },
    options: [{ name: text, values: [text] }],
    variants: [{ sku: `${text}${i}`, price: { amount: 100, currency: 'RON' }, optionValues: { [text.trim()]: text.trim() } }],
  }));
  expect(await load(shop.a, JSON.stringify(items), 'application/json')).toMatchObject({ created: items.length, errors: [] });
  const exported = await csv(shop.a, 'products');
  const raw = rawCells(exported);
  expect(raw).toEqual([]);
  expect(await load(shop.a, exported, 'text/csv')).toMatchObject({ created: 0, updated: 0, unchanged: items.length, failed: 0 });
  expect(await load(shop.b, exported, 'text/csv')).toMatchObject({ created: items.length, failed: 0 });
  expect(await csv(shop.b, 'products')).toBe(exported);
  const of = (tenant: TestTenant) =>
    shop.rows(
      `select p.slug, p.title, p.description, p.short_description, p.tags, p.seo, p.options, v.sku, v.option_values
       from catalog_product p join catalog_variant v on v.tenant_id = p.tenant_id and v.product_id = p.id where p.tenant_id = $1 order by p.slug`,
      [tenant.id],
    );
  const there = await of(shop.b);
  expect(there).toHaveLength(items.length);
  expect(there).toEqual(await of(shop.a));
  console.info(`products: ${formulas.length} payloads, ${raw.length} raw, ${there.length} unchanged in the other shop`);
});

it('customers and orders: none is raw', async () => {
  const { variantId } = await product(shop.a, 1000, { title: '=1+1;=2+2' });
  const accepted = { customers: 0, orders: 0 };
  const buyer = async (client: TestClient, text: string, email: string): Promise<boolean> => {
    const cart = await cartOf(client, [variantId, 1]);
    const shippingAddress = {
      ...address,
      firstName: text,
      lastName: text,
      company: text,
      city: text,
      postalCode: text.slice(0, 10),
    };
    const answer = await place(cart.client, 1000, { billingAddress: shippingAddress, shippingAddress, email });
    expect(answer.status, answer.text).toBeLessThan(500);
    return answer.status === 201;
  };
  for (const [i, text] of formulas.entries()) {
    if (await buyer(shop.a.guest, text, `=${i}+x@evil.example`)) accepted.orders++;
    const email = `+${i}=x@evil.example`;
    const password = 'correct horse battery staple';
    expect((await shop.a.guest.post('/api/auth/register', { email, password, firstName: text, lastName: text })).status).toBe(
      202,
    );
    const named = await shop.rows('update customers_customer set company = $1, tags = $2 where email = $3 returning id', [
      text,
      JSON.stringify([text]),
      email,
    ]);
    expect(named).toHaveLength(1);
    accepted.customers++;
  }
  for (const what of ['customers', 'orders'] as const) {
    const text = await csv(shop.a, what);
    const raw = rawCells(text);
    console.info(`${what}: ${accepted[what]} payloads, ${raw.length} raw`);
    expect(raw).toEqual([]);
    const { length } = parse(text) as string[][];
    expect(length).toBeGreaterThan(accepted[what]);
    expect(text).toContain("'=1+1");
  }
  expect(accepted.orders).toBeGreaterThan(formulas.length / 2);
});

/** Line breaks of every kind, with a row of the shop's own behind them. */
const breaks = ['\n', '\r', '\r\n', '\n\r', '\n\n'].map((end) => `Cluj${end}NA-2026-999999,placed`);

it('line breaks: no text of a shopper or of a product makes a row of its own', async () => {
  const before = strictCsv(await csv(shop.a, 'orders')).length;
  const { variantId } = await product(shop.a, 1000, {
    title: 'Plain',
    description: { ro: breaks.map((text) => `<p>${text}</p>`).join('') },
  });
  for (const text of breaks) {
    const { client } = await cartOf(shop.a.guest, [variantId, 1]);
    const shippingAddress = { ...address, city: text, company: text };
    const placed = await place(client, 1000, { billingAddress: shippingAddress, shippingAddress });
    expect(placed.status, placed.text).toBe(201);
  }
  const orders = strictCsv(await csv(shop.a, 'orders'));
  const [header = []] = orders;
  expect(orders).toHaveLength(before + breaks.length);
  expect(new Set(orders.map(({ length }) => length))).toEqual(new Set([header.length]));
  const cities = orders.map((row) => row[header.indexOf('city')]);
  for (const text of breaks) expect(cities).toContain(text);
  const ids = await shop.rows<{ id: string }>('select id from orders_order where tenant_id = $1', [shop.a.id]);
  expect(
    orders
      .slice(1)
      .map((row) => row[header.indexOf('id')])
      .sort(),
  ).toEqual(ids.map(({ id }) => id).sort());
  const products = strictCsv(await csv(shop.a, 'products'));
  expect(new Set(products.map(({ length }) => length)).size).toBe(1);
});

it('orders and customers have every value that buyers and staff write: both addresses, notes, purchase order number', async () => {
  const { variantId } = await product(shop.a, 1000);
  const { client } = await cartOf(shop.a.guest, [variantId, 1]);
  const billingAddress = { ...address, line1: 'Billing 1', line2: 'Floor 2', region: 'Cluj', vatId: 'RO 123', company: 'Firm' };
  const shippingAddress = { ...address, line1: 'Shipping 3', region: 'Ilfov' };
  const placed = await place(client, 1000, {
    billingAddress,
    shippingAddress,
    note: '=1+1',
    poNumber: 'PO-7',
    email: 'columns@example.org',
  });
  expect(placed.status, placed.text).toBe(201);
  const rows = (what: string, text: string) =>
    (parse(text, { columns: true }) as Record<string, string>[]).filter((row) => row.email === what);
  const [order] = rows('columns@example.org', await csv(shop.a, 'orders'));
  expect(order).toMatchObject({
    line1: 'Shipping 3',
    region: 'Ilfov',
    billingLine1: 'Billing 1',
    billingLine2: 'Floor 2',
    billingRegion: 'Cluj',
    billingVatId: 'RO 123',
    billingCompany: 'Firm',
    paymentMethod: 'cod',
    notes: "'=1+1",
    poNumber: 'PO-7',
  });
  const email = 'address-book@example.org';
  await shop.a.run('customers', async (ctx) => {
    const { id } = await ctx.require(customers).upsert({ email });
    await ctx.db.run(sql`insert into customers_address (tenant_id, id, customer_id, address, fingerprint, created_at, updated_at)
      values (${ctx.tenant.id}, ${uuidv7()}, ${id}, ${JSON.stringify({ line1: 'Home 4' })}::jsonb, 'x', now(), now())`);
  });
  const [customer] = rows(email, await csv(shop.a, 'customers'));
  expect(JSON.parse(customer?.addresses ?? '')).toMatchObject([{ line1: 'Home 4' }]);
});
