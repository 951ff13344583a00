import {
  type cancelCommit,
  type EditInput,
  type editCommit,
  type orderRefundEvents,
  orders,
  type refundCommit,
} from '@storeloom/commerce';
import { type Ctx, type EventData, type EventHandler, problem, sql, type TapFn } from '@storeloom/plugin-sdk';
import { mulRatio } from '@storeloom/plugin-sdk/money';
import { editDecision } from '../pricing/checkout-taps.ts';
import { type TaxDecision, usedRates } from '../pricing/quote.ts';
import { forgetYears } from '../pricing/snapshot.ts';
import { markRatesUsed } from '../rate/use.ts';
import { requestProof } from '../vat/order-proof.ts';
import { cancelParts, countedBase, editParts, type OrderPart, refundParts, withEur } from './correct.ts';
import { limitEur, toEur, yearOf } from './limit.ts';
import {
  entriesOf,
  lockYear,
  type OssEntry,
  type OssYear,
  ossEntry,
  ossYear,
  quarterOf,
  recordThresholdPassed,
} from './tables.ts';

// Every tap runs under the order's lock, so the entries of the order don't change meanwhile.

/** The properties of a sale that all entries of its order have in common. */
type SaleKey = Pick<OssEntry, 'orderId' | 'saleQuarter' | 'saleYear' | 'country' | 'treatment'> & { currency: string };
interface Correction {
  head: SaleKey;
  kind: 'refund' | 'cancel' | 'edit';
  refundId?: string;
  parts: readonly OrderPart[];
}

function saleKeyOf({ orderId, saleQuarter, saleYear, country, treatment, base }: OssEntry): SaleKey {
  return { orderId, saleQuarter, saleYear, country, treatment, currency: base.currency };
}
const isSameSale = (a: Pick<SaleKey, 'country' | 'treatment'>, b: Pick<SaleKey, 'country' | 'treatment'>): boolean =>
  a.country === b.country && a.treatment === b.treatment;

/** refund.commit, stage 15: corrects at the rates of the sale, in the current quarter. A passed threshold stays passed. */
export const correctRefund: TapFn<typeof refundCommit> = async (ctx, input) => {
  const all = await entriesOf(ctx, input.order.id);
  const head = currentSale(all);
  if (!head) return;
  const parts = refundParts(
    all.filter((entry) => isSameSale(entry, head)),
    input,
  );
  await writeCorrections(ctx, head.saleYear, [{ head, kind: 'refund', refundId: input.refundId, parts }]);
};

/** orders.refund.failed: the money stays with the shop, so the correction of the refund is reversed. */
export const restoreRefund: EventHandler<EventData<typeof orderRefundEvents.failed>> = (ctx, { data }) =>
  restore(ctx, data, (corrected) => corrected);

/** orders.refund.succeeded: a part of the refund may have failed or been cancelled, which leaves less to correct. */
export const reduceRefund: EventHandler<EventData<typeof orderRefundEvents.succeeded>> = (ctx, { data }) =>
  restore(ctx, data, (corrected) => Math.max(0, corrected - data.amount.amount));

/**
 * Reverses a part of the correction of a refund, once. `restoredOf` gets the corrected amount with tax. A sale that has been cancelled or
 * moved to another country since then is already reversed as a whole.
 */
async function restore(
  ctx: Ctx,
  { id: refundId, orderId }: { id: string; orderId: string },
  restoredOf: (corrected: number) => number,
): Promise<void> {
  if (!(await ctx.use(orders)?.get(orderId, { lock: true }))) return;
  const all = await entriesOf(ctx, orderId);
  const corrections = all.filter((entry) => entry.refundId === refundId);
  const [first] = corrections;
  const current = currentSale(all);
  if (!first || !current || !isSameSale(first, current) || all.some(({ kind }) => kind === 'cancel')) return;
  const isRestored = corrections.some(({ base, tax }) => base.amount > 0 || tax.amount > 0);
  const corrected = corrections.reduce((sum, { base, tax }) => sum - base.amount - tax.amount, 0);
  const restored = isRestored ? 0 : restoredOf(corrected);
  if (restored === 0) return;
  const back = (amount: number): number => mulRatio(-amount, restored, corrected);
  const parts = corrections.map(({ part, supplyType, ratePpm, base, tax, eur }) => ({
    part,
    supplyType,
    ratePpm,
    base: back(base.amount),
    tax: back(tax.amount),
    eur: eur === null ? null : back(eur.amount),
  }));
  await writeCorrections(ctx, first.saleYear, [{ head: current, kind: 'refund', refundId, parts }]);
}

/** cancel.commit, stage 15: reverses the sale. A threshold passed by this order is reset. */
export const correctCancel: TapFn<typeof cancelCommit> = async (ctx, input) => {
  const entries = await entriesOf(ctx, input.order.id);
  const first = entries[0];
  if (first) await writeCorrections(ctx, first.saleYear, reversals(entries, 'cancel'));
};

function saleKeysOf(entries: readonly OssEntry[]): SaleKey[] {
  const heads: SaleKey[] = [];
  for (const head of entries.map(saleKeyOf)) if (!heads.some((known) => isSameSale(known, head))) heads.push(head);
  return heads;
}

/** Where the order is taxed now: an edit of its address may have moved it and left nothing at the earlier place. */
function currentSale(entries: readonly OssEntry[]): SaleKey | undefined {
  const soldAmount = (head: SaleKey): number =>
    entries
      .filter((entry) => isSameSale(entry, head) && (entry.kind === 'sale' || entry.kind === 'edit'))
      .reduce((sum, { base, tax }) => sum + base.amount + tax.amount, 0);
  return saleKeysOf(entries).sort((a, b) => soldAmount(b) - soldAmount(a))[0];
}

/** Reverses all remaining amounts, place by place. */
function reversals(entries: readonly OssEntry[], kind: 'cancel' | 'edit'): Correction[] {
  return saleKeysOf(entries).map((head) => ({
    head,
    kind,
    parts: cancelParts(entries.filter((entry) => isSameSale(entry, head))),
  }));
}

/**
 * edit.commit, stage 15: the order has its new totals. A new address moves the sale to another country, into or out of the one-stop
 * shop, as decided by the tax quote of this unit of work.
 */
export const correctEdit: TapFn<typeof editCommit> = async (ctx, { order }) => {
  const decision = editDecision(ctx);
  if (decision && !(await markRatesUsed(ctx, usedRates(decision))))
    throw problem('conflict', { detail: 'A tax rate of this order changed during the request. Try again.' });
  if (decision?.unprovenVat) await requestProof(ctx, order.id, decision.unprovenVat);
  const entries = await entriesOf(ctx, order.id);
  const head = saleAfterEdit(ctx, order, currentSale(entries), decision);
  const year = entries[0]?.saleYear ?? head?.saleYear;
  if (year === undefined) return;
  const corrections = reversals(head ? entries.filter((entry) => !isSameSale(entry, head)) : entries, 'edit');
  if (head) {
    const { changes, recorded } = editParts(
      entries.filter((entry) => isSameSale(entry, head)),
      order,
    );
    const base = countedBase(changes);
    const isRecorded = recorded.some((part) => part.base !== 0);
    const eur = isRecorded ? null : await toEur(ctx, base, order.currency, order.placedAt);
    corrections.push({ head, kind: 'edit', parts: withEur(changes, recorded, { base, eur }) });
  }
  await writeCorrections(ctx, year, corrections);
};

/**
 * Where the edited order is taxed, if it counts for the one-stop shop. In the same country the earlier decision is kept, unless the buyer
 * is a business by now.
 */
function saleAfterEdit(
  ctx: Ctx,
  order: EditInput['order'],
  before: SaleKey | undefined,
  decision: TaxDecision | undefined,
): SaleKey | undefined {
  if (!decision) return before;
  const { countsForOss, treatment } = decision.quote;
  if (treatment === 'reverse_charge') return undefined;
  if (before && decision.country === before.country) return before;
  if (!countsForOss || decision.country === null) return undefined;
  return {
    orderId: order.id,
    saleQuarter: before?.saleQuarter ?? quarterOf(ctx, order.placedAt),
    saleYear: before?.saleYear ?? yearOf(ctx, order.placedAt),
    country: decision.country,
    treatment: treatment === 'destination' ? 'destination' : 'origin',
    currency: order.currency,
  };
}

async function writeCorrections(ctx: Ctx, year: number, corrections: readonly Correction[]): Promise<void> {
  const nonEmpty = corrections.filter(({ parts }) => parts.length > 0);
  const [last] = nonEmpty.slice(-1);
  if (!last) return;
  const row = await lockYear(ctx, year);
  const now = ctx.clock.now();
  await ctx.rows(ossEntry).insertMany(
    nonEmpty.flatMap(({ head: { currency, ...head }, kind, refundId, parts }) =>
      parts.map(({ part, supplyType, ratePpm, base, tax, eur }) => ({
        ...head,
        kind,
        refundId: refundId ?? null,
        part,
        quarter: quarterOf(ctx, now),
        supplyType,
        ratePpm,
        base: { amount: base, currency },
        tax: { amount: tax, currency },
        eur: eur === null ? null : { amount: eur, currency: 'EUR' },
      })),
    ),
  );
  const net = row.net.amount + nonEmpty.flatMap(({ parts }) => parts).reduce((sum, { eur }) => sum + (eur ?? 0), 0);
  const threshold = await thresholdAfter(ctx, row, { net, kind: last.kind, orderId: last.head.orderId });
  await ctx.rows(ossYear).update(row.id, { net: { amount: net, currency: 'EUR' }, ...threshold });
  forgetYears(ctx);
}

/** A cancelled or edited sale may reset the threshold; a refunded one doesn't. */
async function thresholdAfter(
  ctx: Ctx,
  row: OssYear,
  { net, kind, orderId }: { net: number; kind: Correction['kind']; orderId: string },
): Promise<Partial<Pick<OssYear, 'exceededAt' | 'exceededBy'>>> {
  if (kind === 'refund') return {};
  if (row.exceededAt === null) return net > limitEur(ctx) ? recordThresholdPassed(ctx, row, net, orderId) : {};
  const supplied = net + (await refundedSince(ctx, row.year, row.exceededAt));
  return supplied > limitEur(ctx) ? {} : { exceededAt: null, exceededBy: null };
}

/** Refunds of uncancelled orders of the year, in minor units of EUR. */
async function refundedSince(ctx: Ctx, year: number, at: string): Promise<number> {
  const found = await ctx.db.first<{ eur: number }>(sql`
    select coalesce(-sum(e.eur_amount), 0)::int8 as eur from taxes_oss_entry e
    where e.tenant_id = ${ctx.tenant.id} and e.sale_year = ${year} and e.kind = 'refund' and e.created_at >= ${at}
      and not exists (select from taxes_oss_entry c where c.tenant_id = e.tenant_id and c.order_id = e.order_id and c.kind = 'cancel')`);
  return found?.eur ?? 0;
}
