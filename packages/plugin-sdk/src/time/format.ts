import type { Instant } from './instant.ts';

/** Returns an instant as text for a person, with the zone: `Friday, 27 November 2026 at 19:30 (Europe/Bucharest)`. */
export function formatWithZone(at: Instant, locale: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short', timeZone });
  return `${format.format(new Date(at))} (${timeZone})`;
}
