import { type Payable, payable } from '@storeloom/commerce';
import { type Ctx, problem, provide } from '@storeloom/plugin-sdk';
import { offeredMethods } from '../method/offer.ts';
import { start } from '../payment/attempt.ts';
import { paymentsOf } from '../payment/payment.ts';
import { isOnline } from '../provider/providers.ts';
import { requestRefund } from '../refund/refund.ts';
import { enqueueSettlement } from './settlement.ts';

function createPayable(ctx: Ctx): Payable {
  return {
    async requireOnline(total) {
      const methods = await ctx.transaction((inner) => offeredMethods(inner, { total }));
      if (!methods.some(({ provider }) => isOnline(provider)))
        throw problem('provider_not_configured', {
          provider: 'payments',
          detail: 'No online payment method is enabled for this amount.',
        });
    },
    async start({ expiresAt, customerId, returnUrl, ...request }, free) {
      try {
        const { status, url } = await start(ctx, {
          ...request,
          ...(expiresAt === null ? {} : { expiresAt }),
          ...(customerId === null ? {} : { customerId }),
          ...(returnUrl === null ? {} : { returnUrl }),
        });
        if (status === 'failed') throw problem('unavailable', { detail: "The payment couldn't be started. Try again later." });
        return url;
      } catch (error) {
        await free();
        throw error;
      }
    },
    giveBack: (subject, reason) => enqueueSettlement(ctx, { for: subject, reason, ended: true }),
    async giveBackPart(subject, { amount, reason, key }) {
      const captured = (await paymentsOf(ctx, subject)).find(({ capturedAmount }) => capturedAmount > 0);
      if (captured) await requestRefund(ctx, { paymentId: captured.id, amount, reason, key });
    },
  };
}

export const payableService = provide(payable, createPayable);
