// Compares the API with a raw program on the same machine in the same run: `npm run bench -- [--sizes 1000,10000] [--seconds 4] [--connections 8] [--save]`.
// Use the ratios; absolute values depend on the machine. CPU per request is measured from outside, for the server and PostgreSQL.
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { request } from 'undici';
import { type Figures, load } from './load.ts';
import { memoryOf, type Server, say, startBench } from './processes.ts';
import { seed } from './seed.ts';
import { host } from './shop.ts';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '8' },
    out: { type: 'string', default: 'bench/results.local.json' },
    save: { type: 'boolean', default: false },
  },
});
const sizes = values.sizes.split(',').map(Number);
const seconds = Number(values.seconds);
const connections = Number(values.connections);

interface Line {
  products: number;
  name: string;
  /** Target: the API's throughput as a share of the raw program's. */
  target: number | null;
  ours: Figures;
  raw: Figures;
}
const lines: Line[] = [];
const facts: Record<string, unknown> = {};

const bench = await startBench();
try {
  let seeded = 0;
  for (const size of sizes) {
    say(`filling the catalogue to ${size} products …`);
    const { tenantId, ...filled } = await seed({ from: seeded, to: size });
    seeded = size;
    await bench.analyze();
    const ours = await bench.ours();
    const raw = await bench.raw('bench/raw.ts', tenantId);
    if (size === sizes[0]) {
      facts.bootMs = Math.round(ours.bootMs);
      // Idle: after the start-up work has ended.
      await new Promise((resolve) => setTimeout(resolve, 5000));
      facts.idleMemoryMb = memoryOf(ours.pid);
    }
    await measure({ size, ours, raw, ...filled });
    await ours.stop();
    await raw.stop();
  }
  report();
} finally {
  await bench.stop();
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
  // Responses for a visitor with a cart bypass the public cache.
  const uncached = { 'x-cart-token': 'none' };
  const pair = async (
    name: string,
    target: number | null,
    ourNext: () => { method: 'GET'; path: string; headers?: Record<string, string> },
    rawNext: () => { method: 'GET'; path: string },
  ): Promise<void> => {
    const raws = await load(raw, { ...base, next: rawNext });
    const own = await load(ours, { ...base, next: ourNext });
    lines.push({ products: size, name, target, ours: own, raw: raws });
    say(`${size} ${name}: ${own.rps.toFixed(0)}/s against ${raws.rps.toFixed(0)}/s, ratio ${(own.rps / raws.rps).toFixed(2)}`);
  };
  const get = (path: string) => () => ({ method: 'GET' as const, path });
  const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T;
  await pair('list, cached', 1, get('/api/storefront/products/?limit=20'), get('/products'));
  await pair(
    'list, first page',
    0.6,
    () => ({ method: 'GET', path: '/api/storefront/products/?limit=20', headers: uncached }),
    get('/products'),
  );
  const deep = await deepCursor(ours, Math.min(size - 40, 9000));
  const rawDeep = await rawCursor(raw, Math.min(size - 40, 9000));
  await pair(
    'list, deep page',
    0.6,
    () => ({ method: 'GET', path: `/api/storefront/products/?limit=20&cursor=${deep}`, headers: uncached }),
    get(`/products?cursor=${rawDeep}`),
  );
  await pair(
    'detail',
    0.3,
    () => ({
      method: 'GET',
      path: `/api/storefront/products/${pick(slugs)}`,
      headers: uncached,
    }),
    () => ({ method: 'GET', path: `/products/${pick(slugs)}` }),
  );
  await pair(
    'categories',
    null,
    () => ({ method: 'GET', path: '/api/storefront/categories/', headers: uncached }),
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
  lines.push({ products: size, name: 'cart add', target: 0.4, ours: ourAdd, raw: rawAdd });
  say(`${size} cart add: ratio ${(ourAdd.rps / rawAdd.rps).toFixed(2)}`);
  const address = {
    firstName: 'Ana',
    lastName: 'Pop',
    line1: 'Strada Lungă 1',
    city: 'Brașov',
    postalCode: '500001',
    country: 'RO',
  };
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
  lines.push({ products: size, name: 'checkout (a cart and its order)', target: 0.5, ours: ourPlace, raw: rawPlace });
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
      'ours/s',
      'raw/s',
      'ratio',
      'aim',
      'p99 ms',
      'CPU ms ours (server + db)',
      'CPU ms raw (server + db)',
      'errors',
    ]),
    row(Array.from({ length: 10 }, () => '---')),
  ];
  for (const { products, name, target, ours, raw } of lines)
    out.push(
      row([
        String(products),
        name,
        ours.rps.toFixed(0),
        raw.rps.toFixed(0),
        (ours.rps / raw.rps).toFixed(2),
        target === null ? '–' : `≥ ${target}`,
        ours.p99.toFixed(1),
        `${ours.server.toFixed(2)} + ${ours.database.toFixed(2)}`,
        `${raw.server.toFixed(2)} + ${raw.database.toFixed(2)}`,
        String(ours.errors + raw.errors),
      ]),
    );
  process.stdout.write(`${out.join('\n')}\n\nboot ${facts.bootMs} ms, idle memory ${facts.idleMemoryMb} MB\n`);
  const errors = lines.reduce((sum, { ours, raw }) => sum + ours.errors + raw.errors, 0);
  if (errors > 0) {
    process.stdout.write(`${errors} answers were errors: these figures are none\n`);
    process.exitCode = 1;
  }
  // The tracked file changes only with --save.
  const file = values.save ? 'bench/results.json' : values.out;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...facts, lines }, null, 2)}\n`);
}
