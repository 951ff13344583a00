export {
  type Counter,
  type CounterKey,
  type CounterKeyType,
  type CounterOptions,
  type CounterWish,
  defineCounter,
  giveBackCounter,
  readCounter,
  type Shortage,
  setCapacity,
  takeCounter,
} from './counter.ts';
export { type BlockedRange, blockedRanges, defineExclusion, type Exclusion, type ExclusionOptions } from './exclusion.ts';
export { defineHolds, type Holds, type HoldsOptions, holdsJob, holdUntil, isLapsed, lapseHolds } from './holds.ts';
export { lockKeys, withKeyLocks, withResourceLocks } from './locks.ts';
export { defineNights, giveBackNights, type Night, type Nights, type NightsOptions, takeNights, takenNights } from './nights.ts';
export { peakUsage, type Range } from './peak.ts';
export { refusedAs } from './taken.ts';
export { defineWaitingList, nextPosition, promoteWaiting, type WaitingList, type WaitingListOptions } from './waiting.ts';
