import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext, Script } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { afterAll, expect, test } from 'vitest';

const limit = 10 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'storeloom-bundle-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The client with the slices of a shop's visitors, as a bundler for browsers puts it into a page. */
async function bundleOf(source: string): Promise<string> {
  const entry = join(folder, 'entry.js');
  writeFileSync(entry, source);
  const { output } = (await build({
    configFile: false,
    logLevel: 'error',
    root: folder,
    plugins: [
      {
        name: 'sources',
        resolveId(id) {
          const [, subpath] = /^@storeloom\/client(.*)$/.exec(id) ?? [];
          if (subpath === undefined) return undefined;
          return join(import.meta.dirname, '../packages/client/src', `${subpath === '' ? 'index' : subpath.slice(1)}.ts`);
        },
      },
    ],
    build: { write: false, minify: true, lib: { entry, formats: ['iife'], name: 'bundle' }, target: 'es2022' },
  }).then((result) => [result].flat()[0])) as { output: { code: string }[] };
  return output[0]?.code ?? '';
}

const storefront = `
import { createClient } from '@storeloom/client';
import { InsufficientStock } from '@storeloom/client/errors';
import * as slices from '@storeloom/client/slices/storefront';
export const client = (options) => createClient({ ...options, slices: Object.values(slices) });
export { InsufficientStock };
`;

test('the client with every storefront slice is at most 10 KB compressed', async () => {
  const code = await bundleOf(storefront);
  const size = gzipSync(code, { level: 9 }).length;
  expect(size, `${size} bytes`).toBeLessThanOrEqual(limit);
  // Routes for staff and other error classes stay out of a shop's page.
  expect(code).toContain('checkout.place');
  expect(code).not.toContain('insufficient_credit');
  expect(code).not.toMatch(/products\.bulk|superAdmin\b.*tenants\.create/);
});

test('client and webhook verification run with web standards alone: no Node global, no import', async () => {
  const code = await bundleOf(`${storefront}export { verify } from '@storeloom/client/webhooks';`);
  const requests: { url: string; init: RequestInit }[] = [];
  const globals = {
    AbortController,
    Blob,
    crypto,
    FormData,
    ReadableStream,
    TextDecoder,
    TextEncoder,
    URL,
    URLSearchParams,
    atob,
    clearTimeout,
    setTimeout,
    fetch: async (url: string, init: RequestInit) => {
      requests.push({ url, init });
      return new Response(JSON.stringify({ data: [{ id: '1' }], page: { limit: 20, nextCursor: null } }), {
        headers: { 'content-type': 'application/json' },
      });
    },
  };
  const context = createContext({ ...globals });
  new Script(`${code}; globalThis.bundle = bundle;`).runInContext(context);
  const run = (text: string): Promise<unknown> => new Script(text).runInContext(context) as Promise<unknown>;
  expect(await run('typeof process + typeof Buffer + typeof require + typeof global')).toBe('undefined'.repeat(4));
  const titles = await run(`(async () => {
    const shop = bundle.client({ baseUrl: 'https://api.example' }).storefront({ host: 'shop.example' });
    await shop.checkout.place({ email: 'a@b.ro' });
    return shop.products.list({ q: 'lamp' }).toArray({ max: 5 });
  })()`);
  expect(titles).toEqual([{ id: '1' }]);
  expect(requests.map(({ url }) => url)).toEqual([
    'https://shop.example/api/storefront/checkout/place',
    'https://shop.example/api/storefront/products?q=lamp',
  ]);
  const refused = await run(
    `bundle.verify({ secret: 'whsec_c2VjcmV0', headers: { 'webhook-id': '1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' }, body: '{}', now: 1000 }).then(() => 'accepted', (error) => error.code)`,
  );
  expect(refused).toBe('signature_invalid');
});
