/** Sales over the border, and what the one-stop shop counts of them. */
import { sql } from '@storeloom/plugin-sdk';
import type { TestTenant } from '@storeloom/testing';
import { expect } from 'vitest';
import { buy, type Json, makeProduct, orderOf, romanianRates } from './tax-shop.ts';

/** 6,050.00 RON with 21 % is 5,000.00 without, which is 1,000.00 EUR. */
export const price = 605_000;
const goods = new Map<string, string>();

/** Gives a tenant Romanian rates and the one thing it sells. */
export async function stockUp(tenant: TestTenant): Promise<void> {
  const { standard } = await romanianRates(tenant);
  goods.set(tenant.id, await makeProduct(tenant, price, { taxCategoryId: standard }));
}
export async function fifthOfEuro(tenant: TestTenant): Promise<void> {
  const rate = await tenant.admin.post('/api/admin/fx-rates/', { base: 'RON', quote: 'EUR', rate: '0.2' });
  expect(rate.status).toBe(201);
}
export const thing = (tenant: TestTenant): string => goods.get(tenant.id) as string;

export async function sell(tenant: TestTenant, country: string, quantity = 1): Promise<Json> {
  const placed = await buy(tenant, [[thing(tenant), quantity]], country, price * quantity);
  expect([placed.status, placed.body.code]).toEqual([201, undefined]);
  return placed.body.order;
}
export const rateOf = (order: Json): number => order.taxSummary[0].ratePpm;
export async function paid(tenant: TestTenant, orderId: string): Promise<void> {
  const order = await orderOf(tenant, orderId);
  const answer = await tenant.admin.post<Json>(`/api/admin/payments/${order.payments[0].id}/mark-paid`, {});
  expect([answer.status, answer.body.code]).toEqual([200, undefined]);
}

export const threshold = async (tenant: TestTenant): Promise<Json> =>
  (await tenant.admin.get<Json>('/api/admin/taxes/oss/threshold')).body;
/** The sum of all that was counted, in cents. */
export async function counted(tenant: TestTenant): Promise<number> {
  const row = await tenant.run('taxes', (ctx) =>
    ctx.db.first<{ n: number }>(sql`select coalesce(sum(eur_amount), 0)::int as n from taxes_oss_entry`),
  );
  return row?.n as number;
}
