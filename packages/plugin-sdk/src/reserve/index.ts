export {
  type Counter,
  type CounterKey,
  type CounterKeyType,
  type CounterOptions,
  type CounterRequest,
  defineCounter,
  readCounter,
  releaseCounter,
  reserveCounter,
  type Shortage,
  setCapacity,
} from './counter.ts';
export { type BlockedRange, blockedRanges, defineExclusion, type Exclusion, type ExclusionOptions } from './exclusion.ts';
export { type HoldMoves, holdMoves } from './hold-moves.ts';
export {
  checkNotLapsed,
  defineHolds,
  expireHolds,
  type Holds,
  type HoldsOptions,
  holdsJob,
  holdUntil,
  isLapsed,
} from './holds.ts';
export { lockKeys, withKeyLocks, withResourceLocks } from './locks.ts';
export {
  defineNights,
  type Night,
  type Nights,
  type NightsOptions,
  releaseNights,
  reservedNights,
  reserveNights,
} from './nights.ts';
export { type Bounds, peakUsage } from './peak.ts';
export { mapConstraintErrors } from './taken.ts';
export { defineWaitingList, nextPosition, promoteWaiting, type WaitingList, type WaitingListOptions } from './waiting.ts';
