// The package's ES modules name their files without endings, which Node doesn't read: its CommonJS is taken, as one default export.
import jsvat from 'jsvat-next';
import { isMemberState, northernIreland } from '../rate/countries.ts';

export interface ParsedVat {
  /** Upper case, without separators, with its prefix where one is known. */
  number: string;
  /** ISO 3166-1 (`GR` for the prefix EL), `XI`, or `EU` for the non-Union scheme; null where the prefix is none. */
  country: string | null;
  /** Format and check digits. */
  formatValid: boolean;
}

const prefixes: Readonly<Record<string, string>> = { EL: 'GR' };
const prefixOf = (country: string): string => (country === 'GR' ? 'EL' : country);
/** Rules by prefix. The library knows Greece by its ISO code and Northern Ireland among the United Kingdom's. */
const rules = new Map(jsvat.countries.flatMap((country) => country.codes.map((code) => [code, country] as const)));

/**
 * Reads a VAT number as people write it. A number without a prefix is one of `country` (an address's, the shop's), or a Romanian one,
 * which is written with and without.
 */
export function parseVat(text: string, country?: string): ParsedVat {
  const number = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s.\-:/()]/g, '');
  const own = parsed(number);
  if (own.formatValid || /^[A-Z]{2}/.test(number)) return own;
  for (const guess of [country, 'RO']) {
    if (guess === undefined) continue;
    const prefixed = parsed(prefixOf(guess) + number);
    if (prefixed.formatValid) return prefixed;
  }
  return own;
}

function parsed(number: string): ParsedVat {
  const prefix = /^[A-Z]{2}/.exec(number)?.[0];
  const code = prefix === undefined ? undefined : (prefixes[prefix] ?? prefix);
  const rule = code === undefined ? undefined : rules.get(code);
  if (code === undefined || !rule || !/^[A-Z0-9+*]{4,20}$/.test(number)) return { number, country: null, formatValid: false };
  return { number, country: code, formatValid: jsvat.checkVAT(number, [rule]).isValid };
}

/** Whether the register of the member states knows numbers of this kind. */
export function inRegister({ country }: ParsedVat): boolean {
  return country !== null && (isMemberState(country) || country === northernIreland);
}

/** Prefix and the rest, as the register takes them. */
export function splitVat({ number, country }: ParsedVat): { prefix: string; rest: string } {
  return { prefix: prefixOf(country ?? ''), rest: number.slice(2) };
}
