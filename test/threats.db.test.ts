import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { uuidv7 } from '@storeloom/plugin-sdk';
import type { TestClient, TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTill, type Till } from '../plugins/checkout/test/till.ts';
import { bodiesOf, type Sample } from './support/bodies.ts';
import { fill } from './support/fill.ts';
import { everyPlugin } from './support/house.ts';

/** What strangers try, over every route of the repository's plugins that the document names. */
let till: Till;
let shop: TestShop;
let samples: Sample[];
let customer: TestClient;
beforeAll(async () => {
  till = await openTill(everyPlugin);
  shop = till.shop;
  for (const tenant of [shop.a, shop.b]) await fill(till, tenant);
  await shop.settled();
  samples = (await bodiesOf(shop)).filter(({ body }) => typeof body === 'object' && body !== null && !Array.isArray(body));
  customer = await shop.a.customer();
});
afterAll(() => till?.stop());

const clientOf = ({ family }: Pick<Sample, 'family'>): TestClient => (family === 'admin' ? shop.a.admin : customer);
const ask = (sample: Sample, body: unknown) =>
  clientOf(sample).call(
    sample.method,
    sample.path.replace(/\{\w+\}/g, () => uuidv7()),
    { body },
  );
/** Every text in the value replaced. */
const withTexts = (value: unknown, replacement: string): unknown => {
  if (typeof value === 'string') return replacement;
  if (Array.isArray(value)) return value.map((item) => withTexts(item, replacement));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withTexts(member, replacement)]));
  return value;
};
/** Lists and searches: routes with a query that are read. */
const reads = (): string[] =>
  shop.kernel.routes
    .filter(
      ({ route, family, path }) =>
        route.method === 'GET' && (family === 'admin' || family === 'storefront') && !path.startsWith('/api/v1'),
    )
    .map(({ path }) => path);
const get = (path: string, query: string) =>
  (path.startsWith('/api/admin') ? shop.a.admin : customer).get(`${path.replace(/\{\w+\}/g, () => uuidv7())}?${query}`);

describe('members that only the server sets', () => {
  it('are refused by every route that takes a body', async () => {
    const members = {
      id: uuidv7(),
      tenantId: shop.b.id,
      role: 'owner',
      paid: true,
      createdAt: '2000-01-01T00:00:00.000Z',
      updatedAt: '2000-01-01T00:00:00.000Z',
      version: 99,
      operator: true,
    };
    const faults: string[] = [];
    let sent = 0;
    for (const sample of samples)
      for (const [name, value] of Object.entries(members)) {
        if (Object.hasOwn(sample.body as object, name)) continue;
        // The version of the settings that were read; it is compared with `If-Match` only, never written.
        if (name === 'version' && sample.path === '/api/admin/settings/store') continue;
        const { status } = await ask(sample, { ...(sample.body as object), [name]: value });
        sent++;
        if (status < 400) faults.push(`${sample.method} ${sample.path} took ${name}: ${status}`);
      }
    console.info(`mass assignment: ${sent} requests to ${samples.length} routes, ${faults.length} taken`);
    // An id may name what is written where the body has such a member that its example leaves out.
    expect(faults).toEqual([]);
  }, 300_000);

  it('nor does anything reach the prototype of all objects', async () => {
    for (const sample of samples.slice(0, 200))
      for (const name of ['__proto__', 'constructor', 'prototype'])
        await clientOf(sample).call(
          sample.method,
          sample.path.replace(/\{\w+\}/g, () => uuidv7()),
          {
            raw: { content: `{"${name}": {"polluted": "yes"}, "a": {"${name}": {"polluted": "yes"}}}`, type: 'application/json' },
          },
        );
    for (const path of reads()) await get(path, '__proto__[polluted]=yes&constructor[prototype][polluted]=yes');
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  }, 300_000);
});

describe('operators and statements', () => {
  it('in queries are no parameters', async () => {
    const faults: string[] = [];
    const queries = [
      'email[$ne]=x',
      'id[$gt]=',
      '$where=1',
      '$or[0][id]=1',
      'sort=$ne',
      'sort=id;drop',
      'sort=(select 1)',
      'limit=1e9',
      'limit=-1',
      'offset=-1',
      `cursor=${'x'.repeat(300)}`,
    ];
    let sent = 0;
    for (const path of reads())
      for (const query of queries) {
        // A file is made of all rows of a list, whose address may be taken over with its pages.
        if (path.endsWith('.csv') && /^(limit|cursor)=/.test(query)) continue;
        const { status } = await get(path, query);
        sent++;
        if (status < 300 || status >= 500) if (status !== 501) faults.push(`${path}?${query.slice(0, 40)}: ${status}`);
      }
    console.info(`operators in queries: ${sent} requests, ${faults.length} taken`);
    expect(faults).toEqual([]);
  }, 600_000);

  it('in texts run nowhere: no answer waits for the database', async () => {
    const payloads = [
      "' || (select pg_sleep(90))::text || '",
      "'; select pg_sleep(90); --",
      '%27%3Bselect pg_sleep(90)--',
      '") or 1=1 or ("',
    ];
    const faults: string[] = [];
    let sent = 0;
    for (const payload of payloads) {
      for (const sample of samples) {
        const { status } = await ask(sample, withTexts(sample.body, payload));
        sent++;
        // A statement of a minute and a half is ended before that, and answered with 503.
        if (status >= 500 && status !== 501) faults.push(`${sample.method} ${sample.path}: ${status}`);
      }
      for (const path of reads().filter((one) => !one.includes('{')))
        for (const name of ['q', 'sort', 'filter']) {
          const { status } = await get(path, `${name}=${encodeURIComponent(payload)}`);
          sent++;
          if (status >= 500 && status !== 501) faults.push(`${path}?${name}: ${status}`);
        }
    }
    console.info(`statements in texts: ${sent} requests, ${faults.length} ran or failed`);
    expect(faults).toEqual([]);
  }, 900_000);

  it('a hundred thousand ids are too many', async () => {
    const ids = Array.from({ length: 100_000 }, () => uuidv7());
    for (const [path, body] of [
      ['/api/admin/products/bulk', { ids, action: 'archive' }],
      ['/api/admin/customer-groups/{id}/assign', { customerIds: ids }],
    ] as const)
      expect([413, 422]).toContain((await shop.a.admin.post(path.replace('{id}', uuidv7()), body)).status);
    expect((await shop.a.admin.get(`/api/admin/products/?id[in]=${ids.slice(0, 400).join(',')}`)).status).toBeLessThan(500);
  });
});

it('fifty thousand letters in every text keep no process busy', async () => {
  const evil = `${'a'.repeat(50_000)}!`;
  const slow: string[] = [];
  let [worst, sent] = [0, 0];
  const spent = async (call: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage();
    await call();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  for (const sample of samples) {
    const body = withTexts(sample.body, evil);
    if (JSON.stringify(body).length > 900_000) continue;
    let least = Number.POSITIVE_INFINITY;
    // What else the process does meanwhile only adds.
    for (let i = 0; i < 4 && least > 50; i++) least = Math.min(least, await spent(() => ask(sample, body)));
    sent++;
    worst = Math.max(worst, least);
    // A pattern that goes back and forth takes seconds; the rest is what a busy machine adds.
    if (least > 400) slow.push(`${sample.method} ${sample.path}: ${least.toFixed(0)} ms`);
  }
  console.info(`50 kB in every text: ${sent} routes, at most ${worst.toFixed(0)} ms of processor a request, both ends together`);
  expect(slow).toEqual([]);
}, 600_000);

describe('hosts', () => {
  const raw = async (head: string): Promise<{ status: number; body: string }> => {
    const socket = connect(Number(new URL(shop.bases[0] as string).port), '127.0.0.1');
    socket.write(`${head}\r\nconnection: close\r\n\r\n`);
    const answer = await text(socket);
    return { status: Number(answer.slice(9, 12)), body: answer.slice(answer.indexOf('\r\n\r\n') + 4) };
  };
  const config = '/api/storefront/tenant-config/';
  it('twenty spellings: the shop itself, or no shop', async () => {
    const host = shop.a.host;
    const own = [host, host.toUpperCase(), `${host}.`, `${host}:80`, `${host}:8080`, `${host}.:443`];
    const unknownHosts = [
      `${host}@evil.example`,
      `evil.example@${host}`,
      `user:pass@${host}`,
      `${host}:evil`,
      `${host}#evil`,
      `${host}/evil`,
      `${host}?evil`,
      `${host}\\evil`,
      `${host} evil`,
      `${host}..`,
      `x${host}`,
      `evil.example`,
      '127.0.0.1',
      '[::1]',
    ];
    for (const name of own) {
      const answer = await raw(`GET ${config} HTTP/1.1\r\nhost: ${name}`);
      expect([name, answer.status]).toEqual([name, 200]);
      expect(answer.body).toContain('"timezone"');
    }
    for (const name of unknownHosts) {
      const { status } = await raw(`GET ${config} HTTP/1.1\r\nhost: ${name}`);
      expect([400, 404], name).toContain(status);
    }
    expect((await raw(`GET ${config} HTTP/1.1\r\nhost: ${host}\r\nhost: ${shop.b.host}`)).status).toBe(400);
    expect((await raw(`GET http://${shop.b.host}${config} HTTP/1.1\r\nhost: ${host}`)).status).toBe(400);
    expect((await raw(`GET http://${host}${config} HTTP/1.1\r\nhost: ${host}`)).status).toBe(200);
    for (const name of ['x-forwarded-host', 'x-host', 'forwarded', 'x-original-host']) {
      const { body } = await raw(
        `GET ${config} HTTP/1.1\r\nhost: ${host}\r\n${name}: ${name === 'forwarded' ? `host=${shop.b.host}` : shop.b.host}`,
      );
      expect(body, name).toContain((await shop.a.guest.get<{ name: string }>(config)).body.name);
    }
    console.info(`${own.length + unknownHosts.length + 3} hosts: none leads to another shop`);
  });

  it('what a stranger sends along taints no cached answer', async () => {
    const paths = [config, '/api/storefront/products/', '/api/storefront/pages/', '/api/storefront/page-config/?template=home'];
    const clean = await Promise.all(paths.map(async (path) => (await shop.a.guest.get(path)).text));
    shop.clock.advance(120_000);
    for (const path of paths)
      for (const headers of [
        { 'x-forwarded-host': 'evil.example' },
        { 'x-forwarded-proto': 'javascript' },
        { 'x-original-url': '/api/admin/products/' },
        { 'x-rewrite-url': '/evil' },
        { origin: 'https://evil.example' },
        { 'accept-language': 'xx-evil' },
        { 'user-agent': '<script>evil</script>' },
        { 'x-request-id': 'evil-evil-evil' },
        { cookie: 'cart=evil; locale=evil' },
        { 'x-cart-token': 'evil' },
      ] as Record<string, string>[])
        expect((await shop.a.guest.with(headers).get(path)).text).not.toContain('evil');
    for (const [i, path] of paths.entries()) {
      const again = await shop.a.guest.get(path);
      expect(again.text).toBe(clean[i]);
      expect(JSON.stringify(again.headers)).not.toContain('evil');
    }
  });
});

it('paths lead out of nowhere', async () => {
  const shapes = ['../', '..%2f', '%2e%2e/', '%2e%2e%2f', '..%252f', '..\\', '..%5c', '%c0%ae%c0%ae/'];
  const faults: string[] = [];
  for (const shape of shapes)
    for (const depth of [1, 4, 8])
      for (const stem of ['/files/', '/api/storefront/pages/', '/api/admin/uploads/?key=', '/api/storefront/products/']) {
        const target = `${stem}${shape.repeat(depth)}etc/passwd`;
        const answer = await new Promise<string>((resolve) => {
          const socket = connect(Number(new URL(shop.bases[0] as string).port), '127.0.0.1');
          socket.write(`GET ${target} HTTP/1.1\r\nhost: ${shop.a.host}\r\nconnection: close\r\n\r\n`);
          void text(socket).then(resolve);
        });
        const status = Number(answer.slice(9, 12));
        if (status < 400 || status >= 500 || answer.includes('root:')) faults.push(`${target}: ${status}`);
      }
  expect(faults).toEqual([]);
});

describe('bombs', () => {
  const zeros = Buffer.alloc(64 * 1024 * 1024, ' ');
  const bombs: Record<string, Buffer> = {
    gzip: gzipSync(zeros),
    deflate: deflateSync(zeros),
    br: brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
    zstd: zstdCompressSync(zeros),
  };
  /** How much more memory the process has at most while `work` runs. */
  /** Megabytes of buffers, into which anything is unpacked first: of this thread alone, while other tests run beside it. */
  async function growth(work: () => Promise<void>): Promise<number> {
    const before = process.memoryUsage().external;
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().external);
    });
    await work().finally(() => clearInterval(watch));
    return (most - before) / 1e6;
  }

  it('compressed bodies are refused by every route, and unpacked by none', async () => {
    const faults: string[] = [];
    let sent = 0;
    const routes = shop.kernel.routes.filter(({ route, path }) => route.method !== 'GET' && !path.startsWith('/api/v1'));
    const grown = await growth(async () => {
      for (const [i, { route, path, family }] of routes.entries()) {
        const client = family === 'admin' ? shop.a.admin : family === 'super-admin' ? shop.operator : customer;
        for (const coding of ['GZIP', 'gzip', 'deflate', 'br', 'zstd', 'x-gzip', 'gzip, gzip'].filter(
          (_, n) => i < 20 || n === i % 7,
        )) {
          const content = bombs[coding.toLowerCase()] ?? (bombs.gzip as Buffer);
          const { status } = await client.call(
            route.method,
            path.replace(/\{\w+\}/g, () => uuidv7()),
            { raw: { content, type: 'application/json' }, headers: { 'content-encoding': coding } },
          );
          sent++;
          if (status !== 415) faults.push(`${route.method} ${path} ${coding}: ${status}`);
        }
      }
    });
    console.info(
      `compressed bodies: ${sent} bombs of 64 MB to ${routes.length} routes, ${faults.length} taken, ${grown.toFixed(0)} MB more memory`,
    );
    expect(faults).toEqual([]);
    expect(grown).toBeLessThan(200);
  }, 300_000);

  it('a compressed file is none of products', async () => {
    const load = (content: Buffer, type: string) =>
      shop.a.admin.call('POST', '/api/admin/import/products', { raw: { content, type } });
    const form = (content: Buffer, name: string): [Buffer, string] => [
      Buffer.concat([
        Buffer.from(
          `--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/csv\r\nContent-Encoding: gzip\r\n\r\n`,
        ),
        content,
        Buffer.from('\r\n--x--\r\n'),
      ]),
      'multipart/form-data; boundary=x',
    ];
    const grown = await growth(async () => {
      for (const bomb of Object.values(bombs)) {
        expect([400, 422]).toContain((await load(bomb, 'text/csv')).status);
        expect((await load(bomb, 'application/gzip')).status).toBe(415);
        expect((await load(bomb, 'application/zip')).status).toBe(415);
        expect([400, 422]).toContain((await load(bomb, 'application/json')).status);
        expect([400, 422]).toContain((await load(...form(bomb, '../../../../tmp/evil.csv'))).status);
      }
    });
    expect(grown).toBeLessThan(200);
  });
});
