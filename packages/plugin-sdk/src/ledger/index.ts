export { type AccountBalance, type AccountEntry, computeBalance } from './balance.ts';
export { formatNumber, nextNumber } from './numbers.ts';
