import type { PaymentSubject } from '@storeloom/commerce';
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
    callProvider: { from: ['created'], to: 'requires_action', internal: true },
    authorize: { from: ['created', 'requires_action'], to: 'authorized', internal: true },
    capturePart: { from: ['authorized'], to: 'partially_captured', internal: true },
    // From a final state only when the provider reports captured money.
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

export const payment = table(
  'payment',
  {
    forType: f.text({ max: 120 }),
    forId: f.id(),
    methodId: f.id(),
    methodCode: f.text({ max: 60 }),
    provider: f.text({ max: 40 }),
    providerRef: f.text({ max: 255 }).optional(),
    status: f.oneOf(states),
    /** The amount to pay; an order edit may lower it. */
    amount: f.money({ min: 1 }),
    /** The amount requested from the provider. */
    intentAmount: amount(),
    authorizedAmount: amount().default(0),
    capturedAmount: amount().default(0),
    /** Sum of the succeeded refunds. */
    refundedAmount: amount().default(0),
    capture: f.oneOf(['auto', 'manual']),
    expiresAt: f.instant().optional(),
    error: f.text({ max: 100 }).optional(),
    clientSecret: f.secret().optional().personal(),
    redirectUrl: f.text({ max: 4000 }).optional().personal(),
    returnUrl: f.text({ max: 2000 }).optional().personal(),
    email: f.email().optional().personal(),
    description: f.text({ max: 500 }),
    locale: f.text({ max: 20 }),
    customerId: f.id().optional(),
    saveInstrument: f.bool().default(false),
    instrumentId: f.id().optional(),
    /** The subject was released: money received later is late. `keep`: earlier money is kept. */
    released: f.oneOf(['refund', 'keep']).optional(),
    /** The money was misplaced (late, or a duplicate payment) and is returned. */
    givenBack: f.bool().default(false),
    /** A job has to void it at the provider. */
    voiding: f.bool().default(false),
    /** Reference entered by staff for an offline payment. */
    reference: f.text({ max: 200 }).optional().personal(),
    claimedAt: f.instant().optional(),
    checkedAt: f.instant().optional(),
    authorizedAt: f.instant().optional(),
    capturedAt: f.instant().optional(),
  },
  {
    uniques: [
      { fields: ['provider', 'providerRef'] },
      { name: 'payments_payment_waiting_key', fields: ['forType', 'forId'], where: "status in ('created', 'requires_action')" },
    ],
    indexes: [
      { name: 'payments_payment_captured_idx', fields: ['capturedAt'] },
      { name: 'payments_payment_customer_idx', fields: ['customerId'] },
      { fields: ['email'] },
      { name: 'payments_payment_for_idx', fields: ['forType', 'forId', 'id'] },
      { name: 'payments_payment_method_idx', fields: ['methodId'] },
      {
        name: 'payments_payment_open_idx',
        fields: ['createdAt'],
        where: "status in ('created', 'requires_action', 'authorized', 'partially_captured') or voiding",
      },
    ],
  },
);
export type PaymentRow = TableRow<typeof payment>;

export const isPending = ({ status }: Pick<PaymentRow, 'status'>): boolean =>
  status === 'created' || status === 'requires_action';
export const isAuthorized = ({ status }: Pick<PaymentRow, 'status'>): boolean =>
  status === 'authorized' || status === 'partially_captured';
/** The authorised amount that will still be captured. */
export const uncapturedAmount = (row: PaymentRow): number =>
  isAuthorized(row) ? Math.max(0, row.amount.amount - row.capturedAmount) : 0;

export const subjectOf = ({ forType, forId }: Pick<PaymentRow, 'forType' | 'forId'>): PaymentSubject => ({
  type: forType,
  id: forId,
});

/** Client secret and redirect URL are included only while the payment is pending. */
export function viewOf(ctx: Pick<Ctx, 'unseal'>, row: PaymentRow): PaymentView {
  const isOpen = isPending(row);
  return {
    id: row.id,
    for: subjectOf(row),
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
    clientSecret: isOpen && row.clientSecret !== null ? ctx.unseal(row.clientSecret) : null,
    redirectUrl: isOpen ? row.redirectUrl : null,
    createdAt: row.createdAt,
  };
}

/** Description shown to the buyer by the provider. */
export const paymentDescription = (ctx: Pick<Ctx, 'tenant'>, number: string): string => `${ctx.tenant.name} · ${number}`;

/** Payments of a subject, oldest first. */
export function paymentsOf(ctx: Ctx, { type, id }: PaymentSubject, { lock = false } = {}): Promise<PaymentRow[]> {
  return ctx.rows(payment).find({ forType: type, forId: id }, { orderBy: ['id'], lock });
}

/** Locked payments of an order whose lock the caller holds, as in every `….commit` hook of orders. */
export const orderPayments = (ctx: Ctx, orderId: string): Promise<PaymentRow[]> =>
  paymentsOf(ctx, { type: orderType, id: orderId }, { lock: true });

export interface LockedPayments {
  /** The order, if the subject is one and the orders plugin is enabled. */
  order: OrderView | undefined;
  payments: PaymentRow[];
}

/** Locks in the order of all flows: cart, order, payments. Subjects without a row here are serialised by an advisory lock. */
export async function lockSubject(ctx: Ctx, subject: PaymentSubject): Promise<LockedPayments> {
  const order = subject.type === orderType ? await ctx.use(orders)?.get(subject.id, { lock: true }) : undefined;
  if (!order) await lockKeys(ctx, `${subject.type} ${subject.id}`);
  return { order, payments: await paymentsOf(ctx, subject, { lock: true }) };
}

/** Locks the subject of a payment. */
export async function lockPayment(ctx: Ctx, id: string): Promise<LockedPayments & { row: PaymentRow }> {
  const unlocked = await ctx.rows(payment).require(id);
  const locked = await lockSubject(ctx, subjectOf(unlocked));
  const row = locked.payments.find((one) => one.id === id);
  if (!row) throw new Error(`Payment ${id} changed its subject`);
  return { ...locked, row };
}

/** Runs a state transition with its history. In the target state already, only the other fields change. */
export async function transition(
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

/** Throws inside a transaction: the service calls a provider. */
export function assertNoTransaction(ctx: Ctx, method: string): void {
  let isInTransaction = true;
  try {
    void ctx.db;
  } catch {
    isInTransaction = false;
  }
  if (isInTransaction)
    throw new Error(
      `payments.${method} calls a provider and can't run inside a transaction: use commitThen or transaction: 'none'`,
    );
}
