import { defineMachine } from '@storeloom/plugin-sdk/state';

export const awbStatuses = [
  'created',
  'label_printed',
  'picked_up',
  'in_transit',
  'out_for_delivery',
  'delivered',
  'failed_attempt',
  'returned',
  'cancelled',
] as const;
export type AwbStatus = (typeof awbStatuses)[number];

/** States before pickup by the carrier. */
export const cancellable: readonly AwbStatus[] = ['created', 'label_printed'];
export const finalStatuses: readonly AwbStatus[] = ['delivered', 'returned', 'cancelled'];
/** Whether the carrier has picked up the parcel. */
export function hasLeft(status: AwbStatus): boolean {
  return !cancellable.includes(status) && status !== 'cancelled';
}

const active: AwbStatus[] = ['created', 'label_printed', 'picked_up', 'in_transit', 'out_for_delivery', 'failed_attempt'];
/** Carriers skip steps, so each state can be reached from all earlier ones. After a failed attempt the parcel is in transit again. */
export const awbMachine = defineMachine({
  start: 'created',
  states: awbStatuses,
  moves: {
    print: { from: ['created'], to: 'label_printed', internal: true },
    pickUp: { from: ['created', 'label_printed'], to: 'picked_up', internal: true },
    carry: { from: ['created', 'label_printed', 'picked_up', 'failed_attempt'], to: 'in_transit', internal: true },
    bringOut: {
      from: ['created', 'label_printed', 'picked_up', 'in_transit', 'failed_attempt'],
      to: 'out_for_delivery',
      internal: true,
    },
    deliver: { from: active, to: 'delivered', internal: true },
    fail: {
      from: ['picked_up', 'in_transit', 'out_for_delivery', 'created', 'label_printed'],
      to: 'failed_attempt',
      internal: true,
    },
    giveBack: { from: active, to: 'returned', internal: true },
    cancel: { from: [...cancellable], to: 'cancelled', internal: true },
  },
});

/** Whether an event advances the state: an allowed transition that isn't older than the latest known event. */
export function advances(from: AwbStatus, to: AwbStatus | null, at: string, latestAt: string | null): boolean {
  if (to === null || to === from || !awbMachine.allowed(from).includes(to)) return false;
  return latestAt === null || at >= latestAt;
}

const statusPatterns: readonly [RegExp, AwbStatus][] = [
  [/^(created|registered|announced|label_created)$/, 'created'],
  [/^(label_printed|printed)$/, 'label_printed'],
  [/^(picked_up|pickup|collected|accepted)$/, 'picked_up'],
  [/^(in_transit|transit|arrived_at_hub|departed|sorting|on_the_way)$/, 'in_transit'],
  [/^(out_for_delivery|in_delivery|with_courier)$/, 'out_for_delivery'],
  [/^(delivered|completed)$/, 'delivered'],
  [/^(failed_attempt|failed|delivery_failed|not_delivered|undelivered|exception)$/, 'failed_attempt'],
  [/^(returned|returned_to_sender|return_completed)$/, 'returned'],
  [/^(cancelled|canceled|voided)$/, 'cancelled'],
];
/** Maps a carrier's status, ignoring case and separators. Null for a status without a state. */
export function statusOf(carrierStatus: string): AwbStatus | null {
  const normalized = carrierStatus
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  return statusPatterns.find(([pattern]) => pattern.test(normalized))?.[1] ?? null;
}
