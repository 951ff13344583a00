import { collect, service } from '@storeloom/plugin-sdk';
import type { Consents } from '@storeloom/plugin-sdk/public';

/** What somebody agreed to, or no longer agrees to. */
export type Consent = Parameters<Consents['recordConsent']>[0] & {
  /** What the log says of the subject already is not written again. */
  once?: boolean;
};

export interface CustomerView {
  id: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  phone: string | null;
  company: string | null;
  vatId: string | null;
  status: 'active' | 'disabled' | 'erased';
  emailVerifiedAt: string | null;
  groupIds: string[];
  /** Agreed to marketing mail, and didn't take it back. */
  acceptsMarketing: boolean;
}

export interface Customers {
  /**
   * Finds the customer with the e-mail address or creates one. Names and phone fill what is empty, unless somebody has registered with the
   * address: that record belongs to the customer.
   */
  upsert(person: {
    email: string;
    phone?: string | null;
    firstName?: string | null;
    lastName?: string | null;
    company?: string | null;
    vatId?: string | null;
    acceptsMarketing?: boolean;
  }): Promise<{ id: string; created: boolean }>;
  get(id: string): Promise<CustomerView | undefined>;
  byEmail(email: string): Promise<CustomerView | undefined>;
  saveAddress(customerId: string, address: Record<string, unknown>): Promise<void>;
  addresses(customerId: string): Promise<Record<string, unknown>[]>;
  recordConsent(consent: Consent): Promise<void>;
  /** Rows of an export, by the filters of the customer list. */
  exportRows(filter: Record<string, string>): AsyncIterable<Record<string, unknown>>;
  /** Groups of a customer, the decisive one first (lowest priority, then code). */
  groupsOf(customerId: string | null): Promise<
    {
      id: string;
      code: string;
      priority: number;
      priceListCode: string | null;
      discountBp: number | null;
      taxExempt: boolean;
      taxDisplay: 'gross' | 'net' | null;
    }[]
  >;
}

export const customers = service<Customers>('customers:customers');

/** What must be settled before an account can be deleted: every plugin that keeps something open for customers counts it. */
export const accountOpen = collect<
  { customerId: string; email: string },
  { what: 'orders' | 'subscriptions' | 'returns' | 'balance'; count: number }
>('customers:account.open');
