import { personalRows, personalTaps } from '@storeloom/plugin-sdk/people';
import { instrument } from './payment/instrument.ts';
import { payment } from './payment/payment.ts';

/** Payments are kept for accounting, without address, secrets and URLs. Saved instruments are deleted; exports omit the provider's tokens. */
export const { exportPerson, erasePerson } = personalTaps(
  personalRows({
    table: payment,
    present: (_, rows) =>
      rows.map((row) => {
        const { id, forType, forId, methodCode, status, capturedAmount, refundedAmount, email, description, createdAt } = row;
        const { amount, currency } = row.amount;
        return {
          id,
          forType,
          forId,
          methodCode,
          status,
          amount,
          currency,
          capturedAmount,
          refundedAmount,
          email,
          description,
          createdAt,
        };
      }),
    erased: { saveInstrument: false },
  }),
  personalRows({
    table: instrument,
    exports: ['id', 'provider', 'brand', 'last4', 'expiry', 'usedAt', 'createdAt'],
    erased: 'removed',
  }),
);
