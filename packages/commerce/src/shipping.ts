import { service } from '@storeloom/plugin-sdk';

/** Shipments and signed quotes. Provided by plugin shipping. */
export interface Shipping {
  /** Cancels the AWB of a fulfilment. Returns false when the carrier has picked it up. */
  cancelAwb(fulfillmentId: string): Promise<boolean>;
  /** AWBs of an order with their events. */
  awbsOf(orderId: string): Promise<
    {
      awbNumber: string;
      provider: string;
      status: string;
      fulfillmentId: string;
      events: { code: string; status: string; at: string; location: string | null; description: string | null }[];
    }[]
  >;
  /** Signs a quote, which holds its price for 30 minutes. `hash` identifies the cart that it was made for. */
  signQuote(quote: { methodId: string; price: number; currency: string; hash: string }): {
    quoteToken: string;
    expiresAt: string;
  };
  /** The quote of a token; undefined when the token is invalid or expired. */
  readQuote(token: string): { methodId: string; price: number; currency: string; hash: string } | undefined;
  /** Finds a shipment of this shop by AWB or tracking number, for public tracking and order search. */
  track(awb: string): Promise<
    | {
        awbNumber: string;
        provider: string;
        status: string;
        events: { code: string; status: string; at: string; location: string | null; description: string | null }[];
      }
    | undefined
  >;
}

/** Token of `Shipping`. */
export const shipping = service<Shipping>('shipping:shipping');
