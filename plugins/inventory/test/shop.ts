import {
  type CancelInput,
  cancelCommit,
  type EditInput,
  editCommit,
  type FlowLine,
  fulfillmentCancelCommit,
  type OrderLineView,
  type OrderView,
  type PlaceInput,
  placeCheck,
  placeCommit,
  type RefundInput,
  refundCommit,
  type SettleInput,
  type ShipInput,
  settleCommit,
  shipCommit,
} from '@storeloom/commerce';
import { uuidv7 } from '@storeloom/plugin-sdk';
import type { TestClient, TestResponse, TestShop, TestTenant } from '@storeloom/testing';
import { expect } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape, read property by property
export type Json = any;

export async function make(client: TestClient, path: string, body: object, status = 201): Promise<Json> {
  const response: TestResponse<Json> = await client.post(path, body);
  if (response.status !== status) throw new Error(`POST ${path}: ${response.status} ${response.text}`);
  return response.body;
}

let count = 0;
/** Creates a visible variant with the given stock at the default warehouse. */
export async function makeGoods(tenant: TestTenant, onHand: number, variant: Record<string, unknown> = {}): Promise<string> {
  count += 1;
  const created = await make(tenant.admin, '/api/admin/products/', {
    title: { ro: `Cană ${count}`, en: `Mug ${count}` },
    status: 'active',
    variants: [{ sku: `MUG-${count}`, optionValues: {}, price: { amount: 5000, currency: 'RON' }, ...variant }],
  });
  const id = created.variants[0].id as string;
  if (onHand > 0) await adjust(tenant, id, { delta: onHand, reason: 'received' });
  return id;
}

/** Creates a bundle and returns it as an order line. */
export async function makeKit(
  tenant: TestTenant,
  components: { variantId: string; quantity: number }[],
): Promise<Required<Omit<OrderedItem, 'quantity'>>> {
  count += 1;
  const created = await make(tenant.admin, '/api/admin/products/', {
    title: { ro: `Set ${count}`, en: `Kit ${count}` },
    type: 'bundle',
    status: 'draft',
    variants: [{ sku: `KIT-${count}`, optionValues: {}, price: { amount: 9000, currency: 'RON' } }],
  });
  await make(tenant.admin, `/api/admin/bundles/${created.id}`, { components, pricing: 'fixed' }, 200);
  const shown = await tenant.admin.patch<Json>(`/api/admin/products/${created.id}`, { status: 'active' });
  if (shown.status !== 200) throw new Error(shown.text);
  return { variantId: created.variants[0].id, children: components };
}

export async function adjust(tenant: TestTenant, variantId: string, body: object, status = 200): Promise<Json> {
  return make(tenant.admin, `/api/admin/inventory/${variantId}/adjust`, body, status);
}

/** The only level of a variant, as the admin API returns it. */
export async function levelOf(tenant: TestTenant, variantId: string): Promise<Json> {
  const response = await tenant.admin.get<Json>(`/api/admin/inventory/?variantId=${variantId}`);
  if (response.body.data.length !== 1) throw new Error(`${response.body.data.length} levels: ${response.text}`);
  return response.body.data[0];
}
/** `[onHand, reserved, available]`. */
export async function figures(tenant: TestTenant, variantId: string): Promise<number[]> {
  const { onHand, reserved, available } = await levelOf(tenant, variantId);
  return [onHand, reserved, available];
}

export interface OrderedItem {
  variantId?: string;
  quantity: number;
  children?: { variantId: string; quantity: number }[];
}
export interface TestOrder {
  id: string;
  lines: { id: string; variantId: string | null; quantity: number; children: OrderedItem['children'] | null }[];
}

export function newOrder(wanted: readonly OrderedItem[]): TestOrder {
  return {
    id: uuidv7(),
    lines: wanted.map(({ variantId, quantity, children }) => ({
      id: uuidv7(),
      variantId: variantId ?? uuidv7(),
      quantity,
      children: children ?? null,
    })),
  };
}

/** The part of checkout's hook input that the stock taps read. */
export function placeInput(order: TestOrder, more: { expiresAt?: string | null; country?: string } = {}): PlaceInput {
  const lines = order.lines.map((line) => ({ ...line, kind: 'product', children: line.children ?? undefined }));
  return {
    orderId: order.id,
    expiresAt: more.expiresAt ?? null,
    context: more.country === undefined ? {} : { shippingAddress: { country: more.country } },
    priced: { lines },
    results: {},
  } as unknown as PlaceInput;
}
type PlaceOptions = Parameters<typeof placeInput>[1];

/** A tenant's unit of work, in its first process or in another one. */
export type TenantRunner = Pick<TestTenant, 'run'>;
export function atProcess(shop: TestShop, tenant: TestTenant, process: number): TenantRunner {
  const kernel = shop.kernels[process % shop.kernels.length] as TestShop['kernel'];
  return { run: (plugin, fn, options) => kernel.inTenant(tenant.id, plugin, fn, options ?? {}) };
}

export async function place(tenant: TenantRunner, wanted: readonly OrderedItem[], more: PlaceOptions = {}): Promise<TestOrder> {
  const order = newOrder(wanted);
  await placeOrder(tenant, order, more);
  return order;
}
export function placeOrder(tenant: TenantRunner, order: TestOrder, more: PlaceOptions = {}): Promise<PlaceInput> {
  return tenant.run('checkout', async (ctx) => {
    const input = placeInput(order, more);
    await ctx.call(placeCheck, input);
    await ctx.call(placeCommit, input);
    return input;
  });
}

function viewOf(order: TestOrder, cancelled: Record<string, number> = {}): OrderView {
  const lines = order.lines.map((line) => ({
    ...line,
    quantityCancelled: cancelled[line.id] ?? 0,
    quantityShipped: 0,
  })) as unknown as OrderLineView[];
  return { id: order.id, number: `N-${order.id.slice(-6)}`, lines, shippingAddress: null } as unknown as OrderView;
}
const allLines = (order: TestOrder): FlowLine[] => order.lines.map(({ id, quantity }) => ({ lineId: id, quantity }));

export function cancel(tenant: TenantRunner, order: TestOrder, reason = 'test'): Promise<void> {
  const input: CancelInput = { order: viewOf(order), lines: allLines(order), reason, refund: true, notify: false };
  return tenant.run('orders', (ctx) => ctx.call(cancelCommit, input));
}
export function ship(
  tenant: TenantRunner,
  order: TestOrder,
  lines: FlowLine[] = allLines(order),
  warehouseId: string | null = null,
): Promise<void> {
  const input: ShipInput = { order: viewOf(order), lines, fulfillmentId: uuidv7(), warehouseId, reason: 'test' };
  return tenant.run('orders', (ctx) => ctx.call(shipCommit, input));
}
export function cancelFulfillment(tenant: TenantRunner, order: TestOrder): Promise<void> {
  const input: ShipInput = {
    order: viewOf(order),
    lines: allLines(order),
    fulfillmentId: uuidv7(),
    warehouseId: null,
    reason: 'test',
  };
  return tenant.run('orders', (ctx) => ctx.call(fulfillmentCancelCommit, input));
}
export function refund(
  tenant: TenantRunner,
  order: TestOrder,
  units: { unshipped?: number; shipped?: number },
  refundId = uuidv7(),
): Promise<void> {
  const lines = order.lines.map(({ id, quantity }) => ({
    lineId: id,
    quantity,
    restock: true,
    restockUnshipped: units.unshipped ?? 0,
    restockShipped: units.shipped ?? 0,
    amount: 0,
    tax: 0,
  }));
  const input = { order: viewOf(order), lines, refundId } as unknown as RefundInput;
  return tenant.run('orders', (ctx) => ctx.call(refundCommit, input));
}
export async function settle(tenant: TenantRunner, order: TestOrder): Promise<boolean> {
  const input: SettleInput = {
    order: viewOf(order),
    lines: allLines(order),
    payment: { id: uuidv7(), status: 'captured', capturedAmount: 1, authorizedAmount: 0 },
    late: null,
    reason: 'test',
  };
  await tenant.run('orders', (ctx) => ctx.call(settleCommit, input));
  return input.late?.impossible ?? false;
}
export function edit(tenant: TenantRunner, order: TestOrder, changes: EditInput['changes']): Promise<void> {
  const input: EditInput = {
    order: viewOf(order),
    changes,
    difference: 0,
    promotions: { before: [], after: [] },
    refund: true,
    reason: 'test',
  };
  return tenant.run('orders', (ctx) => ctx.call(editCommit, input));
}

/** Matches a thrown problem, for `rejects.toEqual`. */
export const problemOf = (code: string, more: object = {}) =>
  expect.objectContaining({ code, extra: expect.objectContaining(more) });
/** Units of an order by state of their reservations. */
export const states = (shop: TestShop, orderId: string) =>
  shop.rows<Json>(
    'select state, sum(quantity)::int as units from inventory_reservation where order_id = $1 group by state order by state',
    [orderId],
  );

/** Checks P6 and the consistency of the tables for every level of every tenant. Returns the violations. */
export async function stockFaults(shop: TestShop, options: { backorders?: boolean } = {}): Promise<string[]> {
  const rows = await shop.rows<Json>(`
    select l.variant_id, l.on_hand, l.reserved, l.backordered,
      coalesce((select sum(m.delta) from inventory_movement m where m.tenant_id = l.tenant_id and m.level_id = l.id), 0)::int as moved,
      coalesce((select sum(r.quantity) from inventory_reservation r where r.tenant_id = l.tenant_id and r.level_id = l.id and r.state = 'active'), 0)::int as held,
      coalesce((select sum(r.backordered) from inventory_reservation r where r.tenant_id = l.tenant_id and r.level_id = l.id), 0)::int as owed
    from inventory_level l`);
  return rows.flatMap((row) => {
    const faults: string[] = [];
    const report = (fault: string): void => void faults.push(`${fault}: ${JSON.stringify(row)}`);
    if (row.on_hand < 0 || row.reserved < 0) report('below zero');
    if (row.reserved - row.backordered > row.on_hand) report('reserved exceeds onHand');
    if (options.backorders !== true && row.backordered !== 0) report('a backorder without permission');
    if (row.moved !== row.on_hand) report('onHand is not the sum of its movements');
    if (row.held !== row.reserved) report('reserved is not the sum of active reservations');
    if (row.owed !== row.backordered) report('backordered is not the sum of its reservations');
    return faults;
  });
}
