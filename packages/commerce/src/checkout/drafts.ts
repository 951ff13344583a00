import { type MoneyValue, service } from '@storeloom/plugin-sdk';

/** Draft orders made by other plugins (RFQ quotes, recovery). */
export interface Drafts {
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

export const drafts = service<Drafts>('checkout:drafts');
