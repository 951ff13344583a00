import { type MoneyValue, service } from '@storeloom/plugin-sdk';
import type { TenderWish } from './tender.ts';

/** Carts, for plugins that put something of theirs on one (gift cards). */
export interface Carts {
  /** The open cart of a token: 404 unknown, 409 `cart_converted`. Locked for update. */
  byToken(token: string): Promise<{ id: string; currency: string; customerId: string | null; email: string | null }>;
  /** Remembers a tender wish, one a type and code; gives the cart as its visitor sees it. */
  wishTender(cartId: string, wish: TenderWish): Promise<Record<string, unknown>>;
  /** Whether a cart in use is in this currency. */
  usesCurrency(code: string): Promise<boolean>;
}

export const carts = service<Carts>('checkout:carts');

/** Recovery figures a civil day of the tenant's zone, for analytics. Amounts in minor units of the tenant's currency. */
export interface RecoveryFigures {
  days(period: {
    start: string;
    end: string;
  }): Promise<
    { date: string; abandoned: number; abandonedValue: number; reminded: number; recovered: number; recoveredValue: number }[]
  >;
}

export const recoveryFigures = service<RecoveryFigures>('checkout:recovery-figures');

export interface CartEvents {
  'checkout.cart.abandoned': { cartId: string; email: string | null; customerId: string | null; value: MoneyValue };
  'checkout.cart.recovered': { cartId: string; orderId: string };
  'checkout.cart.converted': { cartId: string; orderId: string };
  'checkout.draft.link_sent': { draftId: string };
  'checkout.draft.completed': { draftId: string; orderId: string };
}
