/**
 * The outcome of a refund with `expected` parts in payments. Undefined while a part is pending, or if some parts failed and others
 * succeeded, which staff must resolve.
 */
export function outcomeOf(
  parts: readonly { status: 'pending' | 'succeeded' | 'failed' | 'cancelled' }[],
  expected: number,
): 'succeeded' | 'failed' | undefined {
  if (parts.length < expected || parts.some(({ status }) => status === 'pending')) return undefined;
  if (parts.every(({ status }) => status === 'succeeded')) return 'succeeded';
  return parts.some(({ status }) => status === 'succeeded') ? undefined : 'failed';
}
