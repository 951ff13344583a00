import { type UnitRun, unitRuns } from './parts.ts';

/** Units of one line with the same discounts so far. They share the total evenly (R13). */
export interface UnitGroup {
  /** Number of units. */
  count: number;
  /** What the units cost after the discounts so far, in minor units. */
  total: number;
  /** How much of the discounts so far were percentages, in minor units. */
  percentOff: number;
  /** The units belong to a complete set of buy X get Y, as bought or as discounted units. */
  inSet: boolean;
}

/** Units of a group that cost the same and have the same base of a percentage. */
export interface GroupRun extends UnitRun {
  /** Position of the group in its line. */
  group: number;
  /** `amount` before earlier percentages. */
  base: number;
}

/** Some units of a group, with the sums of what they cost. */
export interface UnitPick {
  group: number;
  count: number;
  total: number;
  base: number;
  /** Discount of these units in minor units. */
  discount: number;
}

/** Returns the largest further discount of a group: down to 0, or to the minimum price of each unit (R17). */
export function groupRoom({ total, count }: UnitGroup, minPrice: number): number {
  return Math.max(0, total - minPrice * count);
}

/** Returns the units in runs of the same amount and base. Runs at 0 are left out: a free gift must not use up a discount (P5). */
export function groupRuns(groups: readonly UnitGroup[]): GroupRun[] {
  return groups.flatMap(({ total, percentOff, count }, group) => {
    const amounts = unitRuns(total, count);
    const bases = unitRuns(total + percentOff, count);
    const ends = [...new Set([amounts[0]!.count, bases[0]!.count, count])].sort((a, b) => a - b);
    return ends
      .map((end, i) => {
        const start = ends[i - 1] ?? 0;
        return { group, count: end - start, amount: amountAt(amounts, start), base: amountAt(bases, start) };
      })
      .filter(({ amount }) => amount > 0);
  });
}

function amountAt([first, second]: readonly UnitRun[], unit: number): number {
  return unit < first!.count ? first!.amount : second!.amount;
}

/** Applies the discounts of single units: they leave their group, unless all of the group were picked. */
export function applyPicks(
  groups: readonly UnitGroup[],
  picks: readonly UnitPick[],
  { percent, inSet }: { percent: boolean; inSet: boolean },
): UnitGroup[] {
  return groups.flatMap((group, i) => {
    const pick = picks
      .filter((each) => each.group === i)
      .reduce((sum, each) => addPicks(sum, each), { group: i, count: 0, total: 0, base: 0, discount: 0 });
    if (pick.count === 0) return [group];
    const earlier = pick.base - pick.total;
    const picked: UnitGroup = {
      count: pick.count,
      total: pick.total - pick.discount,
      percentOff: earlier + (percent ? pick.discount : 0),
      inSet: group.inSet || inSet,
    };
    if (pick.count === group.count) return [picked];
    const rest = { count: group.count - pick.count, total: group.total - pick.total, percentOff: group.percentOff - earlier };
    return [picked, { ...rest, inSet: group.inSet }];
  });
}

function addPicks(a: UnitPick, b: UnitPick): UnitPick {
  return {
    group: a.group,
    count: a.count + b.count,
    total: a.total + b.total,
    base: a.base + b.base,
    discount: a.discount + b.discount,
  };
}

/** Applies the share that each group has of a discount of the whole line. */
export function applyShares(groups: readonly UnitGroup[], shares: readonly number[], percent: boolean): UnitGroup[] {
  return groups.map((group, i) => ({
    ...group,
    total: group.total - shares[i]!,
    percentOff: group.percentOff + (percent ? shares[i]! : 0),
  }));
}

/**
 * Marks units as bought for a set, the most expensive first. Units at 0 and units of earlier sets can't be bought; a line with too
 * few others (an order repriced for another address) has all of them marked.
 */
export function markBought(groups: readonly UnitGroup[], quantity: number): UnitGroup[] {
  const runs = groupRuns(groups)
    .filter(({ group }) => !groups[group]!.inSet)
    .sort((a, b) => b.amount - a.amount);
  let left = quantity;
  const picks: UnitPick[] = [];
  for (const { group, count, amount, base } of runs) {
    const taken = Math.min(count, left);
    if (taken > 0) picks.push({ group, count: taken, total: taken * amount, base: taken * base, discount: 0 });
    left -= taken;
  }
  return applyPicks(groups, picks, { percent: false, inSet: true });
}
