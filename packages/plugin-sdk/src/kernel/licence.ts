import { service } from '../token.ts';

export interface LicenceView {
  state: 'none' | 'valid' | 'renewal_due' | 'grace' | 'expired' | 'revoked';
  plan: string | null;
  plugins: Record<string, string>;
  /** `tenants`, `stores` (open to shoppers), `seats`. */
  limits: Record<string, number>;
  /** A shop's new hosts are these or below them; empty: any. */
  domains: string[];
  expiresAt: string | null;
  updatesUntil: string | null;
  installation: string;
  /** Theme → range of versions. */
  themes: Record<string, string>;
  /** The end of the activation key; null for a licence without one. */
  keyMasked: string | null;
  lastHeartbeatAt: string | null;
}

/** The licence of the installation. What asks a licence server is called outside any transaction. */
export interface Licence {
  view(): LicenceView;
  /** Why the stored licence was refused. */
  problem(): { code: string; message: string } | undefined;
  /** Whether a theme may be put on; `installed`: it was on before. */
  coversTheme(theme: { name: string; version: string }, installed?: boolean): { ok: true } | { ok: false; message: string };
  /**
   * An activation key, or a certificate that was made for this installation.
   * @throws Problem `activation_limit`, `license_required {reason}`, `validation_failed`, `provider_not_configured`, `unavailable`
   */
  activate(key: string): Promise<LicenceView>;
  /** @throws Problem `unavailable` (the state says since when), `no_activation` */
  heartbeat(): Promise<LicenceView>;
  /** Takes effect here at once; the server hears of it as soon as it can be reached. */
  deactivate(): Promise<LicenceView>;
  /** What is due: a heartbeat, word of a deactivation, the newest time seen. Called hourly by one process. */
  runMaintenance(seen: { newestOrderAt: string | null }): Promise<void>;
}
export const licence = service<Licence>('kernel:licence');
