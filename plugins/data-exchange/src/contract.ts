import type { Readable } from 'node:stream';
import { service } from '@storeloom/plugin-sdk';

export interface ImportReport {
  status: 'running' | 'completed' | 'completed_with_errors' | 'failed';
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  errors: { line: number; column: string | null; code: string; message: string }[];
  warnings: { line: number | null; code: string; message: string }[];
}
export interface DataExchange {
  /** The product import as a service, for seeds. */
  importProducts(
    source: Readable | Buffer,
    options: {
      format: 'native' | 'shopify';
      mode?: 'create' | 'update' | 'upsert';
      dryRun?: boolean;
      decimalComma?: boolean;
      stock?: 'new' | 'set';
      image?: (src: string) => Promise<string | null>;
      /** Products with this tag stand on the front page, others don't. Default: the file says nothing about it. */
      featuredTag?: string;
    },
  ): Promise<ImportReport>;
}
export const dataExchange = service<DataExchange>('data-exchange:data-exchange');
