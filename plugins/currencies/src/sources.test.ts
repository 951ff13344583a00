import { describe, expect, it } from 'vitest';
import { hostileXml } from '../test/hostile-xml.ts';
import { parseBnr, parseEcb } from './sources.ts';

it('rates of both banks are read, with what comments and character data say about types', () => {
  const bnr =
    '<!-- of the bank --><DataSet><Body><Subject><![CDATA[<x>]]></Subject><Cube date="2026-11-27"><Rate currency="HUF" multiplier="100">1.25</Rate></Cube></Body></DataSet>';
  expect(parseBnr(bnr)).toEqual({ date: '2026-11-27', rates: [{ base: 'HUF', quote: 'RON', rate: '0.0125' }] });
  const ecb =
    '<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01"><Cube><Cube time="2026-11-27"><Cube currency="USD" rate="1.1"/></Cube></Cube></gesmes:Envelope>';
  expect(parseEcb(ecb)).toEqual({ date: '2026-11-27', rates: [{ base: 'EUR', quote: 'USD', rate: '1.1' }] });
});

const bnr = (date: string, rates: string) => `<DataSet><Body><Cube date="${date}">${rates}</Cube></Body></DataSet>`;
const ecb = (date: string, rates: string) =>
  `<gesmes:Envelope><Cube><Cube time="${date}">${rates}</Cube></Cube></gesmes:Envelope>`;

it.each(['2026-02-30', '2025-02-29', '2026-13-01', '2026-00-10', '0000-01-01', '1582-10-10', '27.11.2026', ''])(
  'no date is %j',
  (date) => {
    expect(() => parseBnr(bnr(date, '<Rate currency="EUR">5</Rate>'))).toThrow('names no date');
    expect(() => parseEcb(ecb(date, '<Cube currency="USD" rate="1.1"/>'))).toThrow('names no date');
  },
);

it('rows that are no rates are left out, the others are read', () => {
  const long = `0.${'0'.repeat(20_000)}1`;
  expect(
    parseBnr(
      bnr(
        '2026-11-27',
        `<Rate currency="RON">1</Rate><Rate currency="EUR">5</Rate><Rate currency="USD">0</Rate><Rate currency="CHF">-1</Rate>
         <Rate currency="XAU">400</Rate><Rate currency="GBP">${long}</Rate><Rate>3</Rate><Rate currency="eur">6</Rate><Rate currency="SEK"/>`,
      ),
    ).rates,
  ).toEqual([{ base: 'EUR', quote: 'RON', rate: '5' }]);
  expect(
    parseEcb(
      ecb(
        '2026-11-27',
        `<Cube currency="EUR" rate="1"/><Cube currency="USD" rate="1.1"/><Cube currency="GBP" rate="1e5"/><Cube currency="CHF" rate="${long}"/><Cube rate="2"/><Cube/>`,
      ),
    ).rates,
  ).toEqual([{ base: 'EUR', quote: 'USD', rate: '1.1' }]);
  expect(() => parseEcb(ecb('2026-11-27', '<Cube currency="EUR" rate="1"/>'))).toThrow('has no rates');
});

describe('a document that attacks its reader', () => {
  it.each(hostileXml('http://127.0.0.1:1'))('%s is refused within 50 ms', (_, xml) => {
    for (const read of [parseBnr, parseEcb]) {
      let least = Number.POSITIVE_INFINITY;
      // What else the machine does only adds.
      for (let i = 0; i < 4 && least > 50; i++) {
        const before = process.threadCpuUsage();
        expect(() => read(xml)).toThrow(Error);
        const { user, system } = process.threadCpuUsage(before);
        least = Math.min(least, (user + system) / 1000);
      }
      expect(least).toBeLessThan(50);
    }
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});
