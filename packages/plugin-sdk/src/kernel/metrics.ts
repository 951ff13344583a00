import { service } from '../token.ts';

/** Metrics of `/metrics` that foundation plugins report. */
export interface PluginMetrics {
  /** Counts one delivery attempt of a webhook. */
  webhookDelivery(outcome: 'succeeded' | 'retrying' | 'dead'): void;
}
/** Service token of `PluginMetrics`. */
export const pluginMetrics = service<PluginMetrics>('kernel:metrics');
