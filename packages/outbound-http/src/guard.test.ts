import { createServer, type Server } from 'node:http';
import { createServer as createTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { GuardedHttp } from '@storeloom/plugin-sdk';
import { afterEach, describe, expect, test } from 'vitest';
import { certificate, key } from '../test/certificate.ts';
import { addressRefusal, isLocalName } from './addresses.ts';
import { createHttpGuard, type HttpGuardOptions } from './guard.ts';

/** 40 spellings of this machine, most of which the URL parser makes one of a few addresses. */
const loopback = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.000.000.001',
  '127.0.0.01',
  '0177.0.0.1',
  '0177.1',
  '0x7f.0.0.1',
  '0x7f.1',
  '0x7f000001',
  '0X7F000001',
  '0x7F.0X0.0x0.0x1',
  '2130706433',
  '017700000001',
  '0x0007f000001',
  '127.0.0.1.',
  '127.255.255.254',
  '127.127.127.127',
  '127.0.0.0x1',
  '１２７.０.０.１',
  '127。0。0。1',
  '127．0．0．1',
  '①②⑦.⓪.⓪.①',
  '%31%32%37.0.0.1',
  '127.0.0.%31',
  '0',
  '0.0.0.0',
  '0x0',
  '00000',
  '0.0',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
];

const inside = [
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '169.254.0.1',
  '100.64.0.1',
  '100.127.255.255',
  '100.100.100.200',
  '198.18.0.1',
  '198.19.255.255',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '192.88.99.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '0.1.2.3',
  '168.63.129.16',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fec0::1]',
  '[ff02::1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:0:10.0.0.1]',
  '[64:ff9b::a00:1]',
  '[64:ff9b:1::1]',
  '[2002:a00:1::]',
  '[2001::1]',
  '[2001:db8::1]',
  '[100::1]',
  '[::a00:1]',
  '[2001:20::1]',
  '[3fff::1]',
];

const refusal = async (call: Promise<unknown>): Promise<string> => {
  try {
    await call;
  } catch (error) {
    const { code, extra } = error as { code: string; extra: { errors?: { code: string }[]; reason?: string } };
    return extra.errors?.[0]?.code ?? extra.reason ?? code;
  }
  return 'called';
};
/** Answers every name; the names that were asked. */
const resolver = (...addresses: string[]) => {
  const asked: string[] = [];
  return {
    asked,
    async resolve(host: string) {
      asked.push(host);
      return addresses;
    },
  };
};

describe('addresses that are not allowed', () => {
  const never = createHttpGuard({ resolve: async () => Promise.reject(new Error('no name is to be resolved')) });
  test('forty spellings of this machine', () => expect(new Set(loopback).size).toBe(40));
  test.each(loopback)('https://%s/', async (host) =>
    expect(await refusal(never.fetch(`https://${host}/`))).toBe('address_refused'),
  );
  test.each(inside)('https://%s/', async (host) =>
    expect(await refusal(never.fetch(`https://${host}/`))).toBe('address_refused'),
  );
  test.each(
    [...loopback, ...inside]
      .map((host) => host.replace(/[[\]]/g, ''))
      .filter((host) => /^[0-9a-f:]+:[0-9a-f:.]*$|^\d+\.\d+\.\d+\.\d+$/.test(host)),
  )('a name that leads to %s', async (address) => {
    const guard = createHttpGuard({ resolve: async () => [address] });
    expect(await refusal(guard.fetch('https://shop.example.com/'))).toBe('address_refused');
    // One bad answer among good ones spoils all: the connection might take it.
    const mixed = createHttpGuard({ resolve: async () => ['93.184.215.14', address] });
    expect(await refusal(mixed.fetch('https://shop.example.com/'))).toBe('address_refused');
  });

  test.each([
    ['http://93.184.215.14/', 'scheme_refused'],
    ['ftp://example.com/', 'scheme_refused'],
    ['file:///etc/passwd', 'scheme_refused'],
    ['data:text/plain,x', 'scheme_refused'],
    ['https://user@example.com/', 'credentials_refused'],
    ['https://user:pass@example.com/', 'credentials_refused'],
    ['https://example.com:8443/', 'port_refused'],
    ['https://example.com:22/', 'port_refused'],
    ['https://example.com:6379/', 'port_refused'],
    ['https://localhost/', 'host_refused'],
    ['https://LOCALHOST./', 'host_refused'],
    ['https://a.localhost/', 'host_refused'],
    ['https://intranet/', 'host_refused'],
    ['https://printer.local/', 'host_refused'],
    ['https://metadata.google.internal/', 'host_refused'],
    ['https://router.home.arpa/', 'host_refused'],
    ['https://x.onion/', 'host_refused'],
    ['//example.com/', 'url_invalid'],
    ['/relative', 'url_invalid'],
    ['https://', 'url_invalid'],
    ['https://exa mple.com/', 'url_invalid'],
    ['https://[::1/', 'url_invalid'],
    [`https://example.com/${'a'.repeat(3000)}`, 'url_invalid'],
    ['', 'url_invalid'],
  ])('%s: %s', async (url, code) => expect(await refusal(never.fetch(url))).toBe(code));

  test('a name that is not known, or has no address', async () => {
    expect(await refusal(createHttpGuard({ resolve: async () => [] }).fetch('https://shop.example.com/'))).toBe('host_refused');
    for (const code of ['ENOTFOUND', 'ENODATA']) {
      const guard = createHttpGuard({ resolve: async () => Promise.reject(Object.assign(new Error('no such name'), { code })) });
      expect(await refusal(guard.fetch('https://shop.example.com/'))).toBe('host_refused');
      expect(await refusal(guard.check('https://shop.example.com/'))).toBe('host_refused');
    }
  });

  test('a name without a response of name servers', async () => {
    const silent = createHttpGuard({
      resolve: (_, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    expect(await refusal(silent.fetch('https://shop.example.com/', { timeoutMs: 50 }))).toBe('timeout');
    for (const [code, reason] of [
      ['ETIMEOUT', 'timeout'],
      ['ESERVFAIL', 'unreachable'],
      ['ECONNREFUSED', 'unreachable'],
    ]) {
      const guard = createHttpGuard({ resolve: async () => Promise.reject(Object.assign(new Error('no answer'), { code })) });
      expect(await refusal(guard.fetch('https://shop.example.com/'))).toBe(reason);
      expect(await refusal(guard.check('https://shop.example.com/'))).toBe('host_unanswered');
    }
  });

  test('public addresses are not in the way', () => {
    for (const address of [
      '93.184.215.14',
      '1.1.1.1',
      '8.8.8.8',
      '193.0.6.139',
      '2606:4700:4700::1111',
      '2a00:1450:400d:80e::200e',
    ])
      expect(addressRefusal(address), address).toBeUndefined();
    for (const name of ['example.com', 'local.example.com', 'notlocal', 'shop.internal.example'])
      expect(isLocalName(name), name).toBe(name === 'notlocal');
  });
});

describe('calling', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
  async function serve(listener: Parameters<typeof createServer>[1], tls = false): Promise<number> {
    const server = tls ? (createTls({ key, cert: certificate }, listener) as unknown as Server) : createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }
  /** As in development: this machine may be called. */
  const local = (options: HttpGuardOptions = {}): GuardedHttp => createHttpGuard({ allowLocal: true, ...options });

  test('goes to the checked address with the name in Host and SNI', async () => {
    let seen: unknown;
    const port = await serve((req, res) => {
      seen = [req.headers.host, (req.socket as { servername?: string }).servername, req.socket.remoteAddress];
      res.end('hello');
    }, true);
    const { asked, resolve } = resolver('127.0.0.1');
    const answer = await local({ resolve, ca: certificate }).fetch(`https://shop.example.com:${port}/x`);
    expect(answer).toMatchObject({ status: 200, body: Buffer.from('hello') });
    expect(seen).toEqual([`shop.example.com:${port}`, 'shop.example.com', '127.0.0.1']);
    // Once: a second answer could be another one.
    expect(asked).toEqual(['shop.example.com']);
  });

  test('each request checks again: a name that changed to an internal address is rejected', async () => {
    let hits = 0;
    const port = await serve((_, res) => {
      hits++;
      res.end();
    });
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1', '169.254.169.254']];
    const guard = local({ resolve: async () => answers.shift() ?? [] });
    const url = `http://shop.example.com:${port}/`;
    expect((await guard.fetch(url)).status).toBe(200);
    expect(await refusal(guard.fetch(url))).toBe('address_refused');
    expect(await refusal(guard.fetch(url))).toBe('address_refused');
    expect(hits).toBe(1);
  });

  test('check applies the rules of fetch without connecting', async () => {
    const { resolve, asked } = resolver('93.184.215.14');
    await expect(createHttpGuard({ resolve }).check('https://shop.example.com/hook')).resolves.toBeUndefined();
    expect(asked).toEqual(['shop.example.com']);
    const inside = createHttpGuard({ resolve: async () => ['93.184.215.14', '10.0.0.1'] });
    expect(await refusal(inside.check('https://shop.example.com/'))).toBe('address_refused');
    expect(await refusal(inside.check('http://shop.example.com/'))).toBe('scheme_refused');
    expect(await refusal(inside.check('https://user@shop.example.com/'))).toBe('credentials_refused');
    expect(await refusal(inside.check('https://0x7f.1/'))).toBe('address_refused');
  });

  test('a wrong certificate is no answer', async () => {
    const port = await serve((_, res) => res.end(), true);
    const { resolve } = resolver('127.0.0.1');
    expect(await refusal(local({ resolve }).fetch(`https://shop.example.com:${port}/`))).toBe('unreachable');
    expect(await refusal(local({ resolve, ca: certificate }).fetch(`https://other.example.org:${port}/`))).toBe('unreachable');
  });

  test('sends method, headers and body, but not the headers that belong to the connection', async () => {
    let seen: { method?: string; headers?: NodeJS.Dict<string | string[]>; body?: string } = {};
    const port = await serve(async (req, res) => {
      let body = '';
      for await (const chunk of req) body += chunk;
      seen = { method: req.method ?? '', headers: req.headers, body };
      res.writeHead(201, { 'x-one': '1', 'set-cookie': ['a=1', 'b=2'] }).end('{}');
    });
    const answer = await local().fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        Host: 'evil.example',
        'Content-Length': '1',
        'Transfer-Encoding': 'chunked',
        'x-mine': 'y',
      },
      body: '{"ș":1}',
    });
    expect(answer).toMatchObject({ status: 201, headers: { 'x-one': '1', 'set-cookie': 'a=1, b=2' } });
    expect(seen).toMatchObject({
      method: 'POST',
      body: '{"ș":1}',
      headers: { host: `127.0.0.1:${port}`, 'content-length': '8', 'x-mine': 'y', 'content-type': 'application/json' },
    });
  });

  test('a redirect is an answer, never followed', async () => {
    let hits = 0;
    const port = await serve((req, res) => {
      hits++;
      res.writeHead(req.url === '/' ? 302 : 200, { location: '/inside' }).end();
    });
    expect(await local().fetch(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 302, headers: { location: '/inside' } });
    expect(hits).toBe(1);
  });

  test('an answer is cut at its cap, in bytes and in time', async () => {
    const port = await serve((req, res) => {
      if (req.url === '/slow') return;
      if (req.url === '/drip') {
        res.writeHead(200);
        const timer = setInterval(() => res.write('x'), 20);
        res.on('close', () => clearInterval(timer));
        return;
      }
      res.writeHead(200);
      const flood = (): void => {
        while (res.write(Buffer.alloc(65_536))) if (res.destroyed) return;
        res.once('drain', flood);
      };
      flood();
    });
    const guard = local();
    const url = (path: string) => `http://127.0.0.1:${port}${path}`;
    expect(await refusal(guard.fetch(url('/flood'), { maxBytes: 100_000 }))).toBe('answer_too_large');
    expect(await refusal(guard.fetch(url('/slow'), { timeoutMs: 200 }))).toBe('timeout');
    expect(await refusal(guard.fetch(url('/drip'), { timeoutMs: 200 }))).toBe('timeout');
  });

  test('an unreachable host or a broken connection is 503', async () => {
    const port = await serve((req) => req.socket.destroy());
    expect(await refusal(local().fetch(`http://127.0.0.1:${port}/`))).toBe('unreachable');
    expect(await refusal(local().fetch('http://127.0.0.1:1/'))).toBe('unreachable');
  });

  test('development opens this machine, and nothing else of the inside', async () => {
    for (const host of ['10.0.0.1', '169.254.169.254', '0.0.0.0', '[fd00:ec2::254]'])
      expect(await refusal(local().fetch(`http://${host}/`)), host).toBe('address_refused');
    expect(await refusal(local({ resolve: async () => ['10.0.0.1'] }).fetch('http://a.localhost/'))).toBe('address_refused');
    expect(await refusal(local().fetch('ftp://127.0.0.1/'))).toBe('scheme_refused');
    expect(await refusal(local().fetch('http://u:p@127.0.0.1/'))).toBe('credentials_refused');
  });
});
