import {
  cancelCommit,
  cartEvents,
  currencyUses as currencyUsesHook,
  draftEvents,
  flowLock,
  lateMoney,
  orderEvents,
  placeCommit,
  settleCommit,
} from '@storeloom/commerce';
import { definePlugin, migrations, on, peopleErase, peopleExport } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { cartsProvider } from './cart/carts-service.ts';
import { shippingQuotes } from './cart/shipping-quotes.ts';
import { cartRoutes } from './cart/storefront.ts';
import { cart } from './cart/table.ts';
import { currencyUses } from './currency-uses.ts';
import { draft } from './drafts/draft.ts';
import { discountPermission } from './drafts/fields.ts';
import { draftsProvider, generateLink } from './drafts/link.ts';
import { draftPlacing } from './drafts/placing.ts';
import { openLink } from './drafts/storefront.ts';
import { errors } from './errors.ts';
import { cancelCart, latePaymentPolicy, lockBeforeOrder, settleCart } from './flows/after-placing.ts';
import { jobs } from './jobs.ts';
import { link } from './link-table.ts';
import { confirmPayment, orderPage } from './payment/storefront.ts';
import { erasePerson, exportPerson } from './people.ts';
import { completePlacing } from './placing/commit.ts';
import { oneClick } from './placing/one-click.ts';
import { place } from './placing/storefront.ts';
import { pricingProvider } from './pricing/service.ts';
import { abandoned, recordRecovery } from './recovery/abandoned.ts';
import { optout } from './recovery/checks.ts';
import { recoveryConfig, recoveryConfigRoutes } from './recovery/config.ts';
import { recoveryRoutes, stopByOneClick, stopRecovery } from './recovery/staff.ts';
import { demo } from './seeds.ts';
import { settings } from './settings.ts';
import { abandonedCartStats, figuresProvider } from './stats.ts';

export default definePlugin({
  name: 'checkout',
  settings,
  tables: [cart, link, draftPlacing, recoveryConfig, optout],
  migrations: migrations(import.meta.url, ['0001_checkout.sql', '0002_intent.sql']),
  admin: [draft, generateLink, abandoned, ...recoveryRoutes, ...recoveryConfigRoutes],
  storefront: [...cartRoutes, shippingQuotes, place, oneClick, orderPage, confirmPayment, openLink, stopRecovery, stopByOneClick],
  hooks(h) {
    h.on(placeCommit, completePlacing, { stage: 99 });
    h.on(flowLock, lockBeforeOrder, { stage: 10 });
    h.on(settleCommit, settleCart, { stage: 90 });
    h.on(cancelCommit, cancelCart, { stage: 99 });
    h.on(lateMoney, latePaymentPolicy);
    h.on(currencyUsesHook, currencyUses);
    h.on(peopleExport, exportPerson);
    h.on(peopleErase, erasePerson);
  },
  events: {
    emits: [...Object.values(cartEvents), ...Object.values(draftEvents)],
    on: [on(orderEvents.placed, (ctx, event) => recordRecovery(ctx, event.data))],
  },
  jobs,
  provides: [pricingProvider, draftsProvider, cartsProvider, figuresProvider],
  stats: { 'abandoned-cart': abandonedCartStats },
  permissions: { [discountPermission]: 'Draft orders: own prices and discounts' },
  errors,
  seeds: { demo },
  locales: { ro, en },
});
