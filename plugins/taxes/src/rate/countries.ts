import { type CivilDate, civilDate } from '@storeloom/plugin-sdk/time';

/** EU member states with the time zone of their capital: a rate is valid from 00:00 there. */
export const memberStates: Readonly<Record<string, string>> = {
  AT: 'Europe/Vienna',
  BE: 'Europe/Brussels',
  BG: 'Europe/Sofia',
  CY: 'Asia/Nicosia',
  CZ: 'Europe/Prague',
  DE: 'Europe/Berlin',
  DK: 'Europe/Copenhagen',
  EE: 'Europe/Tallinn',
  ES: 'Europe/Madrid',
  FI: 'Europe/Helsinki',
  FR: 'Europe/Paris',
  GR: 'Europe/Athens',
  HR: 'Europe/Zagreb',
  HU: 'Europe/Budapest',
  IE: 'Europe/Dublin',
  IT: 'Europe/Rome',
  LT: 'Europe/Vilnius',
  LU: 'Europe/Luxembourg',
  LV: 'Europe/Riga',
  MT: 'Europe/Malta',
  NL: 'Europe/Amsterdam',
  PL: 'Europe/Warsaw',
  PT: 'Europe/Lisbon',
  RO: 'Europe/Bucharest',
  SE: 'Europe/Stockholm',
  SI: 'Europe/Ljubljana',
  SK: 'Europe/Bratislava',
};

export const isMemberState = (country: string): boolean => Object.hasOwn(memberStates, country);

/** Northern Ireland belongs to the EU VAT area for goods only. */
export const northernIreland = 'XI';

/** The member state of a time zone. */
export function countryOfZone(timeZone: string): string | undefined {
  return Object.keys(memberStates).find((country) => memberStates[country] === timeZone);
}

/** The country for VAT: Northern Ireland separate, Greece by its ISO code. */
export function vatCountry(country: string, postalCode?: string | null): string {
  if (country === 'EL') return 'GR';
  if (country === 'GB' && /^\s*BT\d/i.test(postalCode ?? '')) return northernIreland;
  return country;
}

/** The civil date of an instant at the place of taxation; countries other than member states use the shop's time zone. */
export function dateIn(country: string, instant: string, shopZone: string): CivilDate {
  const zone = country === northernIreland ? 'Europe/London' : (memberStates[country] ?? shopZone);
  return civilDate(instant, zone);
}

const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
/** ISO 3166-1 alpha-2 codes and `XI`. Aliases (`UK`, `EL`) are invalid. */
export function isCountry(code: string): boolean {
  if (code === northernIreland) return true;
  return (
    /^[A-Z]{2}$/.test(code) && code !== 'ZZ' && names.of(code) !== undefined && new Intl.Locale(`und-${code}`).region === code
  );
}
