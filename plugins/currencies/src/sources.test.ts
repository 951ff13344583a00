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
