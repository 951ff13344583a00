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

/** Parcels that the carrier doesn't have yet. */
export const cancellable: readonly AwbStatus[] = ['created', 'label_printed'];
export const finalStatuses: readonly AwbStatus[] = ['delivered', 'returned', 'cancelled'];
/** The carrier has, or had, the goods. */
export function hasLeft(status: AwbStatus): boolean {
  return !cancellable.includes(status) && status !== 'cancelled';
}

const onTheWay: AwbStatus[] = ['created', 'label_printed', 'picked_up', 'in_transit', 'out_for_delivery', 'failed_attempt'];
/** Carriers leave steps out, so each state is reached from all before it. After a failed attempt the parcel is on its way again. */
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
    deliver: { from: onTheWay, to: 'delivered', internal: true },
    fail: {
      from: ['picked_up', 'in_transit', 'out_for_delivery', 'created', 'label_printed'],
      to: 'failed_attempt',
      internal: true,
    },
    giveBack: { from: onTheWay, to: 'returned', internal: true },
    cancel: { from: [...cancellable], to: 'cancelled', internal: true },
  },
});

/** Whether an event moves the state on: never backwards, by what the machine allows, and not by news older than what is known. */
export function movesOn(from: AwbStatus, to: AwbStatus | null, at: string, latestAt: string | null): boolean {
  if (to === null || to === from || !awbMachine.allowed(from).includes(to)) return false;
  return latestAt === null || at >= latestAt;
}

const words: readonly [RegExp, AwbStatus][] = [
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
/** A carrier's word for a state, without case and separators. Null: it says nothing about the state. */
export function statusOf(word: string): AwbStatus | null {
  const plain = word
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  return words.find(([pattern]) => pattern.test(plain))?.[1] ?? null;
}
