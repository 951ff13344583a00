import { Temporal } from 'temporal-polyfill';
import { hourMs } from './instant.ts';

/** A stretch of a zone's time with one offset: `[from, to)`, all in milliseconds. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/** What is known of a zone: its stretches in order, and the one asked for last, which is nearly always the one asked for next. */
interface Zone {
  readonly id: string;
  stretches: Stretch[];
  last: Stretch | undefined;
}

const zones = new Map<string, Zone>();
/** More than all IANA zones; and centuries of changes in one of them. */
const mostZones = 800;
const mostStretches = 1000;
/** No zone is, or was, further from UTC. */
const widestOffset = 16 * hourMs;

function zoneOf(id: string): Zone {
  let zone = zones.get(id);
  if (!zone) {
    if (zones.size >= mostZones) zones.clear();
    zones.set(id, (zone = { id, stretches: [], last: undefined }));
  }
  return zone;
}

/** Asks Temporal where the stretch around an instant begins and ends; everything else here is arithmetic on its answers. */
function load(zone: Zone, ms: number, at: number): Stretch {
  // `previous` is strictly before: a millisecond on, so that the first instant of a stretch is found as its own beginning.
  const zoned = Temporal.Instant.fromEpochMilliseconds(ms + 1).toZonedDateTimeISO(zone.id);
  const stretch: Stretch = {
    from: zoned.getTimeZoneTransition('previous')?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    to: zoned.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offset: zoned.offsetNanoseconds / 1e6,
  };
  if (zone.stretches.length >= mostStretches) zone.stretches = [stretch];
  else zone.stretches.splice(at, 0, stretch);
  return stretch;
}

function stretchAt(zone: Zone, ms: number): Stretch {
  const { last, stretches } = zone;
  if (last && ms >= last.from && ms < last.to) return last;
  let low = 0;
  let high = stretches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stretches[middle] as Stretch).to <= ms) low = middle + 1;
    else high = middle;
  }
  const found = stretches[low];
  return (zone.last = found && ms >= found.from ? found : load(zone, ms, low));
}

const named = new Set<string>();
const zoneName = /^(?:UTC|[A-Z][A-Za-z_]+(?:\/[A-Z][\w+-]*)+)$/;

/**
 * Whether it is the name of an IANA zone, old names (`Asia/Calcutta`) and new ones (`Asia/Kolkata`) alike: browsers report either, and
 * the list that Intl gives has one of them only. An offset is no zone, since it has no clock changes.
 */
export function isTimeZone(name: string): boolean {
  if (named.has(name)) return true;
  if (!zoneName.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // Intl takes any case.
    if (timeZone !== name && timeZone.toLowerCase() === name.toLowerCase()) return false;
  } catch {
    return false;
  }
  if (named.size < mostZones) named.add(name);
  return true;
}

/** What a zone's clock is ahead of UTC at an instant, in milliseconds. Cached: about as quick as a comparison. */
export function offsetAt(ms: number, timeZone: string): number {
  return stretchAt(zoneOf(timeZone), ms).offset;
}

/** How a wall clock reading (as if it were UTC, in milliseconds) lies on the time line of a zone. */
export interface Reading {
  /** None inside a gap, one, or two of a doubled hour, in order. */
  readonly instants: readonly number[];
  /** Inside a gap: the first instant after it. */
  readonly afterGap: number | undefined;
}

export function readWall(wallMs: number, timeZone: string): Reading {
  const zone = zoneOf(timeZone);
  const instants: number[] = [];
  let afterGap: number | undefined;
  let stretch = stretchAt(zone, wallMs - widestOffset);
  for (;;) {
    const ms = wallMs - stretch.offset;
    if (ms >= stretch.from && ms < stretch.to) instants.push(ms);
    if (stretch.to > wallMs + widestOffset) break;
    const next = stretchAt(zone, stretch.to);
    if (wallMs - stretch.offset >= stretch.to && wallMs - next.offset < next.from) afterGap = next.from;
    stretch = next;
  }
  return { instants, afterGap: instants.length > 0 ? undefined : afterGap };
}
