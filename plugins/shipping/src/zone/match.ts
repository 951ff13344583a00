/** Which places a zone serves, and how closely it names them. Pure. */
export interface ZonePlaces {
  countries: readonly string[];
  regions: readonly string[];
  postalCodePatterns: readonly string[];
  priority: number;
  restOfWorld: boolean;
}
export interface Place {
  country: string;
  region?: string | null;
  postalCode?: string | null;
}

/** How closely a zone names a place: postal code > region > country > rest of world. */
export type Level = 3 | 2 | 1 | 0;

/** Codes are compared without blanks and hyphens, in upper case. */
const plainCode = (code: string): string => code.toUpperCase().replace(/[\s-]/g, '');

/** Regions are compared without case, diacritics and the country before an ISO 3166-2 code (`RO-CJ` is `CJ`). */
function plainRegion(region: string, country: string): string {
  const folded = region.normalize('NFKD').replace(/\p{M}/gu, '').trim().toLowerCase();
  const prefix = `${country.toLowerCase()}-`;
  return folded.startsWith(prefix) ? folded.slice(prefix.length) : folded;
}

/** A set of postal codes: those whose first characters lie between two bounds of one length, or one whole code. */
export interface CodeRange {
  from: string;
  to: string;
  whole: boolean;
}

/** `10*`, `010000-019999` (bounds of one length) or a whole code. Undefined: none of these, or an empty range. */
export function readPattern(pattern: string): CodeRange | undefined {
  const text = pattern.trim();
  if (text.endsWith('*')) {
    const prefix = plainCode(text.slice(0, -1));
    return /^[\p{L}\d]+$/u.test(prefix) ? { from: prefix, to: prefix, whole: false } : undefined;
  }
  const [left = '', right, more] = text.split('-').map(plainCode);
  // Bounds are of one length; a hyphen inside a code (00-950, 1000-001) divides it in unequal parts.
  if (right !== undefined && more === undefined && left.length === right.length) {
    const isRange = /^[\p{L}\d]+$/u.test(left) && /^[\p{L}\d]+$/u.test(right) && left <= right;
    return isRange ? { from: left, to: right, whole: false } : undefined;
  }
  const code = plainCode(text);
  return /^[\p{L}\d]+$/u.test(code) ? { from: code, to: code, whole: true } : undefined;
}

function holdsCode(range: CodeRange, postalCode: string): boolean {
  const code = plainCode(postalCode);
  if (range.whole) return code === range.from;
  if (code.length < range.from.length) return false;
  const head = code.slice(0, range.from.length);
  return head >= range.from && head <= range.to;
}

/** Whether some code is in both. */
function rangesMeet(a: CodeRange, b: CodeRange): boolean {
  if (a.whole) return holdsCode(b, a.from);
  if (b.whole) return holdsCode(a, b.from);
  const length = Math.min(a.from.length, b.from.length);
  return a.from.slice(0, length) <= b.to.slice(0, length) && b.from.slice(0, length) <= a.to.slice(0, length);
}

const ranges = (zone: ZonePlaces): CodeRange[] => zone.postalCodePatterns.flatMap((pattern) => readPattern(pattern) ?? []);

/** What the zone's own list says; the rest of the world is a level of its own. */
function ownLevel(zone: ZonePlaces): Level {
  if (zone.postalCodePatterns.length > 0) return 3;
  return zone.regions.length > 0 ? 2 : 1;
}

/**
 * How closely the zone names the place; undefined where it doesn't serve it. Regions narrow the countries, patterns narrow both: a place
 * must be in all that the zone names.
 */
export function levelOf(zone: ZonePlaces, place: Place): Level | undefined {
  const { country, region, postalCode } = place;
  const inRegion = () =>
    zone.regions.length === 0 ||
    (region ? zone.regions.some((each) => plainRegion(each, country) === plainRegion(region, country)) : false);
  const inCodes = () =>
    zone.postalCodePatterns.length === 0 || (postalCode ? ranges(zone).some((range) => holdsCode(range, postalCode)) : false);
  if (zone.countries.includes(country) && inRegion() && inCodes()) return ownLevel(zone);
  return zone.restOfWorld ? 0 : undefined;
}

/** The zone that serves a place: the closest, then the highest priority. */
export function matchZone<Z extends ZonePlaces>(zones: readonly Z[], place: Place): Z | undefined {
  let best: { zone: Z; level: Level } | undefined;
  for (const zone of zones) {
    const level = levelOf(zone, place);
    if (level === undefined) continue;
    if (!best || level > best.level || (level === best.level && zone.priority > best.zone.priority)) best = { zone, level };
  }
  return best?.zone;
}

/** Whether some place is named by both equally closely, with one priority: nothing would decide between them. */
export function zonesClash(a: ZonePlaces, b: ZonePlaces): boolean {
  if (a.priority !== b.priority) return false;
  if (a.restOfWorld && b.restOfWorld) return true;
  if (ownLevel(a) !== ownLevel(b)) return false;
  return a.countries.some((country) => b.countries.includes(country) && regionsMeet(a, b, country)) && codesMeet(a, b);
}
function regionsMeet(a: ZonePlaces, b: ZonePlaces, country: string): boolean {
  if (a.regions.length === 0 || b.regions.length === 0) return true;
  const known = new Set(a.regions.map((region) => plainRegion(region, country)));
  return b.regions.some((region) => known.has(plainRegion(region, country)));
}
function codesMeet(a: ZonePlaces, b: ZonePlaces): boolean {
  if (a.postalCodePatterns.length === 0 || b.postalCodePatterns.length === 0) return true;
  return ranges(a).some((one) => ranges(b).some((other) => rangesMeet(one, other)));
}
