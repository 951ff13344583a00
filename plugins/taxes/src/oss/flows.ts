import type { cancelCommit, EditInput, editCommit, refundCommit } from '@storeloom/commerce';
import { type Ctx, problem, sql, type TapFn } from '@storeloom/plugin-sdk';
import { editDecision } from '../pricing/checkout-taps.ts';
import { type Decision, usedRates } from '../pricing/quote.ts';
import { forgetYears } from '../pricing/snapshot.ts';
import { useRates } from '../rate/use.ts';
import { cancelParts, countedBase, editParts, type Part, refundParts, withEur } from './correct.ts';
import { limitEur, toEur, yearOf } from './limit.ts';
import { entriesOf, lockYear, type OssEntry, type OssYear, ossEntry, ossYear, passLimit, quarterOf } from './tables.ts';

// Every tap runs under the order's lock, so the entries of the order stand still while it works.

/** What every entry of an order says about its sale. */
type Head = Pick<OssEntry, 'orderId' | 'saleQuarter' | 'saleYear' | 'country' | 'treatment'> & { currency: string };
interface Correction {
  head: Head;
  kind: 'refund' | 'cancel' | 'edit';
  refundId?: string;
  parts: readonly Part[];
}

function headOf({ orderId, saleQuarter, saleYear, country, treatment, base }: OssEntry): Head {
  return { orderId, saleQuarter, saleYear, country, treatment, currency: base.currency };
}
const samePlace = (a: Pick<Head, 'country' | 'treatment'>, b: Pick<Head, 'country' | 'treatment'>): boolean =>
  a.country === b.country && a.treatment === b.treatment;

/** refund.commit, stage 15: back at the rates of the sale, in this quarter. The limit that was passed stays passed. */
export const correctRefund: TapFn<typeof refundCommit> = async (ctx, input) => {
  const all = await entriesOf(ctx, input.order.id);
  const head = standingOf(all);
  if (!head) return;
  const parts = refundParts(
    all.filter((entry) => samePlace(entry, head)),
    input,
  );
  await correct(ctx, head.saleYear, [{ head, kind: 'refund', refundId: input.refundId, parts }]);
};

/** cancel.commit, stage 15: nothing was supplied. If this order passed the limit, the limit isn't passed by it. */
export const correctCancel: TapFn<typeof cancelCommit> = async (ctx, input) => {
  const entries = await entriesOf(ctx, input.order.id);
  const first = entries[0];
  if (first) await correct(ctx, first.saleYear, reversals(entries, 'cancel'));
};

function headsOf(entries: readonly OssEntry[]): Head[] {
  const heads: Head[] = [];
  for (const head of entries.map(headOf)) if (!heads.some((known) => samePlace(known, head))) heads.push(head);
  return heads;
}

/** Where the order is taxed now: an edit of its address may have moved it, which left nothing at the old place. */
function standingOf(entries: readonly OssEntry[]): Head | undefined {
  const sold = (head: Head): number =>
    entries
      .filter((entry) => samePlace(entry, head) && (entry.kind === 'sale' || entry.kind === 'edit'))
      .reduce((sum, { base, tax }) => sum + base.amount + tax.amount, 0);
  return headsOf(entries).sort((a, b) => sold(b) - sold(a))[0];
}

/** Takes back everything that is left, place by place. */
function reversals(entries: readonly OssEntry[], kind: 'cancel' | 'edit'): Correction[] {
  return headsOf(entries).map((head) => ({ head, kind, parts: cancelParts(entries.filter((entry) => samePlace(entry, head))) }));
}

/**
 * edit.commit, stage 15: the order was written with its new figures. A new address moves the sale to another country, or out of the
 * one-stop shop, or into it; the taxes that were asked for in this unit of work say which.
 */
export const correctEdit: TapFn<typeof editCommit> = async (ctx, { order }) => {
  const decision = editDecision(ctx);
  if (decision && !(await useRates(ctx, usedRates(decision))))
    throw problem('conflict', { detail: 'A tax rate of this order has changed in the meantime. Try again.' });
  const entries = await entriesOf(ctx, order.id);
  const head = headAfter(ctx, order, standingOf(entries), decision);
  const year = entries[0]?.saleYear ?? head?.saleYear;
  if (year === undefined) return;
  const corrections = reversals(head ? entries.filter((entry) => !samePlace(entry, head)) : entries, 'edit');
  if (head) {
    const { changes, recorded } = editParts(
      entries.filter((entry) => samePlace(entry, head)),
      order,
    );
    const base = countedBase(changes);
    const eur = recorded.length > 0 ? null : await toEur(ctx, base, order.currency, order.placedAt);
    corrections.push({ head, kind: 'edit', parts: withEur(changes, recorded, { base, eur }) });
  }
  await correct(ctx, year, corrections);
};

/** Where the edited order is taxed, if the one-stop shop looks at it. In the same country everything stays as it was decided. */
function headAfter(
  ctx: Ctx,
  order: EditInput['order'],
  before: Head | undefined,
  decision: Decision | undefined,
): Head | undefined {
  if (!decision || (before && decision.country === before.country)) return before;
  const { countsForOss, treatment } = decision.quote;
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

async function correct(ctx: Ctx, year: number, corrections: readonly Correction[]): Promise<void> {
  const some = corrections.filter(({ parts }) => parts.length > 0);
  const [last] = some.slice(-1);
  if (!last) return;
  const row = await lockYear(ctx, year);
  const now = ctx.clock.now();
  await ctx.rows(ossEntry).insertMany(
    some.flatMap(({ head: { currency, ...head }, kind, refundId, parts }) =>
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
  const net = row.net.amount + some.flatMap(({ parts }) => parts).reduce((sum, { eur }) => sum + (eur ?? 0), 0);
  const limit = await limitAfter(ctx, row, { net, kind: last.kind, orderId: last.head.orderId });
  await ctx.rows(ossYear).update(row.id, { net: { amount: net, currency: 'EUR' }, ...limit });
  forgetYears(ctx);
}

/** A sale that wasn't made, or not like this, passes no limit; one that was made and refunded later does. */
async function limitAfter(
  ctx: Ctx,
  row: OssYear,
  { net, kind, orderId }: { net: number; kind: Correction['kind']; orderId: string },
): Promise<Partial<Pick<OssYear, 'exceededAt' | 'exceededBy'>>> {
  if (kind === 'refund') return {};
  if (row.exceededAt === null) return net > limitEur(ctx) ? passLimit(ctx, row, net, orderId) : {};
  const supplied = net + (await refundedSince(ctx, row.year, row.exceededAt));
  return supplied > limitEur(ctx) ? {} : { exceededAt: null, exceededBy: null };
}

/** Of orders of the year that stand, in minor units of EUR. */
async function refundedSince(ctx: Ctx, year: number, at: string): Promise<number> {
  const found = await ctx.db.first<{ eur: number }>(sql`
    select coalesce(-sum(e.eur_amount), 0)::int8 as eur from taxes_oss_entry e
    where e.tenant_id = ${ctx.tenant.id} and e.sale_year = ${year} and e.kind = 'refund' and e.created_at >= ${at}
      and not exists (select from taxes_oss_entry c where c.tenant_id = e.tenant_id and c.order_id = e.order_id and c.kind = 'cancel')`);
  return found?.eur ?? 0;
}
