import { checkAmount } from './rounding.ts';

/**
 * Splits an amount over weights by the largest remainder method (Hamilton); equal remainders go to the lowest index. A zero
 * weight gets 0; if all weights are 0, nothing is allocated. A negative amount is split like its absolute value. Rule R4.
 *
 * Without `caps` the shares add up to the amount. With `caps` (R17) no share exceeds its cap in absolute value: the excess is
 * spread over the entries below their cap with the same weights, and the shares add up to less than the amount if the caps are
 * too small.
 *
 * `amount` is in minor units; `weights` and `caps` are integers ≥ 0 of equal length.
 *
 * @throws RangeError for a negative or fractional weight or cap, or a different number of caps and weights
 */
export function allocate(amount: number, weights: readonly number[], caps?: readonly number[]): number[] {
  checkAmount(amount);
  checkParts(weights, 'weight');
  const size = Math.abs(amount);
  const sign = amount < 0 ? -1 : 1;
  const shares = caps ? withCaps(size, weights, caps) : hamilton(size, weights);
  return shares.map((share) => share * sign + 0);
}

function withCaps(size: number, weights: readonly number[], caps: readonly number[]): number[] {
  checkParts(caps, 'cap');
  if (caps.length !== weights.length) throw new RangeError('caps and weights differ in number');
  const shares = weights.map(() => 0);
  let rest = size;
  // Terminates: each round allocates the whole rest or fills at least one entry.
  while (rest > 0) {
    const open = weights.map((weight, i) => (shares[i]! < caps[i]! ? weight : 0));
    const round = hamilton(rest, open);
    let allocated = 0;
    for (let i = 0; i < round.length; i++) {
      const fits = Math.min(round[i]!, caps[i]! - shares[i]!);
      shares[i] = shares[i]! + fits;
      allocated += fits;
    }
    if (allocated === 0) break;
    rest -= allocated;
  }
  return shares;
}

function hamilton(size: number, weights: readonly number[]): number[] {
  return hamiltonBig(
    BigInt(size),
    weights.map((weight) => BigInt(weight)),
  ).map(Number);
}

/** Largest remainder in BigInt, for weights beyond the safe integers (effective tax rates). Size and weights are ≥ 0. */
export function hamiltonBig(size: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((a, b) => a + b, 0n);
  if (sum === 0n) return weights.map(() => 0n);
  const shares: bigint[] = [];
  const rests: { position: number; rest: bigint }[] = [];
  let left = size;
  for (const [position, weight] of weights.entries()) {
    const product = size * weight;
    const share = product / sum;
    shares.push(share);
    left -= share;
    rests.push({ position, rest: product - share * sum });
  }
  if (left > 0n) {
    // Sorting is stable: equal remainders stay in index order, as R4 requires.
    rests.sort((a, b) => (a.rest > b.rest ? -1 : a.rest < b.rest ? 1 : 0));
    for (const { position } of rests.slice(0, Number(left))) shares[position] = shares[position]! + 1n;
  }
  return shares;
}

function checkParts(parts: readonly number[], what: string): void {
  for (const part of parts) {
    if (!Number.isSafeInteger(part) || part < 0) throw new RangeError(`a ${what} must be an integer ≥ 0, not ${part}`);
  }
}
