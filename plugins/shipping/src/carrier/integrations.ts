import type { integrationsCollect } from '@storeloom/plugin-platform/contract';
import type { TapFn } from '@storeloom/plugin-sdk';
import { carrier, isConfigured } from './carrier.ts';
import { carrierNames } from './names.ts';

export const carrierIntegrations: TapFn<typeof integrationsCollect> = async (ctx) => {
  const rows = await ctx.rows(carrier).find({});
  return carrierNames.map((code) => {
    const row = rows.find(({ provider }) => provider === code);
    return {
      code,
      kind: 'carrier' as const,
      configured: row ? isConfigured(ctx, row) : false,
      enabled: row?.enabled ?? false,
      healthy: row?.healthy ?? null,
      lastError: row?.lastError ?? null,
    };
  });
};
