import { service } from '../token.ts';

/** Records consent for proof. Provided by the plugin customers. */
export interface Consents {
  /** Appends an entry to the consent log. */
  recordConsent(consent: {
    purpose: string;
    granted: boolean;
    /** Version of the consent text. Default: the current one in the settings of customers. */
    textVersion?: string;
    /** Id of the customer, or of what the person created; never an e-mail address. */
    subject: string;
    customerId?: string;
    /** IP address; only its network is stored. */
    ip: string | null;
    /** Where consent was given: `checkout`, `newsletter`. Default `storefront`. */
    source?: string;
  }): Promise<void>;
}
/** Service token of `Consents`. */
export const consents = service<Consents>('customers:customers');
