import { createRequire } from 'node:module';
import { isRate } from '@storeloom/plugin-sdk/money';
import { isCivilDate } from '@storeloom/plugin-sdk/time';
import type { XMLParser } from 'fast-xml-parser';

export interface PublishedRates {
  /** Civil date of the publication. */
  date: string;
  /** The currency that all rates give the price in, or of. */
  rates: { base: string; quote: string; rate: string }[];
}

/** Rates of three months have less. Bytes. */
export const maxDocument = 128_000;

const require = createRequire(import.meta.url);
/** Created with the first document, so that starts don't load the library. */
let parser: XMLParser | undefined;
const createParser = (): XMLParser => {
  const library = require('fast-xml-parser') as typeof import('fast-xml-parser');
  return new library.XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseTagValue: false,
    parseAttributeValue: false,
    processEntities: false,
    maxNestedTags: 20,
  });
};
/** Entities make bombs and read foreign files, and no bank declares any: a document type is refused before anything is read. */
function read(xml: string): unknown {
  if (/<!(?!--|\[CDATA\[)/.test(xml)) throw new Error('the document declares a type, which is not taken');
  parser ??= createParser();
  return parser.parse(xml);
}

const asArray = <T>(value: T | T[] | undefined): T[] => (value === undefined ? [] : Array.isArray(value) ? value : [value]);
const date = (text: unknown): string => {
  // The euro has had rates since 1999; the calendar of the database begins later than that of ISO 8601.
  if (typeof text !== 'string' || !isCivilDate(text) || text < '1999') throw new Error('the document names no date');
  return text;
};

/** `1 EUR = 4.9763 RON`, with `multiplier` for small currencies (100 HUF). The rate of one unit, as a decimal string. */
function perUnit(value: string, multiplier: string | undefined): string {
  if (multiplier === undefined || multiplier === '1') return value;
  const zeros = multiplier.length - 1;
  if (!/^10+$/.test(multiplier)) throw new Error(`the multiplier ${multiplier} is not known`);
  const [whole = '0', fraction = ''] = value.split('.');
  const digits = (whole + fraction).padStart(fraction.length + zeros + 1, '0');
  const cut = digits.length - fraction.length - zeros;
  return `${digits.slice(0, cut).replace(/^0+(?=\d)/, '')}.${digits.slice(cut)}`;
}

interface BnrCube {
  date?: string;
  Rate?:
    | { currency?: string; multiplier?: string; '#text'?: string }
    | { currency?: string; multiplier?: string; '#text'?: string }[];
}

/** The National Bank of Romania: lei for one unit of each currency. */
export function parseBnr(xml: string): PublishedRates {
  const document = read(xml) as { DataSet?: { Body?: { Cube?: BnrCube | BnrCube[] } } };
  const cube = asArray(document.DataSet?.Body?.Cube)[0];
  const rates = asArray(cube?.Rate).map((rate) => ({
    base: rate.currency ?? '',
    quote: 'RON',
    rate: perUnit(rate['#text'] ?? '', rate.multiplier),
  }));
  return checked({ date: date(cube?.date), rates });
}

interface EcbCube {
  time?: string;
  Cube?: EcbCube | EcbCube[];
  currency?: string;
  rate?: string;
}

/** The European Central Bank: units of each currency for one euro. */
export function parseEcb(xml: string): PublishedRates {
  const document = read(xml) as { 'gesmes:Envelope'?: { Cube?: EcbCube } };
  const day = asArray(document['gesmes:Envelope']?.Cube?.Cube)[0];
  const rates = asArray(day?.Cube).map((cube) => ({ base: 'EUR', quote: cube.currency ?? '', rate: cube.rate ?? '' }));
  return checked({ date: date(day?.time), rates });
}

/** Digits of a rate that a bank would write. */
const maxLength = 30;
/** Leaves out gold, special drawing rights, other non-currencies, and the base currency; rejects a document without rates. */
function checked({ date: published, rates }: PublishedRates): PublishedRates {
  const usable = rates.filter(
    ({ base, quote, rate }) =>
      [base, quote].every((code) => /^[A-WYZ][A-Z]{2}$/.test(code)) && base !== quote && rate.length <= maxLength && isRate(rate),
  );
  if (usable.length === 0) throw new Error('the document has no rates');
  return { date: published, rates: usable };
}
