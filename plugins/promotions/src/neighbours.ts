/** Tokens of optional plugins: only types are imported, so that their packages needn't be installed. */
import type {
  contextResolve,
  discountsCollect,
  linesResolve,
  placeCheck,
  placeCommit,
  pricesVary,
} from '@storeloom/plugin-checkout/contract';
import type { customers } from '@storeloom/plugin-customers/contract';
import type { cancelCommit, editCommit, orders } from '@storeloom/plugin-orders/contract';
import { token } from '@storeloom/plugin-sdk';

export const contextResolveHook = token<typeof contextResolve>('checkout:context.resolve');
export const linesResolveHook = token<typeof linesResolve>('checkout:lines.resolve');
export const discountsCollectHook = token<typeof discountsCollect>('checkout:discounts.collect');
export const pricesVaryHook = token<typeof pricesVary>('checkout:prices.vary');
export const placeCheckHook = token<typeof placeCheck>('checkout:place.check');
export const placeCommitHook = token<typeof placeCommit>('checkout:place.commit');
export const cancelCommitHook = token<typeof cancelCommit>('orders:cancel.commit');
export const editCommitHook = token<typeof editCommit>('orders:edit.commit');
export const customersService = token<typeof customers>('customers:customers');
export const ordersService = token<typeof orders>('orders:orders');
