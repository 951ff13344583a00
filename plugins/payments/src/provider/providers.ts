import { http, type Shape } from '@storeloom/plugin-sdk';
import type { PaymentAdapter, ProviderCall, ProviderHost } from './adapter.ts';
import { paymentA } from './payment-a.ts';

export const providerNames = [
  'payment-a',
  'payment-b',
  'payment-c',
  'cod',
  'bank_transfer',
  'manual',
  'gift_card',
  'on_account',
] as const;
type ProviderName = (typeof providerNames)[number];

export interface ProviderKind {
  /** A provider is called, by its adapter if one is built in. */
  readonly online: boolean;
  readonly adapter: PaymentAdapter | undefined;
  /** The order is confirmed when placed, before payment. */
  readonly paidLater: boolean;
}
const offline = { online: false, adapter: undefined, paidLater: false };

const kinds: Readonly<Record<ProviderName, ProviderKind>> = {
  'payment-a': { online: true, adapter: paymentA, paidLater: false },
  'payment-b': { online: true, adapter: undefined, paidLater: false },
  'payment-c': { online: true, adapter: undefined, paidLater: false },
  cod: { ...offline, paidLater: true },
  bank_transfer: offline,
  manual: offline,
  gift_card: offline,
  on_account: { ...offline, paidLater: true },
};

export function providerKind(provider: string): ProviderKind {
  const kind = kinds[provider as ProviderName];
  if (!kind) throw new Error(`Unknown payment provider ${provider}`);
  return kind;
}
export const isOnline = (provider: string): boolean => providerKind(provider).online;

export function configShape(provider: string): Shape {
  return providerKind(provider).adapter?.config ?? {};
}

/** Decrypts the secrets of a stored config; null for empty fields. */
export function openConfig(
  ctx: Pick<ProviderHost, 'unseal'>,
  provider: string,
  stored: Readonly<Record<string, unknown>>,
): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(configShape(provider)).map(([name, { spec }]) => {
      const value = stored[name];
      return [name, typeof value !== 'string' ? null : spec.kind === 'secret' ? ctx.unseal(value) : value];
    }),
  );
}

/** Adapter and context for a provider call. No transaction may be open. */
export function providerCall(
  ctx: ProviderHost,
  provider: string,
  config: Readonly<Record<string, unknown>>,
): { adapter: PaymentAdapter; call: ProviderCall } {
  const { adapter } = providerKind(provider);
  if (!adapter) throw new Error(`Payment provider ${provider} has no adapter`);
  const guarded = ctx.use(http);
  if (!guarded) throw new Error('The kernel provides no guarded http service');
  return { adapter, call: { http: guarded, config: openConfig(ctx, provider, config), now: ctx.clock.ms() } };
}
