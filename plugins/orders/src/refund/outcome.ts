/**
 * The outcome of a refund with `expected` parts in payments. Undefined while a part is pending, or if some parts failed and others
 * succeeded, which staff must resolve.
 */
export function outcomeOf(
  parts: readonly { status: 'pending' | 'succeeded' | 'failed' | 'cancelled' }[],
  expected: number,
): 'succeeded' | 'failed' | 'cancelled' | undefined {
  if (parts.length < expected || parts.some(({ status }) => status === 'pending')) return undefined;
  if (parts.every(({ status }) => status === 'succeeded')) return 'succeeded';
  if (parts.some(({ status }) => status === 'succeeded')) return undefined;
  return parts.every(({ status }) => status === 'cancelled') ? 'cancelled' : 'failed';
}
