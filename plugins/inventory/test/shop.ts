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

// biome-ignore lint/suspicious/noExplicitAny: answers of the wire, looked at member by member
export type Json = any;

export async function make(client: TestClient, path: string, body: object, status = 201): Promise<Json> {
  const answer: TestResponse<Json> = await client.post(path, body);
  if (answer.status !== status) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

let count = 0;
/** A variant that shoppers see, with so many units at the default warehouse. */
export async function makeGoods(tenant: TestTenant, onHand: number, variant: Record<string, unknown> = {}): Promise<string> {
  count += 1;
  const made = await make(tenant.admin, '/api/admin/products/', {
    title: { ro: `Cană ${count}`, en: `Mug ${count}` },
    status: 'active',
    variants: [{ sku: `MUG-${count}`, optionValues: {}, price: { amount: 5000, currency: 'RON' }, ...variant }],
  });
  const id = made.variants[0].id as string;
  if (onHand > 0) await adjust(tenant, id, { delta: onHand, reason: 'received' });
  return id;
}

/** A bundle of the components, as a line of an order has it. */
export async function makeKit(
  tenant: TestTenant,
  components: { variantId: string; quantity: number }[],
): Promise<Required<Omit<Wanted, 'quantity'>>> {
  count += 1;
  const made = await make(tenant.admin, '/api/admin/products/', {
    title: { ro: `Set ${count}`, en: `Kit ${count}` },
    type: 'bundle',
    status: 'draft',
    variants: [{ sku: `KIT-${count}`, optionValues: {}, price: { amount: 9000, currency: 'RON' } }],
  });
  await make(tenant.admin, `/api/admin/bundles/${made.id}`, { components, pricing: 'fixed' }, 200);
  const shown = await tenant.admin.patch<Json>(`/api/admin/products/${made.id}`, { status: 'active' });
  if (shown.status !== 200) throw new Error(shown.text);
  return { variantId: made.variants[0].id, children: components };
}

export async function adjust(tenant: TestTenant, variantId: string, body: object, status = 200): Promise<Json> {
  return make(tenant.admin, `/api/admin/inventory/${variantId}/adjust`, body, status);
}

/** The one level of a variant, as staff sees it. */
export async function levelOf(tenant: TestTenant, variantId: string): Promise<Json> {
  const answer = await tenant.admin.get<Json>(`/api/admin/inventory/?variantId=${variantId}`);
  if (answer.body.data.length !== 1) throw new Error(`${answer.body.data.length} levels: ${answer.text}`);
  return answer.body.data[0];
}
/** `[onHand, reserved, available]`. */
export async function figures(tenant: TestTenant, variantId: string): Promise<number[]> {
  const { onHand, reserved, available } = await levelOf(tenant, variantId);
  return [onHand, reserved, available];
}

export interface Wanted {
  variantId?: string;
  quantity: number;
  children?: { variantId: string; quantity: number }[];
}
export interface TestOrder {
  id: string;
  lines: { id: string; variantId: string | null; quantity: number; children: Wanted['children'] | null }[];
}

export function newOrder(wanted: readonly Wanted[]): TestOrder {
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

/** What checkout gives to the taps, as far as stock looks at it. */
export function placing(order: TestOrder, more: { expiresAt?: string | null; country?: string } = {}): PlaceInput {
  const lines = order.lines.map((line) => ({ ...line, kind: 'product', children: line.children ?? undefined }));
  return {
    orderId: order.id,
    expiresAt: more.expiresAt ?? null,
    context: more.country === undefined ? {} : { shippingAddress: { country: more.country } },
    priced: { lines },
    results: {},
  } as unknown as PlaceInput;
}
type PlaceMore = Parameters<typeof placing>[1];

/** Where a unit of work runs: a tenant at its first process, or at another one. */
export type At = Pick<TestTenant, 'run'>;
export function atProcess(shop: TestShop, tenant: TestTenant, process: number): At {
  const kernel = shop.kernels[process % shop.kernels.length] as TestShop['kernel'];
  return { run: (plugin, fn, options) => kernel.inTenant(tenant.id, plugin, fn, options ?? {}) };
}

export async function place(tenant: At, wanted: readonly Wanted[], more: PlaceMore = {}): Promise<TestOrder> {
  const order = newOrder(wanted);
  await placeOrder(tenant, order, more);
  return order;
}
export function placeOrder(tenant: At, order: TestOrder, more: PlaceMore = {}): Promise<PlaceInput> {
  return tenant.run('checkout', async (ctx) => {
    const input = placing(order, more);
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

export function cancel(tenant: At, order: TestOrder, reason = 'by hand'): Promise<void> {
  const input: CancelInput = { order: viewOf(order), lines: allLines(order), reason, refund: true, notify: false };
  return tenant.run('orders', (ctx) => ctx.call(cancelCommit, input));
}
export function ship(
  tenant: At,
  order: TestOrder,
  lines: FlowLine[] = allLines(order),
  warehouseId: string | null = null,
): Promise<void> {
  const input: ShipInput = { order: viewOf(order), lines, fulfillmentId: uuidv7(), warehouseId, reason: 'test' };
  return tenant.run('orders', (ctx) => ctx.call(shipCommit, input));
}
export function unpack(tenant: At, order: TestOrder): Promise<void> {
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
  tenant: At,
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
export async function settle(tenant: At, order: TestOrder): Promise<boolean> {
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
export function edit(tenant: At, order: TestOrder, changes: EditInput['changes']): Promise<void> {
  const input: EditInput = {
    order: viewOf(order),
    changes,
    difference: 0,
    promotions: { before: [], after: [] },
    reason: 'test',
  };
  return tenant.run('orders', (ctx) => ctx.call(editCommit, input));
}

/** The problem that a unit of work throws, as `rejects.toEqual` takes it. */
export const refused = (code: string, more: object = {}) =>
  expect.objectContaining({ code, extra: expect.objectContaining(more) });
/** Units of an order by the state of what holds them. */
export const states = (shop: TestShop, orderId: string) =>
  shop.rows<Json>(
    'select state, sum(quantity)::int as units from inventory_reservation where order_id = $1 group by state order by state',
    [orderId],
  );

/** P6 and the tables' own agreement, for every level of every tenant. Gives the violations. */
export async function stockFaults(shop: TestShop, options: { backorders?: boolean } = {}): Promise<string[]> {
  const rows = await shop.rows<Json>(`
    select l.variant_id, l.on_hand, l.reserved, l.backordered,
      coalesce((select sum(m.delta) from inventory_movement m where m.tenant_id = l.tenant_id and m.level_id = l.id), 0)::int as moved,
      coalesce((select sum(r.quantity) from inventory_reservation r where r.tenant_id = l.tenant_id and r.level_id = l.id and r.state = 'active'), 0)::int as held,
      coalesce((select sum(r.backordered) from inventory_reservation r where r.tenant_id = l.tenant_id and r.level_id = l.id), 0)::int as owed
    from inventory_level l`);
  return rows.flatMap((row) => {
    const faults: string[] = [];
    const say = (what: string): void => void faults.push(`${what}: ${JSON.stringify(row)}`);
    if (row.on_hand < 0 || row.reserved < 0) say('below zero');
    if (row.reserved - row.backordered > row.on_hand) say('more reserved than there is');
    if (options.backorders !== true && row.backordered !== 0) say('a backorder nobody allowed');
    if (row.moved !== row.on_hand) say('onHand is not the sum of its movements');
    if (row.held !== row.reserved) say('reserved is not the sum of active reservations');
    if (row.owed !== row.backordered) say('backordered is not the sum of its reservations');
    return faults;
  });
}
