import { f } from './field.ts';

/**
 * Returns the field of a code by which people, orders and other systems name a row: letters, digits, `.`, `_` and `-`, at most `max`
 * characters. Unique; lists filter, sort and search by it.
 */
export const codeField = ({ max = 60 }: { max?: number } = {}) =>
  f
    .text({ max, pattern: /^[A-Za-z0-9][A-Za-z0-9._-]*$/ })
    .unique()
    .filter()
    .sort()
    .search();
