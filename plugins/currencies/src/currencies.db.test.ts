import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { fx } from '@storeloom/commerce';
import { contractTest, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostileXml } from '../test/hostile-xml.ts';
import plugin from './index.ts';

contractTest(plugin);

const bnr = `<?xml version="1.0" encoding="utf-8"?><DataSet><Body><Subject>Reference rates</Subject><OrigCurrency>RON</OrigCurrency>
<Cube date="2026-11-27"><Rate currency="EUR">5.0000</Rate><Rate currency="HUF" multiplier="100">1.2500</Rate><Rate currency="XAU">400.1</Rate></Cube></Body></DataSet>`;

describe('currencies', () => {
  let shop: TestShop;
  let bank: Server;
  let answer: { status: number; body: string | Buffer; headers?: Record<string, string> } = { status: 200, body: bnr };
  let calls = 0;
  beforeAll(async () => {
    shop = await testShop({ plugins: ['currencies'] });
    bank = createServer((_, res) => {
      calls++;
      res.writeHead(answer.status, answer.headers).end(answer.body);
    });
    await new Promise<void>((resolve) => bank.listen(0, '127.0.0.1', resolve));
    const bnrUrl = `http://127.0.0.1:${(bank.address() as AddressInfo).port}/rates.xml`;
    for (const tenant of [shop.a, shop.b])
      expect((await tenant.admin.put('/api/admin/plugins/currencies/settings', { settings: { bnrUrl } })).status).toBe(200);
  });
  afterAll(async () => {
    bank?.close();
    await shop?.stop();
  });

  it('adds, changes and removes by code, and keeps the base', async () => {
    const { admin } = shop.a;
    const made = await admin.post('/api/admin/currencies/', { code: 'KWD', symbol: 'KD' });
    expect([made.status, made.body.exponent, made.body.isBase]).toEqual([201, 3, false]);
    expect((await admin.post('/api/admin/currencies/', { code: 'KWD', enabled: false })).status).toBe(200);
    expect((await admin.post('/api/admin/currencies/', { code: 'ABC' })).status).toBe(422);
    const list = await admin.get<{ data: { code: string; isBase: boolean }[] }>('/api/admin/currencies/');
    expect(list.body.data.map((row) => [row.code, row.isBase])).toEqual([
      ['KWD', false],
      ['RON', true],
    ]);
    expect((await admin.delete('/api/admin/currencies/RON')).body.code).toBe('in_use');
    expect((await admin.delete('/api/admin/currencies/KWD')).status).toBe(204);
    expect((await admin.delete('/api/admin/currencies/KWD')).status).toBe(404);
  });

  it('moves the base for the whole shop', async () => {
    const { admin } = shop.b;
    const moved = await admin.post('/api/admin/currencies/', { code: 'EUR', isBase: true });
    expect(moved.body.isBase).toBe(true);
    expect((await admin.get('/api/admin/settings/store')).body.currency).toBe('EUR');
    const list = await admin.get<{ data: { code: string; isBase: boolean }[] }>('/api/admin/currencies/');
    expect(list.body.data.filter((row) => row.isBase).map((row) => row.code)).toEqual(['EUR']);
    expect((await admin.post('/api/admin/currencies/', { code: 'RON', isBase: true })).status).toBe(200);
  });

  it('lets a manual rate beat the automatic one until it is taken back; the inverse only where nothing else is known', async () => {
    const { a } = shop;
    const rate = (base: string, quote: string) =>
      a.run('currencies', async (ctx) => (await ctx.require(fx).rate(base, quote))?.rate);
    expect((await a.admin.post('/api/admin/fx-rates/refresh')).body.results).toMatchObject([
      { source: 'bnr', status: 'ok', count: 2 },
    ]);
    expect(await rate('EUR', 'RON')).toBe('5');
    expect(await rate('HUF', 'RON')).toBe('0.0125');
    expect(await rate('RON', 'EUR')).toBe('0.2');
    const put = (body: object) => a.admin.post('/api/admin/fx-rates/', body);
    expect((await put({ base: 'RON', quote: 'EUR', rate: '0.25' })).status).toBe(201);
    expect(await rate('RON', 'EUR')).toBe('0.25');
    expect((await put({ base: 'RON', quote: 'EUR', rate: null })).status).toBe(201);
    expect(await rate('RON', 'EUR')).toBe('0.2');
    for (const wrong of ['0', '-1', '1e3', 'x', '1.1234567890123'])
      expect((await put({ base: 'RON', quote: 'EUR', rate: wrong })).status).toBe(422);
    expect((await put({ base: 'RON', quote: 'RON', rate: '1' })).status).toBe(422);
    expect((await a.admin.get<{ data: object[] }>('/api/admin/fx-rates/?quote=EUR&source=manual')).body.data).toHaveLength(2);
  });

  it('asks a source once a day, and a source that is down leaves the rates and a log row', async () => {
    const { a, b } = shop;
    const before = calls;
    expect((await a.admin.post('/api/admin/fx-rates/refresh')).body.results).toMatchObject([{ status: 'unchanged' }]);
    expect(calls).toBe(before);
    answer = { status: 500, body: '' };
    const down = await b.admin.post('/api/admin/fx-rates/refresh');
    expect([down.status, down.body.code]).toEqual([503, 'unavailable']);
    answer = { status: 200, body: '<broken' };
    expect((await b.admin.post('/api/admin/fx-rates/refresh')).status).toBe(503);
    const log = await b.admin.get<{ data: { status: string }[] }>('/api/admin/fx-refresh-log/');
    expect(log.body.data.map((row) => row.status)).toEqual(['failed', 'failed']);
  });

  it('rejects a source that sends bombs, entities or compressed bodies, makes no request, and keeps the rates', async () => {
    const { admin } = shop.b;
    const asked: string[] = [];
    const canary = createServer((req, res) => {
      asked.push(req.url ?? '');
      res.end('9.9999');
    });
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
    const rates = () => shop.rows('select base, quote, rate from currencies_fx_rate order by base, quote, rate, tenant_id');
    const before = await rates();
    const bomb = gzipSync(Buffer.alloc(100_000_000));
    const hostile: [string, string | Buffer, Record<string, string>?][] = [
      ...hostileXml(`http://127.0.0.1:${(canary.address() as AddressInfo).port}`),
      ['a compressed bomb', bomb, { 'content-encoding': 'gzip', 'content-type': 'text/xml' }],
      ['a bomb as it is', bomb],
      ['more than is read', `${bnr}${' '.repeat(128_000)}`],
    ];
    const used = (): number => {
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const memory = used();
    let most = memory;
    const watch = setInterval(() => {
      most = Math.max(most, used());
    });
    try {
      for (const [name, body, headers] of hostile) {
        answer = { status: 200, body, ...(headers ? { headers } : {}) };
        const refused = await admin.post('/api/admin/fx-rates/refresh');
        expect([name, refused.status, refused.body.code]).toEqual([name, 503, 'unavailable']);
      }
    } finally {
      clearInterval(watch);
      canary.close();
      answer = { status: 200, body: bnr };
    }
    const grown = (most - memory) / 1e6;
    console.info(
      `XML: ${hostile.length} documents refused, ${asked.length} hits on the canary, ${grown.toFixed(0)} MB more memory`,
    );
    expect(asked).toEqual([]);
    expect(await rates()).toEqual(before);
    // At any time, of this thread alone, while other tests run beside it: less than the bomb unpacks to, twice.
    expect(grown).toBeLessThan(150);
    const log = await admin.get<{ data: { status: string; error: string }[] }>('/api/admin/fx-refresh-log/?limit=100');
    expect(log.body.data.some(({ error }) => /document declares a type/.test(error))).toBe(true);
    expect((await admin.post('/api/admin/fx-rates/refresh')).status).toBe(200);
  });

  it('a day that is none or is still to come, and rates of a currency itself: noted, the next bank is asked, the day stays open', async () => {
    const { admin } = shop.b;
    // Its day is another than that of the tests before, which had their rates.
    shop.clock.advance(86_400_000);
    const today = shop.clock.now();
    const later = (days: number) => new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10);
    const ecb = createServer((_, res) =>
      res.end(
        `<gesmes:Envelope><Cube><Cube time="${later(0)}"><Cube currency="EUR" rate="1"/><Cube currency="SEK" rate="11"/></Cube></Cube></gesmes:Envelope>`,
      ),
    );
    await new Promise<void>((resolve) => ecb.listen(0, '127.0.0.1', resolve));
    const settings = { ecbUrl: `http://127.0.0.1:${(ecb.address() as AddressInfo).port}/`, sources: ['bnr', 'ecb'] };
    expect((await admin.put('/api/admin/plugins/currencies/settings', { settings })).status).toBe(200);
    const of = (date: string, rates = '<Rate currency="SEK">0.45</Rate>') =>
      `<DataSet><Body><Cube date="${date}">${rates}</Cube></Body></DataSet>`;
    const refresh = async (body: string) => {
      answer = { status: 200, body };
      const done = await admin.post<{ results: { source: string; status: string; count: number }[] }>(
        '/api/admin/fx-rates/refresh',
      );
      expect(done.status, done.text).toBe(200);
      return done.body.results.map(({ source, status, count }) => [source, status, count]);
    };
    try {
      expect(await refresh(of('2026-02-30'))).toEqual([
        ['bnr', 'failed', 0],
        ['ecb', 'ok', 1],
      ]);
      for (const body of [of('9999-12-31'), of(later(4)), of(later(0), '<Rate currency="RON">1</Rate>')])
        expect((await refresh(body))[0]).toEqual(['bnr', 'failed', 0]);
      expect((await refresh(of(later(0), '<Rate currency="RON">1</Rate><Rate currency="SEK">0.45</Rate>')))[0]).toEqual([
        'bnr',
        'ok',
        1,
      ]);
      const log = await admin.get<{ data: { status: string; error: string }[] }>('/api/admin/fx-refresh-log/?source=bnr&limit=5');
      expect(log.body.data.map(({ status, error }) => [status, error])).toEqual([
        ['ok', null],
        ['failed', 'the document has no rates'],
        ['failed', `the rates are of ${later(4)}, a day that is still to come`],
        ['failed', 'the rates are of 9999-12-31, a day that is still to come'],
        ['failed', 'the document names no date'],
      ]);
    } finally {
      ecb.close();
      answer = { status: 200, body: bnr };
    }
  });

  // C41–C43: once, on the unit price.
  it.each([
    ['USD', 'EUR', '0.86', 5499, 4729],
    ['USD', 'CZK', '3.783325', 2500, 9458],
    ['USD', 'CZK', '3.783325', 1000, 3783],
    ['USD', 'CZK', '3.783325', 200, 757],
    ['USD', 'GBP', '0.9737', 700, 682],
  ])('converts %s to %s at %s', async (base, quote, rate, amount, expected) => {
    await shop.a.admin.post('/api/admin/fx-rates/', { base, quote, rate });
    const converted = await shop.a.run('currencies', (ctx) => ctx.require(fx).convert({ amount, currency: base }, quote));
    expect(converted).toEqual({ amount: expected, currency: quote });
  });
});
