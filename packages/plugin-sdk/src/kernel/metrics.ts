import { service } from '../token.ts';

/** Figures of `/metrics` that a foundation plugin tells. */
export interface PluginMetrics {
  /** One try of a webhook. */
  webhookDelivery(outcome: 'succeeded' | 'retrying' | 'dead'): void;
}
export const pluginMetrics = service<PluginMetrics>('kernel:metrics');
