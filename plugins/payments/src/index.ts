import {
  cancelCommit,
  editCommit,
  orderEvents,
  paymentStart,
  placeCommit,
  refundCommit,
  settleCommit,
  shipCommit,
  surchargesCollect,
  tendersCollect,
} from '@storeloom/commerce';
import { definePlugin, migrations, on, peopleErase, peopleExport, work } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { errors } from './errors.ts';
import { emits } from './events.ts';
import { editPayment } from './flows/edit.ts';
import { refundPayments, verifySettlement } from './flows/order-taps.ts';
import { healJob } from './flows/reconcile.ts';
import { captureJob, recoverJob, refundJob, voidJob } from './jobs.ts';
import { paymentMethod, settingsRoutes } from './method/method.ts';
import { checkMethodForRemainder, collectMethodFee } from './method/offer.ts';
import { markPaid, recordCashOnDelivery } from './method/offline.ts';
import { payableService } from './payable/payable.ts';
import { settleJob } from './payable/settlement.ts';
import { capture, captureShipment } from './payment/capture.ts';
import { createOrderPayment } from './payment/create.ts';
import { instrument } from './payment/instrument.ts';
import { payment } from './payment/payment.ts';
import { releaseOrderPayments } from './payment/release.ts';
import { startOrderPayment } from './payment/start-provider.ts';
import { erasePerson, exportPerson } from './people.ts';
import { queued } from './queued.ts';
import { refund } from './refund/refund.ts';
import { cancelRefund, listRefunds, markRefundPaid } from './refund/routes.ts';
import { seedDemo } from './seeds.ts';
import { paymentsService } from './service.ts';
import { deadLetter } from './webhook/dead-letter.ts';
import { webhooks } from './webhook/webhooks.ts';

export default definePlugin({
  name: 'payments',
  tables: [payment, refund, capture, instrument, deadLetter],
  migrations: migrations(import.meta.url, ['0001_payments.sql', '0002_configuration.sql']),
  admin: [paymentMethod, ...settingsRoutes, markPaid, listRefunds, markRefundPaid, cancelRefund],
  webhooks,
  hooks(h) {
    h.on(surchargesCollect, collectMethodFee, { stage: 10 });
    h.on(tendersCollect, checkMethodForRemainder, { stage: 90 });
    h.on(placeCommit, createOrderPayment, { stage: 95 });
    h.on(paymentStart, startOrderPayment);
    h.on(settleCommit, verifySettlement, { stage: 10 });
    h.on(cancelCommit, releaseOrderPayments, { stage: 95 });
    h.on(editCommit, editPayment, { stage: 95 });
    h.on(refundCommit, refundPayments, { stage: 95 });
    h.on(shipCommit, captureShipment, { stage: 95 });
    h.on(peopleExport, exportPerson);
    h.on(peopleErase, erasePerson);
  },
  events: { emits, on: [on(orderEvents.delivered, recordCashOnDelivery)] },
  jobs: {
    ...work(queued.capture, captureJob),
    ...work(queued.void, voidJob),
    ...work(queued.recover, recoverJob),
    ...work(queued.refund, refundJob),
    ...work(queued.settle, settleJob),
    heal: healJob,
  },
  provides: [paymentsService, payableService],
  errors,
  seeds: { demo: seedDemo },
  locales: { ro, en },
});
