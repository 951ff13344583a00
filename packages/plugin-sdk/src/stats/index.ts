export { percent, statsPeriod } from './stats.ts';
