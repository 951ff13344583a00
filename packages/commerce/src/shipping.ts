import { service } from '@storeloom/plugin-sdk';

export interface Shipping {
  /** Cancels the AWB of a fulfilment that wasn't picked up yet; false when it was. */
  cancelAwb(fulfillmentId: string): Promise<boolean>;
  /** AWBs of an order for its answer. */
  awbsOf(orderId: string): Promise<
    {
      awbNumber: string;
      provider: string;
      status: string;
      fulfillmentId: string;
      events: { code: string; status: string; at: string; location: string | null; description: string | null }[];
    }[]
  >;
  /** Signed quote of shipping.quote, valid 30 minutes. */
  signQuote(quote: { methodId: string; price: number; currency: string; hash: string }): {
    quoteToken: string;
    expiresAt: string;
  };
  readQuote(token: string): { methodId: string; price: number; currency: string; hash: string } | undefined;
  /** An AWB number or tracking number this shop knows (public tracking, order search). */
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

export const shipping = service<Shipping>('shipping:shipping');
