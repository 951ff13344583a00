import { service } from '../token.ts';

export interface TenantRecord {
  id: string;
  slug: string;
  name: string;
  status: string;
  hosts: string[];
  timezone: string;
  currency: string;
  locales: string[];
  defaultLocale: string;
  priceMode: 'gross' | 'net';
  planId: string | null;
  nichePackageId: string | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export interface NicheRecord {
  id: string;
  code: string;
  name: Record<string, string>;
  /** `{items}`: what a dashboard begins with. */
  preset: Record<string, unknown> | null;
}

export interface Tenants {
  list(): Promise<TenantRecord[]>;
  get(id: string): Promise<TenantRecord | undefined>;
  bySlug(slug: string): Promise<TenantRecord | undefined>;
  niche(by: { id: string } | { code: string }): Promise<NicheRecord | undefined>;
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
  /** Felt by every process on its next request. */
  update(id: string, change: Partial<Omit<TenantRecord, 'id' | 'createdAt' | 'updatedAt' | 'version'>>): Promise<TenantRecord>;
}
export const tenants = service<Tenants>('kernel:tenants');
