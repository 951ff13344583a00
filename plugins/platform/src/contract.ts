import { collect } from '@storeloom/plugin-sdk';

/** A service outside the shop, as `GET /api/admin/integrations/` shows it. No secrets. */
export interface Integration {
  /** `payment-a`, `carrier-b`, `mail`. */
  code: string;
  kind: 'payment' | 'carrier' | 'marketplace' | 'mail' | 'tax' | 'storage' | 'search' | 'other';
  /** Has what it needs to work. */
  configured: boolean;
  enabled: boolean;
  /** Null: not known, for instance never used. */
  healthy: boolean | null;
  lastError: string | null;
}

/** Every plugin that talks to an outside service adds a row for each. */
export const integrationsCollect = collect<Record<never, never>, Integration>('platform:integrations.collect', {
  policy: 'skip',
});
