// What one tenant costs another: `npm run build && node bench/fairness.ts [--products 1000] [--seconds 8] [--rounds 3] [--only searches] [--apart]`.
// A quiet shop sends a request at a time, and its p95 is measured alternately alone and while another tenant of the same process saturates
// exports, uploads, searches or imports, then all of them. Target: at most twice the p95 of alone; otherwise the exit code is 1.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { readInstallation } from '@storeloom/core';
import { Pool } from 'undici';
import { type Call, uncached } from './load.ts';
import { memoryOf, say, startBench } from './processes.ts';
import type { QuietShopOptions, Watch } from './quiet-shop.ts';
import { benchTenant, fillShop, host } from './shop.ts';

const { values } = parseArgs({
  options: {
    products: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    /** The other tenant uses a process of its own: what remains is the cost of sharing the machine and the database. */
    apart: { type: 'boolean', default: false },
  },
});
const target = 2;
const quietHost = 'quiet.localhost';
const quietTenant = { ...benchTenant, slug: 'quiet', name: 'Quiet', host: quietHost };
const terms = ['linen', 'wool lamp', 'oak table', 'copper', 'blanket', 'slate bowl', 'birch bag', 'clay pot'];

function fileOf(count: number, price: number): string {
  const rows = Array.from(
    { length: count },
    (_, n) =>
      `p-${n},P-${n},${price}.00,"${terms[n % terms.length]} ${n}","${`Made of ${terms[(n * 3) % terms.length]}. `.repeat(20)}",active,100000`,
  );
  return ['slug,sku,price,title[ro],description[ro],status,stock', ...rows].join('\n');
}

interface Sent {
  status: number;
  text: string;
}

const bench = await startBench();
try {
  const installation = { ...(await readInstallation(process.cwd())), demo: [benchTenant, quietTenant] };
  const [noisyToken, quietToken] = await fillShop(installation, async ({ ownerToken }) => [
    await ownerToken(0),
    await ownerToken(1),
  ]);
  const env = { STORELOOM_WORKERS: 'true', LOG_LEVEL: 'silent' };
  const server = await bench.ours(env);
  const noisy = new Pool(server.base, { connections: 100, pipelining: 1, headersTimeout: 120_000, bodyTimeout: 120_000 });
  const quiet = values.apart ? await bench.ours(env) : server;

  async function send(to: string, call: Call, token?: string): Promise<Sent> {
    const { statusCode, body } = await noisy.request({
      method: call.method,
      path: call.path,
      headers: { host: to, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...call.headers },
      body: call.body ?? null,
    });
    return { status: statusCode, text: await body.text() };
  }
  const importing = (content: string): Call => ({
    method: 'POST',
    path: '/api/admin/import/products?format=native',
    headers: { 'content-type': 'text/csv' },
    body: content,
  });
  const products = Number(values.products);
  for (const [to, token] of [
    [host, noisyToken],
    [quietHost, quietToken],
  ] as const) {
    const { status, text } = await send(to, importing(fileOf(products, 10)), token);
    if (status !== 200) throw new Error(`import: ${status} ${text.slice(0, 300)}`);
  }
  await bench.analyze();

  const worker = new Worker(new URL('./quiet-shop.ts', import.meta.url), {
    workerData: { base: quiet.base, host: quietHost, ownerToken: quietToken as string, terms } satisfies QuietShopOptions,
  });
  /** Times of the requests of the quiet shop, in milliseconds. */
  async function watch(seconds: number): Promise<number[]> {
    worker.postMessage({ seconds } satisfies Watch);
    const [times] = (await once(worker, 'message')) as [number[]];
    return times;
  }

  let over = false;
  const counts = { served: 0, refused: 0 };
  /** Sends one request after another; waits after a refusal as it asks for. */
  async function saturate(callers: number, next: (caller: number) => Call, token?: string): Promise<void> {
    await Promise.all(
      Array.from({ length: callers }, async (_, caller) => {
        while (!over) {
          const { status, text } = await send(host, next(caller), token);
          if (status === 503) {
            counts.refused++;
            await sleep(200);
          } else if (status >= 300) throw new Error(`the other tenant got ${status}: ${text.slice(0, 300)}`);
          else counts.served++;
        }
      }),
    );
  }
  const boundary = 'fairness';
  const upload = (): Call => ({
    method: 'POST',
    path: '/api/admin/uploads/',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: [
      `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nimport\r\n`,
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="p.csv"\r\ncontent-type: text/csv\r\n\r\n`,
      `${fileOf(2000, 10)}\r\n--${boundary}--\r\n`,
    ].join(''),
  });
  const aFile = upload();
  let price = 10;
  const loads: Record<string, () => Promise<void>[]> = {
    exports: () => [saturate(16, () => ({ method: 'GET', path: '/api/admin/export/products.csv' }), noisyToken)],
    uploads: () => [saturate(10, () => aFile, noisyToken)],
    searches: () => [
      saturate(40, () => ({
        method: 'GET',
        path: uncached(host, `/api/storefront/search?q=${encodeURIComponent(pick(terms))}`),
      })),
    ],
    imports: () => [saturate(8, () => importing(fileOf(200, 10 + (price++ % 90))), noisyToken)],
  };
  const all = (): Promise<void>[] => Object.values(loads).flatMap((start) => start());

  const at = (times: number[], share: number): number =>
    times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] as number;
  await watch(10);
  for (const [name, start] of Object.entries({ ...loads, all: all })) {
    if (!name.includes(values.only)) continue;
    const [alone, beside]: [number[], number[]] = [[], []];
    Object.assign(counts, { served: 0, refused: 0 });
    for (let round = 0; round < Number(values.rounds); round++) {
      alone.push(...(await watch(Number(values.seconds) / 2)));
      over = false;
      const load = Promise.all(start());
      await sleep(500);
      beside.push(...(await watch(Number(values.seconds))));
      over = true;
      await load;
      // Follow-up jobs.
      await sleep(1500);
    }
    const ratio = at(beside, 0.95) / at(alone, 0.95);
    if (ratio > target) process.exitCode = 1;
    const ms = (times: number[]): string => `p50 ${at(times, 0.5).toFixed(1)}, p95 ${at(times, 0.95).toFixed(1)} ms`;
    say(
      `${name}: alone ${ms(alone)} (${alone.length}); beside ${ms(beside)} (${beside.length}); ratio of p95 ${ratio.toFixed(2)} (target ${target}); the other ${counts.served} served, ${counts.refused} refused; ${memoryOf(server.pid)} MB`,
    );
  }
  await noisy.close();
  await worker.terminate();
  if (quiet !== server) await quiet.stop();
  await server.stop();
} finally {
  await bench.stop();
}

function pick<T>(items: readonly T[]): T {
  return items[Math.floor(Math.random() * items.length)] as T;
}
