import { service } from '../token.ts';

/** A tenant, as the platform manages it. */
export interface TenantRecord {
  id: string;
  /** Unique short name. */
  slug: string;
  name: string;
  /** `provisioning`, `trial`, `active`, `past_due`, `suspended` or `terminated`. */
  status: string;
  /** Host names, the main one first. */
  hosts: string[];
  /** IANA time zone. */
  timezone: string;
  /** ISO 4217 code. */
  currency: string;
  /** Locales of the shop. */
  locales: string[];
  /** One of `locales`. */
  defaultLocale: string;
  /** Whether prices contain the tax. */
  priceMode: 'gross' | 'net';
  /** Plan, if it has one. */
  planId: string | null;
  /** Niche package, if it has one. */
  nichePackageId: string | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

/** A niche package: the plugins and presets of a kind of shop. */
export interface NicheRecord {
  id: string;
  code: string;
  /** Name by locale. */
  name: Record<string, string>;
  /** `{items}`: the initial dashboard. */
  preset: Record<string, unknown> | null;
}

/** Manages tenants. For foundation plugins. */
export interface Tenants {
  /** Returns all tenants. */
  list(): Promise<TenantRecord[]>;
  /** Returns a tenant; undefined if it doesn't exist. */
  get(id: string): Promise<TenantRecord | undefined>;
  /** Returns a tenant by its slug; undefined if it doesn't exist. */
  bySlug(slug: string): Promise<TenantRecord | undefined>;
  /** Returns a niche package; undefined if it doesn't exist. */
  niche(by: { id: string } | { code: string }): Promise<NicheRecord | undefined>;
  /**
   * Creates a tenant.
   *
   * @throws Problem 409 `duplicate` for a slug or host that is taken
   */
  create(values: {
    name: string;
    slug: string;
    hosts: string[];
    planId?: string | null;
    nichePackageId?: string | null;
    timezone?: string;
    currency?: string;
    locales?: string[];
    defaultLocale?: string;
    priceMode?: 'gross' | 'net';
    status?: string;
  }): Promise<TenantRecord>;
  /** Changes a tenant; every process uses the change from its next request. */
  update(id: string, change: Partial<Omit<TenantRecord, 'id' | 'createdAt' | 'updatedAt' | 'version'>>): Promise<TenantRecord>;
}
/** Service token of `Tenants`. */
export const tenants = service<Tenants>('kernel:tenants');
