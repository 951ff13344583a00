import type { RefundRequest } from '@storeloom/commerce';
import { type Ctx, uuidv7 } from '@storeloom/plugin-sdk';
import { editOrder } from '../edit/edit.ts';
import { emptyOperation, type Operation } from '../edit/operations.ts';
import { authorOf } from '../flows/transition.ts';
import type { LineRow, OrderData } from '../load.ts';
import { moneyFigures, type RefundRow } from '../view/figures.ts';
import { planRestock } from './restock.ts';

interface Split {
  line: LineRow;
  /** Unshipped units, which nothing was captured for. */
  uncharged: number;
  /** The others. */
  rest: NonNullable<RefundRequest['lines']>;
  /** Position in the request. */
  index: number;
}

function splitLine(line: LineRow, requested: NonNullable<RefundRequest['lines']>, index: number): Split {
  const units = (restock: boolean): number =>
    requested.filter((each) => each.restock === restock).reduce((sum, { quantity }) => sum + quantity, 0);
  const [restocked, kept] = [units(true), units(false)];
  const plan = line.ships ? planRestock(line, { restocked, kept }) : undefined;
  if (!plan || plan.unshipped === 0) return { line, uncharged: 0, rest: requested, index };
  const left = restocked + kept - plan.unshipped - plan.shipped;
  const rest = [
    { lineId: line.id, quantity: plan.shipped, restock: true },
    { lineId: line.id, quantity: left, restock: false },
  ];
  return { line, uncharged: plan.unshipped, rest: rest.filter(({ quantity }) => quantity > 0), index };
}

/**
 * Cancels the unshipped units of a request out of an order whose payment is captured on shipment: an edit lowers the total and the
 * authorisation, and no money is refunded for them. Returns the rest of the request; undefined if nothing remains or was captured for the units.
 * @throws 409 `last_line` for all units of an order, `invoice_issued`
 */
export async function cancelUncharged(
  ctx: Ctx,
  data: OrderData,
  request: RefundRequest,
): Promise<{ cancelled: { lineId: string; quantity: number }[]; rest: RefundRequest } | undefined> {
  const { row, lines } = data;
  const requested = request.lines ?? [];
  if (requested.length === 0 || (await moneyFigures(ctx, row, data.sheet)).authorized === 0) return undefined;
  const splits = lines.flatMap((line) => {
    const own = requested.filter(({ lineId }) => lineId === line.id);
    return own.length === 0 ? [] : [splitLine(line, own, requested.indexOf(own[0] as (typeof own)[number]))];
  });
  const open = splits.filter(({ uncharged }) => uncharged > 0);
  if (open.length === 0) return undefined;
  const operations = open.map(({ line: { id: itemId, quantity }, uncharged }): Operation => {
    const left = quantity - uncharged;
    return left > 0
      ? { ...emptyOperation, op: 'change_quantity', itemId, quantity: left }
      : { ...emptyOperation, op: 'remove_item', itemId };
  });
  await editOrder(ctx, row.id, {
    operations,
    promotions: 'keep',
    refund: true,
    pointer: (i) => `/lines/${open[i]?.index}`,
  });
  const unknown = requested.filter(({ lineId }) => !lines.some(({ id }) => id === lineId));
  const { lines: _, ...more } = request;
  const rest = [...unknown, ...splits.flatMap((each) => each.rest)];
  return {
    cancelled: open.map(({ line, uncharged }) => ({ lineId: line.id, quantity: uncharged })),
    rest: rest.length === 0 ? more : { ...more, lines: rest },
  };
}

/** What a request answers that refunded no money, since nothing was captured for its units. It isn't stored: the edit is. */
export function nothingRefunded(
  ctx: Ctx,
  { row }: Pick<OrderData, 'row'>,
  request: RefundRequest,
  cancelled: readonly { lineId: string; quantity: number }[],
): RefundRow {
  const now = ctx.clock.now();
  const nothing = { amount: 0, currency: row.currency };
  return {
    id: uuidv7(ctx.clock.ms()),
    orderId: row.id,
    status: 'succeeded',
    amount: nothing,
    tax: nothing,
    method: request.method ?? 'original',
    paymentId: null,
    allocations: [],
    preview: { amount: 0, tax: 0, lines: [], shipping: null, free: null, taxSummary: [], refundable: 0 },
    lines: cancelled.map((each) => ({ ...each, restock: true, restockUnshipped: each.quantity })),
    reason: request.reason,
    by: authorOf(ctx),
    settledAt: now,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
}
