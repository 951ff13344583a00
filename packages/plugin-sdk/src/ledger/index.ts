export { formatNumber, type NumbersInUse, nextNumber } from './numbers.ts';
