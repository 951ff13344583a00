const made = new WeakSet<object>();
function operator<O extends object>(value: O): O {
  made.add(value);
  return value;
}

/** Whether `op` made this object. */
export function isOperator(value: object): boolean {
  return made.has(value);
}

/**
 * Comparisons for filters of `ctx.em`: `em.find(Reservation, { status: op.in(['booked', 'arrived']), arrival: op.gte(day) })`. A filter
 * with a `$` key that was made otherwise is refused.
 */
export const op = {
  ne: <T>(value: T | null): { $ne: T } => operator({ $ne: value as T }),
  gt: <T>(value: T): { $gt: T } => operator({ $gt: value }),
  gte: <T>(value: T): { $gte: T } => operator({ $gte: value }),
  lt: <T>(value: T): { $lt: T } => operator({ $lt: value }),
  lte: <T>(value: T): { $lte: T } => operator({ $lte: value }),
  /** `from` included, `to` excluded. */
  between: <T>(from: T, to: T): { $gte: T; $lt: T } => operator({ $gte: from, $lt: to }),
  in: <T>(values: readonly T[]): { $in: T[] } => operator({ $in: [...values] }),
  notIn: <T>(values: readonly T[]): { $nin: T[] } => operator({ $nin: [...values] }),
  /** Case matters; `%` and `_` are wildcards. */
  like: (pattern: string): { $like: string } => operator({ $like: pattern }),
  ilike: (pattern: string): { $ilike: string } => operator({ $ilike: pattern }),
  and: <F extends object[]>(...filters: F): { $and: F[number][] } => operator({ $and: filters }),
  or: <F extends object[]>(...filters: F): { $or: F[number][] } => operator({ $or: filters }),
};
