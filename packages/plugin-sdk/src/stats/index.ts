export type { StatsPeriod, StatsProvider, StatsResult } from '../plugin.ts';
export { average, averageMoney, percent } from './figures.ts';
export { daySeries, lastDays, maskStats, nextDays, sqlDate, statsPeriod } from './stats.ts';
