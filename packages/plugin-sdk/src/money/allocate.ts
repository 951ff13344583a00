import { checkAmount } from './rounding.ts';

/**
 * R4, the bare function: splits an amount over weights by largest remainder (Hamilton); ties go to the lowest position. A zero weight
 * gets 0; all weights zero: nothing is allocated. A negative amount is split like its absolute value.
 *
 * Without rooms it doesn't cap, and the shares add up to the amount. With `rooms` (R17) no share is larger than its room (absolute
 * value): what doesn't fit is spread over those that still have room, with the same weights, and if all rooms together are too small
 * the shares add up to what fits.
 *
 * Weights and rooms are integers ≥ 0, one of each a line; else `RangeError`.
 */
export function allocate(amount: number, weights: readonly number[], rooms?: readonly number[]): number[] {
  checkAmount(amount);
  checkParts(weights, 'weight');
  const size = Math.abs(amount);
  const sign = amount < 0 ? -1 : 1;
  const shares = rooms ? withRooms(size, weights, rooms) : hamilton(size, weights);
  return shares.map((share) => share * sign + 0);
}

function withRooms(size: number, weights: readonly number[], rooms: readonly number[]): number[] {
  checkParts(rooms, 'room');
  if (rooms.length !== weights.length) throw new RangeError('one room a weight');
  const shares = weights.map(() => 0);
  let rest = size;
  // Each round gives all that is left or fills at least one line, so it ends.
  while (rest > 0) {
    const open = weights.map((weight, i) => (shares[i]! < rooms[i]! ? weight : 0));
    const round = hamilton(rest, open);
    let given = 0;
    for (let i = 0; i < round.length; i++) {
      const fits = Math.min(round[i]!, rooms[i]! - shares[i]!);
      shares[i] = shares[i]! + fits;
      given += fits;
    }
    if (given === 0) break;
    rest -= given;
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
    // Sorting is stable, so equal remainders stay in line order: the tie rule.
    rests.sort((a, b) => (a.rest > b.rest ? -1 : a.rest < b.rest ? 1 : 0));
    for (const { position } of rests.slice(0, Number(left))) shares[position] = shares[position]! + 1n;
  }
  return shares;
}

function checkParts(parts: readonly number[], what: string): void {
  for (const part of parts) {
    if (!Number.isSafeInteger(part) || part < 0) throw new RangeError(`a ${what} is a whole number ≥ 0, not ${part}`);
  }
}
