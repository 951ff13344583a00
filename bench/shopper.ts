import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { type Call, type LoadOptions, load, uncached } from './load.ts';
import type { Bench, Server } from './processes.ts';
import { say } from './processes.ts';
import type { Line } from './run.ts';
import { address, host } from './shop.ts';

interface ShopperOptions {
  bench: Bench;
  tenantId: string;
  products: number;
  connections: number;
  seconds: number;
  slugs: readonly string[];
  variantIds: readonly string[];
  /** Measures these rows only. */
  rows: RegExp;
}
type State = Map<string, string>;
type Step = (state: State) => Call;
interface Flow {
  steps: readonly Step[];
  /** Remembers what the next steps need. */
  keep(answer: Record<string, unknown>, state: State): void;
}

const terms = ['linen', 'wool lamp', 'oak table', 'copper', 'blanket', 'slate bowl', 'birch bag', 'clay pot'];

/** What shoppers do, compared with the plain program. The API runs its jobs in the same process, and their CPU is counted. */
export async function shopper({
  bench,
  tenantId,
  products,
  connections,
  seconds,
  slugs,
  variantIds,
  rows,
}: ShopperOptions): Promise<Line[]> {
  const ours = await bench.ours({ STORELOOM_WORKERS: 'true', RATE_LIMIT_FACTOR: '9999' });
  const plain = await bench.raw('bench/plain.ts', tenantId);
  const lines: Line[] = [];
  const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T;
  const base = { connections, seconds, postmaster: bench.postmaster, host };
  const settle = (): Promise<void> => backgroundDone(bench);
  type Program = Pick<LoadOptions, 'next' | 'check'>;
  const row = async (name: string, target: number | null, own: Program, other: Program | null): Promise<void> => {
    if (!rows.test(name)) return;
    const reference = other && (await load(plain, { ...base, ...other }));
    const figures = await load(ours, { ...base, ...own, settle });
    lines.push({ products, name, against: reference && 'plain', target, ours: figures, other: reference });
    const ratio = reference ? `, ratio ${(figures.rps / reference.rps).toFixed(2)}` : '';
    say(`${products} ${name}: CPU ${figures.server.toFixed(2)} + ${figures.database.toFixed(2)} ms${ratio}`);
  };
  const get = (path: () => string, headers: Record<string, string> = {}): Program => ({
    next: () => ({ method: 'GET', path: path(), headers }),
  });

  const list = '/api/storefront/products/?limit=20';
  const detail = (): string => `/api/storefront/products/${pick(slugs)}`;
  const plainList = get(() => '/products');
  const plainDetail = get(() => `/products/${pick(slugs)}`);
  await row(
    'list, uncached',
    0.5,
    get(() => uncached(host, list)),
    plainList,
  );
  await row(
    'detail, uncached',
    0.38,
    get(() => uncached(host, detail())),
    plainDetail,
  );
  const withCart = { 'x-cart-token': await newCart(ours, pick(variantIds)) };
  await row(
    'list of a shopper with a cart',
    1,
    get(() => list, withCart),
    plainList,
  );
  await row('detail of a shopper with a cart', 1, get(detail, withCart), plainDetail);
  const query = (path: string) => (): string => uncached(host, `/api/storefront/${path}/?q=${encodeURIComponent(pick(terms))}`);
  await row('search', null, get(query('search')), null);
  await row('facets of a search', null, get(query('facets')), null);
  await row(
    'facets of all products',
    null,
    get(() => uncached(host, '/api/storefront/facets/')),
    null,
  );

  const ourShop = ownSteps(() => pick(variantIds));
  const plainShop = plainSteps(() => pick(variantIds));
  await row(
    'cart flow (add, read)',
    0.5,
    flow({ steps: [ourShop.add, ourShop.read], keep: ourShop.keep }),
    flow({ steps: [plainShop.add, plainShop.read], keep: plainShop.keep }),
  );
  await row(
    'order flow (add, quote, read, place)',
    0.4,
    flow({ steps: [ourShop.add, ourShop.quote, ourShop.read, ourShop.place], keep: ourShop.keep }),
    flow({ steps: [plainShop.add, plainShop.quote, plainShop.read, plainShop.place], keep: plainShop.keep }),
  );
  await ours.stop();
  await plain.stop();
  return lines;
}

/** A caller does the steps one after the other, then starts again with an empty state. A failed step starts again too. */
function flow({ steps, keep }: Flow): Pick<LoadOptions, 'next' | 'check'> {
  const stepOf = (state: State): number => Number(state.get('step') ?? 0);
  return {
    next: (state) => (steps[stepOf(state)] as Step)(state),
    check(status, body, state) {
      const step = stepOf(state);
      const fine = status >= 200 && status < 300;
      if (fine) keep(JSON.parse(body) as Record<string, unknown>, state);
      if (!fine || step + 1 === steps.length) state.clear();
      else state.set('step', String(step + 1));
      return fine;
    },
  };
}

const json = (): Record<string, string> => ({ 'content-type': 'application/json', 'idempotency-key': randomUUID() });
/** Orders of one customer would wait for each other. */
const buyer = (): string => `buyer-${Math.floor(Math.random() * 50_000)}@shop.example`;

function ownSteps(variantId: () => string): Record<'add' | 'quote' | 'read' | 'place', Step> & Pick<Flow, 'keep'> {
  const cartOf = (state: State): Record<string, string> => ({ 'x-cart-token': state.get('cart') as string });
  return {
    add: () => ({
      method: 'POST',
      path: '/api/storefront/cart/items',
      headers: json(),
      body: JSON.stringify({ variantId: variantId(), quantity: 1 }),
    }),
    quote: (state) => ({
      method: 'POST',
      path: '/api/storefront/checkout/shipping-quotes',
      headers: { ...json(), ...cartOf(state) },
      body: JSON.stringify({ address }),
    }),
    read: (state) => ({ method: 'GET', path: '/api/storefront/cart/', headers: cartOf(state) }),
    place: (state) => ({
      method: 'POST',
      path: '/api/storefront/checkout/place',
      headers: { ...json(), ...cartOf(state) },
      body: JSON.stringify({
        email: buyer(),
        billingAddress: address,
        shippingAddress: address,
        shippingMethodId: state.get('method'),
        paymentMethod: 'bank-transfer',
        consents: { terms: true },
        expectedTotal: { amount: Number(state.get('items')) + Number(state.get('shipping')), currency: 'RON' },
      }),
    }),
    keep(answer, state) {
      const { cartToken, totals, data } = answer as {
        cartToken?: string;
        totals?: { total: { amount: number } };
        data?: { methodId: string; price: { amount: number } }[];
      };
      if (cartToken && !state.has('cart')) state.set('cart', cartToken);
      if (totals && !state.has('items')) state.set('items', String(totals.total.amount));
      const [method] = data ?? [];
      if (!method) return;
      state.set('method', method.methodId);
      state.set('shipping', String(method.price.amount));
    },
  };
}

function plainSteps(variantId: () => string): Record<'add' | 'quote' | 'read' | 'place', Step> & Pick<Flow, 'keep'> {
  return {
    add: () => ({
      method: 'POST',
      path: '/cart',
      headers: json(),
      body: JSON.stringify({ variantId: variantId(), quantity: 1 }),
    }),
    quote: () => ({ method: 'POST', path: '/quotes', headers: json(), body: JSON.stringify({ address }) }),
    read: (state) => ({ method: 'GET', path: `/cart?cart=${state.get('cart')}` }),
    place: (state) => ({
      method: 'POST',
      path: '/place',
      headers: json(),
      body: JSON.stringify({ cart: state.get('cart'), email: buyer(), address }),
    }),
    keep: ({ cart }, state) => void (typeof cart === 'string' && state.set('cart', cart)),
  };
}

async function newCart(server: Server, variantId: string): Promise<string> {
  const answer = await request(`${server.base}/api/storefront/cart/items`, {
    method: 'POST',
    headers: { host, ...json() },
    body: JSON.stringify({ variantId, quantity: 1 }),
  });
  const { cartToken } = (await answer.body.json()) as { cartToken: string };
  return cartToken;
}

/** Waits until all events are delivered and all due jobs have run. */
async function backgroundDone(bench: Bench): Promise<void> {
  await bench.asSuperuser(async (client) => {
    for (;;) {
      const { rows } = await client.query<{ pending: boolean }>(
        `select exists (select from jobs.job_common where state < 'completed' and start_after <= now() and name <> 'dead') as pending`,
      );
      if (!rows[0]?.pending) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
}
