import type { Ctx } from '@storeloom/plugin-sdk';
import { settings } from '../settings.ts';

interface Method {
  online: boolean;
  paidLater: boolean;
  provider: string;
}

/** Whether the order is confirmed before it is paid (on delivery, by invoice). An order by bank transfer waits for the money. */
export function paysLater({ paidLater, provider }: Pick<Method, 'paidLater' | 'provider'>): boolean {
  return paidLater && provider !== 'bank_transfer';
}

/** Until when an order waits for its payment; null when it doesn't wait. */
export function paymentDueAt(ctx: Ctx, method: Method): string | null {
  if (paysLater(method)) return null;
  const { paymentWindowMinutes, offlinePaymentDays } = ctx.settings(settings);
  const wait = method.online ? paymentWindowMinutes * 60_000 : offlinePaymentDays * 86_400_000;
  return new Date(ctx.clock.ms() + wait).toISOString();
}
