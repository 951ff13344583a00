import { service } from '../token.ts';

/** Who agreed to what, kept for proof; plugin customers answers, which every shop has. */
export interface Consents {
  recordConsent(consent: {
    purpose: string;
    granted: boolean;
    /** Version of the text that was agreed to. Default: the shop's own, by the settings of customers. */
    textVersion?: string;
    /** The customer's id, or what the person made: never an address. */
    subject: string;
    customerId?: string;
    /** Only the network of it is kept. */
    ip: string | null;
    /** Where the person was asked: `checkout`, `newsletter`. Default `storefront`. */
    source?: string;
  }): Promise<void>;
}
export const consents = service<Consents>('customers:customers');
