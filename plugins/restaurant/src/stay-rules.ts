import { type Ctx, domainError } from '@storeloom/plugin-sdk';
import {
  addDays,
  checkNotice,
  civilDate,
  contains,
  epoch,
  type Instant,
  type Interval,
  instant,
  merge,
  minuteMs,
  offsetAt,
  resolveBound,
  type Window,
} from '@storeloom/plugin-sdk/time';
import { hoursOf, settings, zoneOf } from './settings.ts';

/** Origin of the request: notice applies to guests only, and a walk-in has arrived. */
export type Asker = 'guest' | 'staff' | 'walkin';
export type StayFault = 'too_soon' | 'too_far' | 'outside_hours';

/** Last arrival in an opening window, though the stay ends after closing. */
function lastSeatingOf(window: Window, lastSeating: string, zone: string): number {
  const date = civilDate(instant(window.origin), zone);
  const at = epoch(resolveBound(date, lastSeating, zone, 'end'));
  return at < window.origin ? epoch(resolveBound(addDays(date, 1), lastSeating, zone, 'end')) : at;
}

function isOpen(ctx: Ctx, stay: Interval): boolean {
  const open = hoursOf(ctx);
  if (!open) return true;
  const windows = open.between(stay.start, stay.end);
  // Adjacent windows, over midnight for instance, are one.
  if (merge(windows).some((window) => contains(window, stay))) return true;
  const { lastSeating } = ctx.settings(settings);
  if (lastSeating === null) return false;
  return windows.some(
    (window) =>
      window.start <= stay.start && stay.start < window.end && stay.start <= lastSeatingOf(window, lastSeating, open.timeZone),
  );
}

/** The rule that the stay violates; undefined when a table is all it needs. */
export function stayFault(ctx: Ctx, stay: Interval, asker: Asker): StayFault | undefined {
  const { minAdvanceMin, maxAdvanceDays } = ctx.settings(settings);
  const now = ctx.clock.ms();
  // A walk-in arrived a moment ago; only a stay that is over is refused.
  if (asker === 'walkin' && stay.end <= now) return 'too_soon';
  const fault = checkNotice(stay.start, {
    now,
    minNoticeMin: asker === 'guest' ? minAdvanceMin : 0,
    maxAdvanceMin: maxAdvanceDays * 1440,
  });
  if (fault === 'too_far' || (fault === 'too_soon' && asker !== 'walkin')) return fault;
  return isOpen(ctx, stay) ? undefined : 'outside_hours';
}

const messages: Readonly<Record<StayFault, string>> = {
  too_soon: 'is in the past or too soon',
  too_far: 'is too far ahead',
  outside_hours: 'is outside of the opening hours',
};
/** @throws 422 `too_soon`, `too_far`, `outside_hours` */
export function checkStay(ctx: Ctx, stay: Interval, asker: Asker): void {
  const fault = stayFault(ctx, stay, asker);
  if (fault) throw domainError('/startsAt', fault, messages[fault], { timezone: zoneOf(ctx) });
}

/** @throws 422 `party_size {min, max}` */
export function checkParty(ctx: Ctx, partySize: number): void {
  const { minParty: min, maxParty: max } = ctx.settings(settings);
  if (partySize < min || partySize > max)
    throw domainError('/partySize', 'party_size', `must be from ${min} to ${max}`, { min, max });
}

/** The slot of a start in local time, by which covers are counted. */
export function slotOf(ctx: Ctx, startsAt: Instant): Instant {
  const step = ctx.settings(settings).intervalMin * minuteMs;
  const at = epoch(startsAt);
  const offset = offsetAt(at, zoneOf(ctx));
  return instant(Math.floor((at + offset) / step) * step - offset);
}
