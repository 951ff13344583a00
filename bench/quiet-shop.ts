// The visitors and staff of a quiet shop, in a thread of their own: responses that other clients receive don't delay its measurements.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';
import { type Call, uncached } from './load.ts';

export interface QuietShopOptions {
  base: string;
  host: string;
  ownerToken: string;
  terms: readonly string[];
}
/** Asks for the times in milliseconds of the requests of so many seconds. */
export interface Watch {
  seconds: number;
}

/** Milliseconds between the requests. */
const pace = 25;

async function start({ base, host, ownerToken, terms }: QuietShopOptions): Promise<void> {
  const pool = new Pool(base, { connections: 1, pipelining: 1 });
  const send = async ({ method, path, headers, body }: Call, token?: string): Promise<string> => {
    const answer = await pool.request({
      method,
      path,
      headers: { host, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
      body: body ?? null,
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300)
      throw new Error(`the quiet shop got ${answer.statusCode} for ${method} ${path}: ${text.slice(0, 200)}`);
    return text;
  };
  const get = (path: string, headers: Record<string, string> = {}): Call => ({ method: 'GET', path, headers });
  const listed = JSON.parse(await send(get('/api/storefront/products/?limit=20'))) as { data: { slug: string }[] };
  const detail = `/api/storefront/products/${listed.data[0]?.slug}`;
  const { variants } = JSON.parse(await send(get(detail))) as { variants: { id: string }[] };
  const add = (headers: Record<string, string>): Call => ({
    method: 'POST',
    path: '/api/storefront/cart/items',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ variantId: variants[0]?.id, quantity: 1 }),
  });
  const { cartToken } = JSON.parse(await send(add({}))) as { cartToken: string };
  const withCart = { 'x-cart-token': cartToken };
  const term = (): string => encodeURIComponent(terms[Math.floor(Math.random() * terms.length)] as string);
  const calls: (() => Promise<string>)[] = [
    () => send(get(uncached(host, '/api/storefront/products/?limit=20'))),
    () => send(get(uncached(host, detail))),
    () => send(get(uncached(host, `/api/storefront/search?q=${term()}`))),
    () => send(add(withCart)),
    () => send(get('/api/storefront/cart', withCart)),
    () => send(get('/api/admin/products/?limit=20'), ownerToken),
  ];
  let turn = 0;
  async function watch({ seconds }: Watch): Promise<number[]> {
    const times: number[] = [];
    for (const until = performance.now() + seconds * 1000; performance.now() < until; turn++) {
      const started = performance.now();
      await (calls[turn % calls.length] as (typeof calls)[number])();
      times.push(performance.now() - started);
      await sleep(pace);
    }
    return times;
  }
  // An error ends the thread, and with it the run.
  parentPort?.on('message', (request: Watch) => void watch(request).then((times) => parentPort?.postMessage(times)));
}

await start(workerData as QuietShopOptions);
