import type { RateRule } from './settings.ts';

export interface Violation {
  rule:
    | 'closed'
    | 'closed_to_arrival'
    | 'closed_to_departure'
    | 'min_stay'
    | 'max_stay'
    | 'min_stay_arrival'
    | 'max_stay_arrival'
    | 'quota'
    | 'max_avail';
  date: string;
  limit?: number;
}
export interface Stay {
  checkIn: string;
  checkOut: string;
  /** Civil dates from check-in, without the date of check-out. */
  nights: readonly string[];
}

const covers = (rule: RateRule, date: string): boolean => rule.from <= date && date <= rule.to;

/**
 * Restrictions that the stay violates. closed, quota, maxAvail, minStay and maxStay apply to every night, the arrival rules to the arrival
 * date, closedToDeparture to the departure date. `sold`: number of rooms of the type sold on a night.
 */
export function violationsOf(
  rules: readonly RateRule[],
  stay: Stay,
  sold: (night: string) => number = () => 0,
  quantity = 1,
): Violation[] {
  const found: Violation[] = [];
  const length = stay.nights.length;
  const limit = (rule: Violation['rule'], date: string, value: number | null, broken: (limit: number) => boolean): void => {
    if (value !== null && broken(value)) found.push({ rule, date, limit: value });
  };
  const inTime = rules.filter(({ from, to }) => from <= stay.checkOut && stay.checkIn <= to);
  for (const night of stay.nights)
    for (const rule of inTime.filter((each) => covers(each, night))) {
      if (rule.closed) found.push({ rule: 'closed', date: night });
      limit('min_stay', night, rule.minStay, (least) => length < least);
      limit('max_stay', night, rule.maxStay, (most) => length > most);
      limit('quota', night, rule.quota, (most) => sold(night) + quantity > most);
      limit('max_avail', night, rule.maxAvail, (most) => quantity > most);
    }
  for (const rule of inTime.filter((each) => covers(each, stay.checkIn))) {
    if (rule.closedToArrival) found.push({ rule: 'closed_to_arrival', date: stay.checkIn });
    limit('min_stay_arrival', stay.checkIn, rule.minStayArrival, (least) => length < least);
    limit('max_stay_arrival', stay.checkIn, rule.maxStayArrival, (most) => length > most);
  }
  for (const rule of inTime.filter((each) => covers(each, stay.checkOut)))
    if (rule.closedToDeparture) found.push({ rule: 'closed_to_departure', date: stay.checkOut });
  return found;
}

/**
 * Restrictions that a change of a sold stay violates. They bind new dates only: a night, an arrival or a departure that was sold before stays
 * allowed, and so does a length that the change doesn't make worse.
 */
export function violationsOfChange(
  rules: readonly RateRule[],
  stay: Stay,
  before: Stay,
  sold: (night: string) => number,
): Violation[] {
  const isShorter = stay.nights.length < before.nights.length;
  const isLonger = stay.nights.length > before.nights.length;
  const newArrival = stay.checkIn !== before.checkIn;
  const binds = ({ rule, date }: Violation): boolean => {
    const newNight = !before.nights.includes(date);
    switch (rule) {
      case 'closed_to_arrival':
        return newArrival;
      case 'closed_to_departure':
        return stay.checkOut !== before.checkOut;
      case 'min_stay_arrival':
        return newArrival || isShorter;
      case 'max_stay_arrival':
        return newArrival || isLonger;
      case 'min_stay':
        return newNight || isShorter;
      case 'max_stay':
        return newNight || isLonger;
      default:
        return newNight;
    }
  };
  return violationsOf(rules, stay, sold).filter(binds);
}

/** Most rooms offered for the nights; null: no limit. */
export function mostOffered(rules: readonly RateRule[], nights: readonly string[]): number | null {
  const limits = rules.flatMap((rule) =>
    rule.maxAvail !== null && nights.some((night) => covers(rule, night)) ? [rule.maxAvail] : [],
  );
  return limits.length === 0 ? null : Math.min(...limits);
}

/** Rate of a night: that of the last rule that covers it and has one in the shop's currency, else the base rate. */
export function rateOf(rules: readonly RateRule[], night: string, base: { amount: number; currency: string }) {
  return rules.findLast((rule) => rule.rate?.currency === base.currency && covers(rule, night))?.rate ?? base;
}
