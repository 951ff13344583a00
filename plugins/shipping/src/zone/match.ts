/** The addresses that a zone serves. */
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

/** Match level: postal code 3, region 2, country 1, rest of world 0. */
export type Level = 3 | 2 | 1 | 0;

/** Codes are compared without blanks and hyphens, in upper case. */
const normalizeCode = (code: string): string => code.toUpperCase().replace(/[\s-]/g, '');

/** Regions are compared without case, diacritics and the country before an ISO 3166-2 code (`RO-CJ` is `CJ`). */
function normalizeRegion(region: string, country: string): string {
  const folded = region.normalize('NFKD').replace(/\p{M}/gu, '').trim().toLowerCase();
  const prefix = `${country.toLowerCase()}-`;
  return folded.startsWith(prefix) ? folded.slice(prefix.length) : folded;
}

/** Postal codes whose prefix lies between two bounds of equal length, or one complete code (`whole`). */
export interface CodeRange {
  from: string;
  to: string;
  whole: boolean;
}

/** Parses `10*`, `010000-019999` (bounds of equal length) or a complete code. Undefined for an invalid pattern or an empty range. */
export function readPattern(pattern: string): CodeRange | undefined {
  const text = pattern.trim();
  if (text.endsWith('*')) {
    const prefix = normalizeCode(text.slice(0, -1));
    return /^[\p{L}\d]+$/u.test(prefix) ? { from: prefix, to: prefix, whole: false } : undefined;
  }
  const [left = '', right, more] = text.split('-').map(normalizeCode);
  // Bounds have equal length; a hyphen inside a code (00-950, 1000-001) separates parts of different lengths.
  if (right !== undefined && more === undefined && left.length === right.length) {
    const isRange = /^[\p{L}\d]+$/u.test(left) && /^[\p{L}\d]+$/u.test(right) && left <= right;
    return isRange ? { from: left, to: right, whole: false } : undefined;
  }
  const code = normalizeCode(text);
  return /^[\p{L}\d]+$/u.test(code) ? { from: code, to: code, whole: true } : undefined;
}

function containsCode(range: CodeRange, postalCode: string): boolean {
  const code = normalizeCode(postalCode);
  if (range.whole) return code === range.from;
  if (code.length < range.from.length) return false;
  const head = code.slice(0, range.from.length);
  return head >= range.from && head <= range.to;
}

function rangesOverlap(a: CodeRange, b: CodeRange): boolean {
  if (a.whole) return containsCode(b, a.from);
  if (b.whole) return containsCode(a, b.from);
  const length = Math.min(a.from.length, b.from.length);
  return a.from.slice(0, length) <= b.to.slice(0, length) && b.from.slice(0, length) <= a.to.slice(0, length);
}

const ranges = (zone: ZonePlaces): CodeRange[] => zone.postalCodePatterns.flatMap((pattern) => readPattern(pattern) ?? []);

function levelOfLists(zone: ZonePlaces): Level {
  if (zone.postalCodePatterns.length > 0) return 3;
  return zone.regions.length > 0 ? 2 : 1;
}

/**
 * The level at which the zone serves the address; undefined if it doesn't. Regions narrow the countries, patterns narrow both, so the
 * address must match every list that isn't empty.
 */
export function levelOf(zone: ZonePlaces, place: Place): Level | undefined {
  const { country, region, postalCode } = place;
  const inRegion = () =>
    zone.regions.length === 0 ||
    (region ? zone.regions.some((each) => normalizeRegion(each, country) === normalizeRegion(region, country)) : false);
  const inCodes = () =>
    zone.postalCodePatterns.length === 0 || (postalCode ? ranges(zone).some((range) => containsCode(range, postalCode)) : false);
  if (zone.countries.includes(country) && inRegion() && inCodes()) return levelOfLists(zone);
  return zone.restOfWorld ? 0 : undefined;
}

/** The zone that serves an address: the highest level, then the highest priority. */
export function matchZone<Z extends ZonePlaces>(zones: readonly Z[], place: Place): Z | undefined {
  let best: { zone: Z; level: Level } | undefined;
  for (const zone of zones) {
    const level = levelOf(zone, place);
    if (level === undefined) continue;
    if (!best || level > best.level || (level === best.level && zone.priority > best.zone.priority)) best = { zone, level };
  }
  return best?.zone;
}

/** Whether an address exists that both zones match at the same level and priority, so that neither has precedence. */
export function zonesOverlap(a: ZonePlaces, b: ZonePlaces): boolean {
  if (a.priority !== b.priority) return false;
  if (a.restOfWorld && b.restOfWorld) return true;
  if (levelOfLists(a) !== levelOfLists(b)) return false;
  return a.countries.some((country) => b.countries.includes(country) && regionsOverlap(a, b, country)) && codesOverlap(a, b);
}
function regionsOverlap(a: ZonePlaces, b: ZonePlaces, country: string): boolean {
  if (a.regions.length === 0 || b.regions.length === 0) return true;
  const known = new Set(a.regions.map((region) => normalizeRegion(region, country)));
  return b.regions.some((region) => known.has(normalizeRegion(region, country)));
}
function codesOverlap(a: ZonePlaces, b: ZonePlaces): boolean {
  if (a.postalCodePatterns.length === 0 || b.postalCodePatterns.length === 0) return true;
  return ranges(a).some((one) => ranges(b).some((other) => rangesOverlap(one, other)));
}
