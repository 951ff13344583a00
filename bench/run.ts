// Compares the API with two programs on the same machine in the same run: `npm run bench -- [--sizes 1000,10000] [--seconds 4] [--connections 8]
// [--only shopper] [--data folder] [--save]`. `raw.ts` does the API's SQL work by hand, `plain.ts` is a shop as simple as it can be. Use the
// ratios; absolute values depend on the machine. CPU per request is measured from outside, for the server and PostgreSQL.
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { request } from 'undici';
import { cost, type Figures, load, uncached } from './load.ts';
import { cpu, memoryOf, type Server, say, startBench } from './processes.ts';
import { seed } from './seed.ts';
import { address, host } from './shop.ts';
import { shopper } from './shopper.ts';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '8' },
    out: { type: 'string', default: 'bench/results.local.json' },
    save: { type: 'boolean', default: false },
    /** `boot`, `raw` or `shopper` (against the plain program): one part of the run. */
    only: { type: 'string' },
    /** Names of the rows of the plain comparison to measure, as a regular expression. */
    rows: { type: 'string', default: '' },
    /** Folder of a database that is kept for the next run. */
    data: { type: 'string' },
  },
});
const sizes = values.sizes.split(',').map(Number);
const seconds = Number(values.seconds);
const connections = Number(values.connections);

export interface Line {
  products: number;
  name: string;
  /** Program that the API is compared with; null for a row without a comparison. */
  against: 'raw' | 'plain' | null;
  /** Target: the API's throughput as a share of the other program's. */
  target: number | null;
  ours: Figures;
  other: Figures | null;
}
const lines: Line[] = [];
const facts: Record<string, unknown> = {};

const isWanted = (part: 'boot' | 'raw' | 'shopper'): boolean => values.only === undefined || values.only === part;

const bench = await startBench(values.data);
try {
  let seeded = 0;
  for (const size of sizes) {
    say(`filling the catalogue to ${size} products …`);
    const { tenantId, ...filled } = await seed({ from: seeded, to: size });
    seeded = size;
    await bench.analyze();
    if (size === sizes[0] && isWanted('boot')) await measureBoot();
    if (isWanted('raw')) {
      const ours = await bench.ours();
      const raw = await bench.raw('bench/raw.ts', tenantId);
      await measure({ size, ours, raw, ...filled });
      await ours.stop();
      await raw.stop();
    }
    if (isWanted('shopper'))
      lines.push(
        ...(await shopper({ bench, tenantId, products: size, connections, seconds, rows: new RegExp(values.rows), ...filled })),
      );
  }
  report();
} finally {
  await bench.stop();
}

/** CPU from the start of the process to the first 200 of `/health`, and resident memory a minute later. */
async function measureBoot(): Promise<void> {
  const started = performance.now();
  const ours = await bench.ours({ STORELOOM_WORKERS: 'true' });
  for (;;) {
    const answer = await request(`${ours.base}/health`, { headers: { host } });
    await answer.body.dump();
    if (answer.statusCode === 200) break;
  }
  facts.bootMs = Math.round(performance.now() - started);
  facts.bootCpuMs = Math.round(cpu(ours.pid, bench.postmaster).server);
  await new Promise((resolve) => setTimeout(resolve, 60_000));
  facts.idleMemoryMb = memoryOf(ours.pid);
  await ours.stop();
  say(`boot: ${facts.bootCpuMs} ms of CPU, idle memory ${facts.idleMemoryMb} MB`);
}

interface Setting {
  size: number;
  ours: Server;
  raw: Server;
  ownerToken: string;
  slugs: string[];
  variantIds: string[];
}

async function measure({ size, ours, raw, ownerToken, slugs, variantIds }: Setting): Promise<void> {
  const base = { connections, seconds, postmaster: bench.postmaster, host };
  const pair = async (
    name: string,
    target: number | null,
    ourNext: () => { method: 'GET'; path: string; headers?: Record<string, string> },
    rawNext: () => { method: 'GET'; path: string },
  ): Promise<void> => {
    const raws = await load(raw, { ...base, next: rawNext });
    const own = await load(ours, { ...base, next: ourNext });
    lines.push({ products: size, name, against: 'raw', target, ours: own, other: raws });
    say(`${size} ${name}: ${own.rps.toFixed(0)}/s against ${raws.rps.toFixed(0)}/s, ratio ${(own.rps / raws.rps).toFixed(2)}`);
  };
  const get = (path: string) => () => ({ method: 'GET' as const, path });
  const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T;
  await pair('list, cached', 1, get('/api/storefront/products/?limit=20'), get('/products'));
  await pair(
    'list, first page',
    0.6,
    () => ({ method: 'GET', path: uncached(host, '/api/storefront/products/?limit=20') }),
    get('/products'),
  );
  const deep = await deepCursor(ours, Math.min(size - 40, 9000));
  const rawDeep = await rawCursor(raw, Math.min(size - 40, 9000));
  await pair(
    'list, deep page',
    0.6,
    () => ({ method: 'GET', path: uncached(host, `/api/storefront/products/?limit=20&cursor=${deep}`) }),
    get(`/products?cursor=${rawDeep}`),
  );
  await pair(
    'detail',
    0.3,
    () => ({ method: 'GET', path: uncached(host, `/api/storefront/products/${pick(slugs)}`) }),
    () => ({ method: 'GET', path: `/products/${pick(slugs)}` }),
  );
  await pair(
    'categories',
    null,
    () => ({ method: 'GET', path: uncached(host, '/api/storefront/categories/') }),
    get('/categories'),
  );
  await pair(
    'admin list of 50',
    null,
    () => ({ method: 'GET', path: '/api/admin/products/?limit=50', headers: { authorization: `Bearer ${ownerToken}` } }),
    get('/admin'),
  );
  if (process.env.BENCH_CARTS !== '0') await carts({ size, ours, raw, ownerToken, slugs, variantIds }, base);
}

async function deepCursor(server: Server, skip: number): Promise<string> {
  let cursor = '';
  for (let passed = 0; passed < skip; passed += 100) {
    // fetch doesn't allow a custom Host header.
    const answer = await request(`${server.base}/api/storefront/products/?limit=100${cursor && `&cursor=${cursor}`}`, {
      headers: { host },
    });
    const { page } = (await answer.body.json()) as { page: { nextCursor: string | null } };
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  return encodeURIComponent(cursor);
}
async function rawCursor(server: Server, skip: number): Promise<string> {
  let cursor = '';
  for (let passed = 0; passed < skip; passed += 20) {
    const { next } = (await (await fetch(`${server.base}/products${cursor && `?cursor=${cursor}`}`)).json()) as {
      next: string | null;
    };
    if (next === null) break;
    cursor = next;
  }
  return cursor;
}

async function carts(
  { size, ours, raw, variantIds }: Setting,
  base: { connections: number; seconds: number; postmaster: number; host: string },
): Promise<void> {
  const pick = (): string => variantIds[Math.floor(Math.random() * variantIds.length)] as string;
  // Orders of one customer would wait for each other in both programs.
  const buyer = (): string => `buyer-${Math.floor(Math.random() * 5000)}@shop.example`;
  const json = { 'content-type': 'application/json' };
  const keyed = () => ({ ...json, 'idempotency-key': randomUUID() });
  const rawCart = (state: Map<string, string>) => ({
    method: 'POST' as const,
    path: '/cart',
    headers: keyed(),
    body: JSON.stringify({ ...(state.has('cart') ? { cart: state.get('cart') } : {}), variantId: pick(), quantity: 1 }),
  });
  const tokenOf = (body: string): string => (JSON.parse(body) as { cartToken?: string }).cartToken ?? '';
  // Carts of up to three lines, then a new one.
  const rawAdd = await load(raw, {
    ...base,
    next: rawCart,
    check: (status, body, state) => keep(status === 201, state, status < 300 ? tokenOf(body) : ''),
  });
  const ourAdd = await load(ours, {
    ...base,
    next: (state) => ({
      method: 'POST',
      path: '/api/storefront/cart/items',
      headers: {
        ...keyed(),
        ...(state.has('cart') ? { 'x-cart-token': state.get('cart') as string } : {}),
      },
      body: JSON.stringify({ variantId: pick(), quantity: 1 }),
    }),
    check: (status, body, state) =>
      keep(status === 201 || status === 200, state, status < 300 ? tokenOf(body) || (state.get('cart') ?? '') : ''),
  });
  lines.push({ products: size, name: 'cart add', against: 'raw', target: 0.4, ours: ourAdd, other: rawAdd });
  say(`${size} cart add: ratio ${(ourAdd.rps / rawAdd.rps).toFixed(2)}`);
  const rawPlace = await load(raw, {
    ...base,
    next: (state) =>
      state.has('cart')
        ? {
            method: 'POST',
            path: '/place',
            headers: keyed(),
            body: JSON.stringify({ cart: state.get('cart'), email: buyer(), address }),
          }
        : rawCart(state),
    check: (status, body, state) => order(status === 201, state, () => tokenOf(body)),
  });
  const add = () => ({
    method: 'POST' as const,
    path: '/api/storefront/cart/items',
    headers: keyed(),
    body: JSON.stringify({ variantId: pick(), quantity: 1 }),
  });
  const delivery = await deliveryOf(ours, address, add());
  const ourPlace = await load(ours, {
    ...base,
    next: (state) =>
      state.has('cart')
        ? {
            method: 'POST',
            path: '/api/storefront/checkout/place',
            headers: { ...keyed(), 'x-cart-token': state.get('cart') as string },
            body: JSON.stringify({
              email: buyer(),
              billingAddress: address,
              shippingAddress: address,
              shippingMethodId: delivery.methodId,
              paymentMethod: 'bank-transfer',
              consents: { terms: true },
              expectedTotal: { amount: Number(state.get('total')) + delivery.price.amount, currency: delivery.price.currency },
            }),
          }
        : add(),
    check: (status, body, state) => {
      if (status !== 201 && status !== 200) return order(false, state, () => '');
      const answer = JSON.parse(body) as { cartToken?: string; totals?: { total: { amount: number } } };
      if (answer.totals) state.set('total', String(answer.totals.total.amount));
      return order(true, state, () => answer.cartToken ?? '');
    },
  });
  lines.push({
    products: size,
    name: 'checkout (a cart and its order)',
    against: 'raw',
    target: 0.5,
    ours: ourPlace,
    other: rawPlace,
  });
  say(`${size} checkout: ratio ${(ourPlace.rps / rawPlace.rps).toFixed(2)}`);
}
/** The shipping price, requested once: one method with a flat price for every cart of the run. */
async function deliveryOf(
  server: Server,
  address: object,
  add: { method: 'POST'; path: string; headers: Record<string, string>; body: string },
): Promise<{ methodId: string; price: { amount: number; currency: string } }> {
  const call = async (path: string, headers: Record<string, string>, body: string): Promise<unknown> =>
    (await request(`${server.base}${path}`, { method: 'POST', headers: { host, ...headers }, body })).body.json();
  const { cartToken } = (await call(add.path, add.headers, add.body)) as { cartToken: string };
  const { data } = (await call(
    '/api/storefront/checkout/shipping-quotes',
    { ...add.headers, 'idempotency-key': randomUUID(), 'x-cart-token': cartToken },
    JSON.stringify({ address }),
  )) as { data: { methodId: string; price: { amount: number; currency: string } }[] };
  const [first] = data;
  if (!first) throw new Error('the shop delivers nothing: the demo seeds a method');
  return first;
}
function keep(fine: boolean, state: Map<string, string>, cart: string): boolean {
  const count = Number(state.get('lines') ?? 0) + 1;
  if (!fine || count >= 3) {
    state.clear();
  } else {
    state.set('cart', cart);
    state.set('lines', String(count));
  }
  return fine;
}
/** Alternates between cart and order. */
function order(fine: boolean, state: Map<string, string>, cart: () => string): boolean {
  if (!fine || state.has('cart')) state.clear();
  else state.set('cart', cart());
  return fine;
}

function report(): void {
  const row = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  const out = [
    row([
      'products',
      'what',
      'against',
      'ours/s',
      'other/s',
      'ratio',
      'target',
      'ratio of CPU',
      'p99 ms',
      'CPU ms ours (server + db)',
      'CPU ms other (server + db)',
      'errors',
    ]),
    row(Array.from({ length: 12 }, () => '---')),
  ];
  const cpuOf = (figures: Figures | null): string =>
    figures === null ? '–' : `${figures.server.toFixed(2)} + ${figures.database.toFixed(2)}`;
  for (const { products, name, against, target, ours, other } of lines)
    out.push(
      row([
        String(products),
        name,
        against ?? '–',
        ours.rps.toFixed(0),
        other === null ? '–' : other.rps.toFixed(0),
        other === null ? '–' : (ours.rps / other.rps).toFixed(2),
        target === null ? '–' : `≥ ${target}`,
        other === null ? '–' : (cost(other) / cost(ours)).toFixed(2),
        ours.p99.toFixed(1),
        cpuOf(ours),
        cpuOf(other),
        String(ours.errors + (other?.errors ?? 0)),
      ]),
    );
  process.stdout.write(
    `${out.join('\n')}\n${facts.bootMs === undefined ? '' : `\nboot ${facts.bootMs} ms (${facts.bootCpuMs} ms of CPU), idle memory ${facts.idleMemoryMb} MB\n`}`,
  );
  const errors = lines.reduce((sum, { ours, other }) => sum + ours.errors + (other?.errors ?? 0), 0);
  if (errors > 0) {
    process.stdout.write(`${errors} answers were errors: these figures are none\n`);
    process.exitCode = 1;
  }
  // The tracked file changes only with --save.
  const file = values.save ? 'bench/results.json' : values.out;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...facts, lines }, null, 2)}\n`);
}
