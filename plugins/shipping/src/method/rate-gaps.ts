import type { Warning } from '@storeloom/plugin-sdk';

export interface Range {
  methodId: string;
  min: number;
  max: number | null;
  price: { currency: string };
}

/** Measures below or between the ranges of a method, in one currency, for which it has no price. Above the last one is a limit, no gap. */
export function gapsOf(rates: readonly Range[]): Warning[] {
  const groups = new Map<string, Range[]>();
  for (const rate of rates) {
    const key = `${rate.methodId} ${rate.price.currency}`;
    groups.set(key, [...(groups.get(key) ?? []), rate]);
  }
  const warnings: Warning[] = [];
  for (const [key, own] of groups) {
    const [methodId, currency] = key.split(' ');
    let covered: number | null = 0;
    for (const { min, max } of [...own].sort((a, b) => a.min - b.min)) {
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

/** The rate whose range [min, max) holds the measure. */
export function rateFor<R extends { min: number; max: number | null }>(rates: readonly R[], measure: number): R | undefined {
  return rates.find(({ min, max }) => measure >= min && (max === null || measure < max));
}
