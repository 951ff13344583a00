import { type MoneyValue, service } from '@storeloom/plugin-sdk';

/** Draft orders, for plugins that create them (quotes, recovery). Provided by plugin checkout. */
export interface Drafts {
  /**
   * Creates a draft order. A line names a variant, or has a title and a unit price of its own. Returns the payment link; its token is
   * shown only here.
   */
  create(draft: {
    customerId?: string;
    email?: string;
    currency: string;
    lines: { variantId?: string; title?: string; quantity: number; unitPrice?: MoneyValue }[];
    source: 'manual' | 'rfq' | 'recovery';
    expiresAt?: string;
    note?: string;
  }): Promise<{ id: string; url: string; token: string }>;
  cancel(id: string): Promise<void>;
}

/** Token of `Drafts`. */
export const drafts = service<Drafts>('checkout:drafts');
