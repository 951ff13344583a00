import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Installation, Kernel, Prepared } from '@storeloom/core';
import type { Ctx } from '@storeloom/plugin-sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { seedDemo } from './demo.ts';
import { demoOwner } from './owner.ts';

const tenant = { slug: 'one', name: 'One', host: 'one.localhost', locales: ['en'], currency: 'EUR', timezone: 'UTC' };

/** A kernel of two plugins with demo data, as far as a demo touches it. */
function twoPlugins() {
  const filled: string[] = [];
  const said: string[] = [];
  const made: unknown = { createOwner: async () => ({ userId: 'u' }), create: async () => ({ userId: 'u' }) };
  const run = (fn: (ctx: Ctx) => Promise<unknown>) => fn({ require: () => made } as unknown as Ctx);
  const kernel = {
    port: 1,
    clock: { now: () => '2026-01-01T00:00:00.000Z' },
    asPlatform: (_: string, fn: never) => run(fn),
    inTenant: (_: string, __: string, fn: never) => run(fn),
    database: { withPlatform: (fn: (tx: unknown) => unknown) => fn({ db: { first: async () => ({ id: 't' }) } }) },
    registry: {
      states: () => [{ name: 'books' }, { name: 'rooms' }],
      loaded: ['books', 'rooms'].map((name) => ({
        manifest: { name },
        plugin: { seeds: { demo: async () => void filled.push(name) } },
      })),
    },
  } as unknown as Kernel;
  let kept: unknown;
  const dataDir = { readJson: () => kept, writeJson: (_: string, value: unknown) => (kept = structuredClone(value)) };
  const fill = (more: object) =>
    seedDemo(
      kernel,
      { demo: [{ ...tenant, ...more }] } as unknown as Installation,
      dataDir as unknown as Prepared['dataDir'],
      (line) => {
        said.push(line);
      },
    );
  return { filled, said, fill };
}

describe('the demo data of a tenant', () => {
  it('is that of every plugin, once', async () => {
    const { filled, said, fill } = twoPlugins();
    const first = await fill({});
    expect(await fill({})).toEqual(first);
    expect([filled, said]).toEqual([['books', 'rooms'], []]);
  });
  it('or of those in `seeds`; an unknown name is an error', async () => {
    const { filled, said, fill } = twoPlugins();
    await fill({ seeds: ['rooms', 'boats'] });
    expect(filled).toEqual(['rooms']);
    expect(said).toEqual([expect.stringMatching(/one boats is missing: no plugin/)]);
  });
  it('is tried again where a seed broke', async () => {
    const { said, fill } = twoPlugins();
    let tries = 0;
    const seed = async (): Promise<void> => {
      if (++tries === 1) throw new Error('the well is dry');
    };
    for (let i = 0; i < 3; i++) await fill({ seed });
    expect(tries).toBe(2);
    expect(said.filter((line) => line.includes('the well is dry'))).toHaveLength(1);
  });
});

describe('the owner of a demo shop', () => {
  let server: Server;
  afterEach(() => server?.close());
  /** Things in pages of two; refuses one that is called bad. */
  async function shop() {
    const seen: [method: string, path: string, host: string, signedIn: boolean][] = [];
    const things = ['a', 'b', 'c'].map((name) => ({ id: `id-${name}`, name }));
    server = createServer(async (req, res) => {
      const { pathname, searchParams } = new URL(req.url as string, 'http://shop');
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk);
      const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
      seen.push([req.method as string, pathname, req.headers.host as string, req.headers.authorization === 'Bearer t']);
      const send = (status: number, value: object) => res.writeHead(status).end(JSON.stringify(value));
      if (pathname === '/api/auth/login') send(200, { accessToken: 't' });
      else if (req.method === 'GET') {
        const at = Number(searchParams.get('cursor') ?? 0);
        send(200, { data: things.slice(at, at + 2), page: { nextCursor: at + 2 < things.length ? String(at + 2) : null } });
      } else if (body.name === 'bad') send(422, { code: 'validation_failed' });
      else {
        things.push({ id: `id-${body.name}`, name: body.name });
        send(201, { id: `id-${body.name}`, ...body });
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { seen, owner: demoOwner(base, 'one.localhost', { email: 'o@one.localhost', password: 'p' }) };
  }

  it('makes what no page of the list has, and gives all of it in order', async () => {
    const { seen, owner } = await shop();
    const rows = await owner.ensure('/api/admin/things/', 'name', [{ name: 'd' }, { name: 'c' }]);
    expect(rows.map(({ id }) => id)).toEqual(['id-d', 'id-c']);
    expect(await owner.ensure('/api/admin/things/', 'name', [{ name: 'd' }])).toMatchObject([{ id: 'id-d' }]);
    expect(seen.filter(([method, path]) => method === 'POST' && path === '/api/admin/things/')).toHaveLength(1);
    expect(seen.filter(([, path]) => path === '/api/auth/login')).toHaveLength(1);
    expect(new Set(seen.map(([, , host]) => host))).toEqual(new Set(['one.localhost']));
  });
  it('is signed in for the administration and a visitor elsewhere; what is refused is thrown with the answer', async () => {
    const { seen, owner } = await shop();
    await owner.call('GET', '/api/storefront/things/');
    await owner.call('GET', '/api/admin/things/');
    expect(seen.map(([, path, , signedIn]) => [path, signedIn])).toEqual([
      ['/api/storefront/things/', false],
      ['/api/auth/login', false],
      ['/api/admin/things/', true],
    ]);
    await expect(owner.call('POST', '/api/admin/things/', { name: 'bad' })).rejects.toThrow(
      /POST \/api\/admin\/things\/ answered 422: .*validation_failed/,
    );
  });
});
