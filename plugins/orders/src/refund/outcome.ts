import { allocate, mulRatio, type RefundPart, type RefundPreview, summarizeTax } from '@storeloom/plugin-sdk/money';

/**
 * The outcome of a refund with `expected` parts in payments; undefined while a part is pending. Parts that failed or were cancelled beside
 * succeeded ones reduce the refund to these: `amount` is missing from it, in minor units.
 */
export function outcomeOf(
  parts: readonly { status: 'pending' | 'succeeded' | 'failed' | 'cancelled'; amount: { amount: number } }[],
  expected: number,
): { status: 'succeeded' | 'failed' | 'cancelled'; missing: number } | undefined {
  if (parts.length < expected || parts.some(({ status }) => status === 'pending')) return undefined;
  const lost = parts.filter(({ status }) => status !== 'succeeded');
  const missing = lost.reduce((sum, { amount }) => sum + amount.amount, 0);
  if (lost.length < parts.length || lost.length === 0) return { status: 'succeeded', missing };
  return { status: lost.every(({ status }) => status === 'cancelled') ? 'cancelled' : 'failed', missing };
}

/** The calculation of a refund of which only `amount` was refunded: all parts in proportion (R4). Units stay refunded. */
export function reducedPreview(preview: RefundPreview, amount: number): RefundPreview {
  const { lines, shipping, free } = preview;
  const parts = [...lines, ...(shipping ? [shipping] : []), ...(free ? [free] : [])];
  const overpaid = preview.amount - parts.reduce((sum, part) => sum + part.amount, 0);
  const weights = [...parts.map((part) => part.amount), Math.max(0, overpaid)];
  const shares = new Map<RefundPart, number>(
    allocate(amount, weights, weights).map((share, i) => [parts[i] as RefundPart, share]),
  );
  const reduced = <P extends RefundPart>(part: P): P => {
    const share = shares.get(part) ?? 0;
    const paid = part.taxGroups.map(({ base, tax }) => base + tax);
    const taxGroups = allocate(share, paid, paid).map((left, i) => {
      const group = part.taxGroups[i] as RefundPart['taxGroups'][number];
      const tax = mulRatio(group.tax, left, base0(paid[i]));
      return { ...group, amount: mulRatio(group.amount, left, base0(paid[i])), base: left - tax, tax };
    });
    return { ...part, amount: share, tax: taxGroups.reduce((sum, { tax }) => sum + tax, 0), taxGroups };
  };
  const next = { lines: lines.map(reduced), shipping: shipping && reduced(shipping), free: free && reduced(free) };
  const taxSummary = summarizeTax([...next.lines, next.shipping, next.free].flatMap((part) => part?.taxGroups ?? []));
  const tax = taxSummary.reduce((sum, row) => sum + row.tax, 0);
  return { ...preview, ...next, amount, tax, taxSummary, refundable: preview.refundable + preview.amount - amount };
}

/** A divisor for a group without an amount, whose share is 0. */
const base0 = (paid: number | undefined): number => (paid === undefined || paid === 0 ? 1 : paid);
