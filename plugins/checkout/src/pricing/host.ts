import type { AnyHook, HookInput, HookResult } from '@storeloom/plugin-sdk';

/** Dependencies of the pricing pipeline, so that tests run it without a `Ctx`. */
export interface PricingHost {
  call<H extends AnyHook>(hook: H, input: HookInput<H>): Promise<HookResult<H>>;
  isOn(plugin: string): boolean;
  /** Id of a line that a promotion adds. */
  giftId(promotionId: string, variantId: string): string;
  /** Whether a number of units of a gift is available. */
  giftAvailable(variantId: string, quantity: number): Promise<boolean>;
  /** Verifies a quote token. Returns undefined when the signature is invalid or the token has expired. */
  readQuote(token: string): { methodId: string; price: number; currency: string; hash: string } | undefined;
}
