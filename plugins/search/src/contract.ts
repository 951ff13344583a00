import { service } from '@storeloom/plugin-sdk';

export interface SearchLog {
  /** Top queries of a period, for analytics. */
  top(period: {
    start: string;
    end: string;
    limit: number;
  }): Promise<{ query: string; searches: number; resultsAverage: number; clicks: number }[]>;
}
export const searchLog = service<SearchLog>('search:search-log');
