export { formatNumber, nextNumber } from './numbers.ts';
