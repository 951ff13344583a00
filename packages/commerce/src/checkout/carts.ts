import { service } from '@storeloom/plugin-sdk';
import type { TenderRequest } from './tender.ts';

/** Carts, for plugins that add a tender to one (gift cards). Provided by plugin checkout. */
export interface Carts {
  /**
   * Returns the open cart of a token and locks it for update.
   * @throws Problem 404 `not_found`, 409 `cart_converted`
   */
  byToken(token: string): Promise<{ id: string; currency: string; customerId: string | null; email: string | null }>;
  /** Stores a tender on the cart; it replaces the one with the same type and code. Returns the cart as the storefront shows it. */
  requestTender(cartId: string, request: TenderRequest): Promise<Record<string, unknown>>;
  /** Whether an open cart is in this currency. */
  usesCurrency(code: string): Promise<boolean>;
}

/** Token of `Carts`. */
export const carts = service<Carts>('checkout:carts');

/** Cart recovery by day, for analytics. Days in the tenant's time zone, values in minor units of the tenant's currency. */
export interface RecoveryFigures {
  days(period: {
    start: string;
    end: string;
  }): Promise<
    { date: string; abandoned: number; abandonedValue: number; reminded: number; recovered: number; recoveredValue: number }[]
  >;
}

/** Token of `RecoveryFigures`. */
export const recoveryFigures = service<RecoveryFigures>('checkout:recovery-figures');
