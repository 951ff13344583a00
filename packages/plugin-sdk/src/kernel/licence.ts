import { service } from '../token.ts';

/** The installation's licence, for display. */
export interface LicenceView {
  /** `renewal_due` shortly before expiry, `grace` after it; `expired` and `revoked` turn licensed plugins off. */
  state: 'none' | 'valid' | 'renewal_due' | 'grace' | 'expired' | 'revoked';
  /** Name of the licence plan. */
  plan: string | null;
  /** Entitlement → version range. */
  plugins: Record<string, string>;
  /** `tenants`, `stores` (open to shoppers), `seats`. */
  limits: Record<string, number>;
  /** Domains that new hosts of shops must be within; empty: any. */
  domains: string[];
  /** Instant of expiry; null for a perpetual licence. */
  expiresAt: string | null;
  /** Releases after this instant are not covered; null: no limit. */
  updatesUntil: string | null;
  /** Id of the installation. */
  installation: string;
  /** Theme → version range. */
  themes: Record<string, string>;
  /** Last characters of the activation key; null for a licence without one. */
  keyMasked: string | null;
  /** Instant of the last heartbeat to the licence server. */
  lastHeartbeatAt: string | null;
}

/** The licence of the installation. Call methods that contact the licence server outside a transaction. */
export interface Licence {
  /** Returns the current licence. */
  view(): LicenceView;
  /** Returns why the stored licence was rejected; undefined if it wasn't. */
  problem(): { code: string; message: string } | undefined;
  /** Returns whether a theme can be activated; `installed`: it is active already. */
  coversTheme(theme: { name: string; version: string }, installed?: boolean): { ok: true } | { ok: false; message: string };
  /**
   * Activates an activation key, or a certificate issued for this installation.
   *
   * @throws Problem `activation_limit`, `license_required {reason}`, `validation_failed`, `provider_not_configured`,
   * `unavailable`
   */
  activate(key: string): Promise<LicenceView>;
  /**
   * Renews the licence at the licence server.
   *
   * @throws Problem `unavailable`, `no_activation`
   */
  heartbeat(): Promise<LicenceView>;
  /** Removes the licence immediately; the licence server is notified as soon as it can be reached. */
  deactivate(): Promise<LicenceView>;
  /**
   * Does what is due: a heartbeat, the notification of a deactivation, recording the newest time seen. Called hourly by one
   * process.
   */
  runMaintenance(seen: { newestOrderAt: string | null }): Promise<void>;
}
/** Service token of `Licence`. */
export const licence = service<Licence>('kernel:licence');
