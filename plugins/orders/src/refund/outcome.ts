/**
 * What became of a refund as a whole: of `asked` parts that go through payments, those that payments keep. Undefined while one is on its
 * way, or where one failed and another went through: that needs a person.
 */
export function outcomeOf(
  parts: readonly { status: 'pending' | 'succeeded' | 'failed' | 'cancelled' }[],
  asked: number,
): 'succeeded' | 'failed' | undefined {
  if (parts.length < asked || parts.some(({ status }) => status === 'pending')) return undefined;
  if (parts.every(({ status }) => status === 'succeeded')) return 'succeeded';
  return parts.some(({ status }) => status === 'succeeded') ? undefined : 'failed';
}
