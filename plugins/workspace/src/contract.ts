import { service } from '@storeloom/plugin-sdk';
import type { PostalAddress } from '@storeloom/plugin-sdk/people';

/** Who keeps the shop, as documents and authorities name it. */
export interface Company {
  legalName: string | null;
  vatId: string | null;
  /** Number in the trade register. */
  regNo: string | null;
  address: PostalAddress | null;
  emails: { contact: string | null; orders: string | null; support: string | null } | null;
  phone: string | null;
}

export interface Workspace {
  /** Tells staff: in-app notification. */
  notify(notification: {
    type: string;
    title: Record<string, string>;
    body: Record<string, string>;
    link?: string;
    userIds?: string[];
  }): Promise<void>;
  /** Changes the shop's currency; 409 `base_currency_locked` after the first order. Call it last. */
  setCurrency(code: string): Promise<void>;
  /** The shop's own settings about itself. */
  company(): Promise<Company>;
}
export const workspace = service<Workspace>('workspace:workspace');
