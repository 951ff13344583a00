import { Temporal } from 'temporal-polyfill';
import { hourMs } from './instant.ts';

/** A period of a time zone with a constant offset: `[from, to)`, all in milliseconds. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/** Cached periods of a zone in order, and the one used last, which is nearly always the one used next. */
interface Zone {
  readonly id: string;
  stretches: Stretch[];
  last: Stretch | undefined;
}

const zones = new Map<string, Zone>();
/** Cache limits: more than all IANA zones, and centuries of changes in each. */
const mostZones = 800;
const mostStretches = 1000;
/** Larger than the UTC offset of any zone, past or present. */
const widestOffset = 16 * hourMs;

function zoneOf(id: string): Zone {
  let zone = zones.get(id);
  if (!zone) {
    if (zones.size >= mostZones) zones.clear();
    zones.set(id, (zone = { id, stretches: [], last: undefined }));
  }
  return zone;
}

/** Reads the period around an instant from Temporal. */
function load(zone: Zone, ms: number, at: number): Stretch {
  // `previous` is exclusive: one millisecond later, so that the first instant of a period is its own beginning.
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
 * Returns true for the name of an IANA time zone, old names (`Asia/Calcutta`) and new ones (`Asia/Kolkata`) alike: browsers
 * report either, and the list of Intl has only one of them. Offsets are rejected, since they have no clock changes.
 */
export function isTimeZone(name: string): boolean {
  if (named.has(name)) return true;
  if (!zoneName.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // Intl accepts any case.
    if (timeZone !== name && timeZone.toLowerCase() === name.toLowerCase()) return false;
  } catch {
    return false;
  }
  if (named.size < mostZones) named.add(name);
  return true;
}

/** Returns the UTC offset of a time zone at an instant, in milliseconds. Cached: about as fast as a comparison. */
export function offsetAt(ms: number, timeZone: string): number {
  return stretchAt(zoneOf(timeZone), ms).offset;
}

/** The instants of a wall time in a zone. */
export interface Reading {
  /** None in a skipped hour, one, or two of a repeated hour, in order. */
  readonly instants: readonly number[];
  /** In a skipped hour: the first instant after it. */
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
