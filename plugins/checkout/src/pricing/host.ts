import type { AnyHook, HookInput, HookResult } from '@storeloom/plugin-sdk';

/** What the pipeline needs of its surroundings. `Ctx` gives the first two. */
export interface PricingHost {
  call<H extends AnyHook>(hook: H, input: HookInput<H>): Promise<HookResult<H>>;
  isOn(plugin: string): boolean;
  /** Id of a line that a promotion adds. */
  giftId(promotionId: string, variantId: string): string;
  /** Whether so many units of a gift can be had. */
  giftAvailable(variantId: string, quantity: number): Promise<boolean>;
  /** What a quote token promises; undefined when it is no token of ours or has expired. */
  readQuote(token: string): { methodId: string; price: number; currency: string; hash: string } | undefined;
}
