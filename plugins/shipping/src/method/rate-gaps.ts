import type { Warning } from '@storeloom/plugin-sdk';

export interface Range {
  methodId: string;
  min: number;
  max: number | null;
  price: { currency: string };
}

/**
 * Gaps below or between the ranges of a method in one currency. Values above the last range are a limit of the method, not a gap.
 */
export function gapsOf(rates: readonly Range[]): Warning[] {
  const groups = new Map<string, Range[]>();
  for (const rate of rates) {
    const key = `${rate.methodId} ${rate.price.currency}`;
    groups.set(key, [...(groups.get(key) ?? []), rate]);
  }
  const warnings: Warning[] = [];
  for (const [key, ranges] of groups) {
    const [methodId, currency] = key.split(' ');
    let covered: number | null = 0;
    for (const { min, max } of [...ranges].sort((a, b) => a.min - b.min)) {
      if (covered !== null && min > covered)
        warnings.push({
          code: 'rate_gap',
          message: `Method ${methodId} has no rate in ${currency} from ${covered} up to ${min}.`,
        });
      covered = max;
    }
  }
  return warnings;
}

/** The rate whose range [min, max) contains the value. */
export function rateFor<R extends { min: number; max: number | null }>(rates: readonly R[], value: number): R | undefined {
  return rates.find(({ min, max }) => value >= min && (max === null || value < max));
}
