// The package's ES modules import files without extensions, which Node doesn't support, so its CommonJS build is imported.
import jsvat from 'jsvat-next';
import { isMemberState, northernIreland } from '../rate/countries.ts';

export interface ParsedVat {
  /** Upper case, without separators, with a prefix if one is known. */
  number: string;
  /** ISO 3166-1 (`GR` for the prefix EL), `XI`, or `EU` for the non-Union scheme; null for an unknown prefix. */
  country: string | null;
  /** Format and check digits are valid. */
  formatValid: boolean;
}

const prefixes: Readonly<Record<string, string>> = { EL: 'GR' };
const prefixOf = (country: string): string => (country === 'GR' ? 'EL' : country);
/** Rules by prefix. The library has Greece under its ISO code and Northern Ireland under the United Kingdom. */
const rules = new Map(jsvat.countries.flatMap((country) => country.codes.map((code) => [code, country] as const)));

/**
 * Parses a VAT number with any separators. A number without a prefix belongs to `country`, or to Romania, where numbers are written
 * with and without prefix.
 */
export function parseVat(text: string, country?: string): ParsedVat {
  const number = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s.\-:/()]/g, '');
  const result = validateNumber(number);
  if (result.formatValid || /^[A-Z]{2}/.test(number)) return result;
  for (const guess of [country, 'RO']) {
    if (guess === undefined) continue;
    const prefixed = validateNumber(prefixOf(guess) + number);
    if (prefixed.formatValid) return prefixed;
  }
  return result;
}

function validateNumber(number: string): ParsedVat {
  const prefix = /^[A-Z]{2}/.exec(number)?.[0];
  const code = prefix === undefined ? undefined : (prefixes[prefix] ?? prefix);
  const treatmentOf = code === undefined ? undefined : rules.get(code);
  if (code === undefined || !treatmentOf || !/^[A-Z0-9+*]{4,20}$/.test(number))
    return { number, country: null, formatValid: false };
  return { number, country: code, formatValid: jsvat.checkVAT(number, [treatmentOf]).isValid };
}

/** Whether VIES has numbers of this country. */
export function isInRegister({ country }: ParsedVat): boolean {
  return country !== null && (isMemberState(country) || country === northernIreland);
}

/** Prefix and number, as VIES requires them. */
export function splitVat({ number, country }: ParsedVat): { prefix: string; rest: string } {
  return { prefix: prefixOf(country ?? ''), rest: number.slice(2) };
}
