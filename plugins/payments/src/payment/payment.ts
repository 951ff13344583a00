import { type OrderView, orders, type PaymentState, type PaymentView } from '@storeloom/commerce';
import { type Ctx, f, type TableRow, table } from '@storeloom/plugin-sdk';
import { maxAmount } from '@storeloom/plugin-sdk/money';
import { lockKeys } from '@storeloom/plugin-sdk/reserve';
import { defineMachine } from '@storeloom/plugin-sdk/state';

export const orderType = 'orders.order';

const states = [
  'created',
  'requires_action',
  'authorized',
  'captured',
  'partially_captured',
  'voided',
  'failed',
  'expired',
  'cancelled',
] as const satisfies readonly PaymentState[];

export const machine = defineMachine({
  start: 'created',
  states,
  moves: {
    ask: { from: ['created'], to: 'requires_action', internal: true },
    authorize: { from: ['created', 'requires_action'], to: 'authorized', internal: true },
    capturePart: { from: ['authorized'], to: 'partially_captured', internal: true },
    // From an end only where the provider says that money was taken after all.
    capture: {
      from: ['created', 'requires_action', 'authorized', 'partially_captured', 'failed', 'expired', 'cancelled'],
      to: 'captured',
      internal: true,
    },
    void: { from: ['authorized', 'partially_captured'], to: 'voided', internal: true },
    fail: { from: ['created', 'requires_action'], to: 'failed', internal: true },
    expire: { from: ['requires_action', 'authorized'], to: 'expired', internal: true },
    cancel: { from: ['created', 'requires_action'], to: 'cancelled', internal: true },
  },
});

const amount = () => f.int({ min: 0, max: maxAmount });

export const payment = table('payment', {
  forType: f.text({ max: 120 }),
  forId: f.id(),
  methodId: f.id(),
  methodCode: f.text({ max: 60 }),
  provider: f.text({ max: 40 }),
  providerRef: f.text({ max: 255 }).optional(),
  status: f.oneOf(states),
  /** What the payment is to bring; an order edit may lower it. */
  amount: f.money({ min: 1 }),
  /** What the provider was asked for. */
  intentAmount: amount(),
  authorizedAmount: amount().default(0),
  capturedAmount: amount().default(0),
  /** Σ of the refunds that succeeded. */
  refundedAmount: amount().default(0),
  capture: f.oneOf(['auto', 'manual']),
  expiresAt: f.instant().optional(),
  error: f.text({ max: 100 }).optional(),
  clientSecret: f.secret().optional(),
  redirectUrl: f.text({ max: 4000 }).optional(),
  returnUrl: f.text({ max: 2000 }).optional(),
  email: f.text({ max: 254 }).optional(),
  description: f.text({ max: 500 }),
  locale: f.text({ max: 20 }),
  customerId: f.id().optional(),
  saveInstrument: f.bool().default(false),
  instrumentId: f.id().optional(),
  /** Its thing was given up: what still comes in is late. `keep`: what had come in stays. */
  released: f.oneOf(['refund', 'keep']).optional(),
  /** The money was not the thing's (late, or a second payment) and goes back. */
  givenBack: f.bool().default(false),
  /** To be released at the provider; done by a job. */
  voiding: f.bool().default(false),
  /** Of an offline payment: what staff wrote. */
  reference: f.text({ max: 200 }).optional(),
  claimedAt: f.instant().optional(),
  checkedAt: f.instant().optional(),
  authorizedAt: f.instant().optional(),
  capturedAt: f.instant().optional(),
});
export type PaymentRow = TableRow<typeof payment>;

export const isWaiting = ({ status }: Pick<PaymentRow, 'status'>): boolean =>
  status === 'created' || status === 'requires_action';
export const isReserved = ({ status }: Pick<PaymentRow, 'status'>): boolean =>
  status === 'authorized' || status === 'partially_captured';
/** Reserved and not yet taken; what will be taken of it. */
export const reservedAmount = (row: PaymentRow): number =>
  isReserved(row) ? Math.max(0, row.amount.amount - row.capturedAmount) : 0;

export interface Thing {
  type: string;
  id: string;
}
export const thingOf = ({ forType, forId }: Pick<PaymentRow, 'forType' | 'forId'>): Thing => ({ type: forType, id: forId });

/** What the buyer needs to pay is shown while there is something to pay. */
export function viewOf(ctx: Pick<Ctx, 'unseal'>, row: PaymentRow): PaymentView {
  const open = isWaiting(row);
  return {
    id: row.id,
    for: thingOf(row),
    methodCode: row.methodCode,
    provider: row.provider,
    providerRef: row.providerRef,
    status: row.status,
    amount: row.amount,
    authorizedAmount: row.authorizedAmount,
    capturedAmount: row.capturedAmount,
    refundedAmount: row.refundedAmount,
    givenBack: row.givenBack,
    expiresAt: row.expiresAt,
    error: row.error,
    clientSecret: open && row.clientSecret !== null ? ctx.unseal(row.clientSecret) : null,
    redirectUrl: open ? row.redirectUrl : null,
    createdAt: row.createdAt,
  };
}

/** What the buyer reads at the provider. */
export const describe = (ctx: Pick<Ctx, 'tenant'>, number: string): string => `${ctx.tenant.name} · ${number}`;

/** Payments of a thing, oldest first. */
export function paymentsOf(ctx: Ctx, { type, id }: Thing, { lock = false } = {}): Promise<PaymentRow[]> {
  return ctx.rows(payment).find({ forType: type, forId: id }, { orderBy: ['id'], lock });
}

/** Of an order whose lock the caller holds: every `….commit` hook of orders is called with it. */
export const orderPayments = (ctx: Ctx, orderId: string): Promise<PaymentRow[]> =>
  paymentsOf(ctx, { type: orderType, id: orderId }, { lock: true });

export interface Locked {
  /** The order that is paid, where it is one and the plugin is on. */
  order: OrderView | undefined;
  payments: PaymentRow[];
}

/** The lock order of every flow: cart, order, payments. Two flows of one thing that has no row here wait for each other too. */
export async function lockThing(ctx: Ctx, thing: Thing): Promise<Locked> {
  const order = thing.type === orderType ? await ctx.use(orders)?.get(thing.id, { lock: true }) : undefined;
  if (!order) await lockKeys(ctx, `${thing.type} ${thing.id}`);
  return { order, payments: await paymentsOf(ctx, thing, { lock: true }) };
}

/** Like `lockThing`, of the thing that a payment is for. */
export async function lockPayment(ctx: Ctx, id: string): Promise<Locked & { row: PaymentRow }> {
  const seen = await ctx.rows(payment).require(id);
  const locked = await lockThing(ctx, thingOf(seen));
  const row = locked.payments.find((one) => one.id === id);
  if (!row) throw new Error(`the payment ${id} changed its thing`);
  return { ...locked, row };
}

/** A move of the machine, with its history. What is already there is only changed. */
export async function move(
  ctx: Ctx,
  row: PaymentRow,
  to: PaymentState,
  change: Partial<PaymentRow> = {},
  reason: string | null = null,
): Promise<PaymentRow> {
  const rows = ctx.rows(payment);
  if (machine.check(row.status, to) === 'repeat') return Object.keys(change).length === 0 ? row : rows.update(row.id, change);
  const moved = await rows.update(row.id, { ...change, status: to });
  await ctx.history({ entity: 'payments.payment', entityId: row.id, from: row.status, to, reason });
  return moved;
}

/** The service calls a provider, so the caller must not hold a transaction. */
export function assertOutside(ctx: Ctx, what: string): void {
  let open = true;
  try {
    void ctx.db;
  } catch {
    open = false;
  }
  if (open)
    throw new Error(`payments.${what} calls a provider: not inside a transaction (see commitThen, or transaction: 'none')`);
}
