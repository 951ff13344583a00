import { collect, service } from '@storeloom/plugin-sdk';
import type { Consents } from '@storeloom/plugin-sdk/public';

/** A consent that was given or withdrawn. */
export type Consent = Parameters<Consents['recordConsent']>[0] & {
  /** Skips the entry when the log already says the same of the subject. */
  once?: boolean;
};

/** A customer record, of a registered customer or a guest. */
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
  /** Agreed to marketing e-mails and hasn't withdrawn it. */
  acceptsMarketing: boolean;
}

/** Customer records. Provided by plugin customers. */
export interface Customers {
  /**
   * Finds the customer with the e-mail address or creates one. Names and phone fill empty fields, unless a customer has registered
   * with the address: then the record is theirs and stays as it is.
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
  /** Stores an address once, however often it is saved. */
  saveAddress(customerId: string, address: Record<string, unknown>): Promise<void>;
  /** Newest first, each with its id. */
  addresses(customerId: string): Promise<Record<string, unknown>[]>;
  recordConsent(consent: Consent): Promise<void>;
  /** Customers for an export, by the filters of the admin's customer list; in batches, each read in a transaction of its own. */
  exportRows(filter: Record<string, string>): AsyncIterable<Record<string, unknown>[]>;
  /**
   * Groups of a customer by priority, then code; the first one decides prices. Guests and customers without a group: the default group.
   * So have callers who haven't proven that they are the customer: guests, and customers whose address isn't confirmed. `recorded: true`
   * returns the groups of the record to every caller, for prices that staff offered (drafts).
   */
  groupsOf(
    customerId: string | null,
    options?: { recorded?: boolean },
  ): Promise<
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

/** Token of `Customers`. */
export const customers = service<Customers>('customers:customers');

/** Taps count what must be settled before a customer can delete their account. */
export const accountOpen = collect<
  { customerId: string; email: string },
  { what: 'orders' | 'subscriptions' | 'returns' | 'balance'; count: number }
>('customers:account.open');
