// Import of products with three variants each, over HTTP: `npm run build && node bench/import.ts [--products 600] [--rows 20000]`.
// Measures products per second, CPU of server and database until the follow-up jobs have ended, the same file again (unchanged), and the
// memory of a long file that a job imports. Target: 250 products a second.
import { parseArgs } from 'node:util';
import { readInstallation } from '@storeloom/core';
import { request } from 'undici';
import { type Cpu, cpu, memoryOf, type Server, say, startBench } from './processes.ts';
import { benchTenant, fillShop, host } from './shop.ts';

const { values } = parseArgs({
  options: { products: { type: 'string', default: '600' }, rows: { type: 'string', default: '20000' } },
});

const header =
  'Handle,Title,Body (HTML),Vendor,Type,Tags,Option1 Name,Option1 Value,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Image Src';
const sizes = ['S', 'M', 'L'];

/** A file with products `from` to `to`, with three variants each. */
function fileOf(from: number, to: number): string {
  const lines = [header];
  for (let n = from; n < to; n++)
    for (const [i, size] of sizes.entries())
      lines.push(
        [
          `import-${n}`,
          ...(i === 0
            ? [
                `Linen shirt ${n}`,
                `<p>Shirt ${n} <b>made by hand</b> of linen.</p>`,
                `Brand ${n % 12}`,
                `Group ${n % 5} > Shelf ${n % 20}`,
              ]
            : ['', '', '', '']),
          i === 0 ? `tag${n % 7}` : '',
          i === 0 ? 'Size' : '',
          size,
          `IMP${n}-${size}`,
          '300',
          'shopify',
          '25',
          `${10 + (n % 90)}.50`,
          i === 0 ? `/files/import-${n}.svg` : '',
        ].join(','),
      );
  return lines.join('\n');
}

interface Result {
  status: number;
  body: { created?: number; unchanged?: number; failed?: number; importId?: string };
}

const bench = await startBench();
try {
  const installation = { ...(await readInstallation(process.cwd())), demo: [benchTenant] };
  const token = await fillShop(installation, ({ ownerToken }) => ownerToken());
  const server = await bench.ours({ STORELOOM_WORKERS: 'true' });
  const post = async (content: string): Promise<Result> => {
    const { statusCode, body } = await request(`${server.base}/api/admin/import/products?format=shopify`, {
      method: 'POST',
      headers: { host, authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
      body: content,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return { status: statusCode, body: (await body.json()) as Result['body'] };
  };
  const waitingJobs = async (): Promise<number> => {
    let waiting = 0;
    await bench.asSuperuser(async (client) => {
      const { rows } = await client.query(
        "select count(*)::int as n from jobs.job where state in ('created', 'retry', 'active')",
      );
      waiting = (rows[0] as { n: number }).n;
    });
    return waiting;
  };
  /** Waits for the follow-up jobs. Jobs that start later keep the queue from being empty for some seconds. */
  const settled = async (): Promise<void> => {
    for (let idle = 0; idle < 3; ) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      idle = (await waitingJobs()) === 0 ? idle + 1 : 0;
    }
  };
  const measure = async (name: string, products: number, work: () => Promise<Partial<Result['body']>>): Promise<void> => {
    const before = cpu(server.pid, bench.postmaster);
    const started = performance.now();
    const report = await work();
    const seconds = (performance.now() - started) / 1000;
    const during = used(before, server);
    await settled();
    const all = used(before, server);
    const each = (of: Cpu): string => `${(of.server / products).toFixed(2)} + ${(of.database / products).toFixed(2)} ms`;
    say(
      `${name}: ${(products / seconds).toFixed(0)} products/s (${JSON.stringify(report)}), CPU a product ${each(during)}, with follow-up jobs ${each(all)} after ${((performance.now() - started) / 1000).toFixed(1)} s`,
    );
  };
  const used = (before: Cpu, { pid }: Server): Cpu => {
    const now = cpu(pid, bench.postmaster);
    return { server: now.server - before.server, database: now.database - before.database };
  };
  const numbers = async (content: string): Promise<Result['body']> => {
    const { status, body } = await post(content);
    if (status !== 200 || body.failed !== 0) throw new Error(`${status} ${JSON.stringify(body).slice(0, 500)}`);
    const { created = 0, unchanged = 0 } = body;
    return { created, unchanged };
  };
  // Compiled code is measured.
  await post(fileOf(1_000_000, 1_000_200));
  await settled();
  await bench.analyze();
  const products = Number(values.products);
  const file = fileOf(0, products);
  await measure('import', products, () => numbers(file));
  await measure('the same file again', products, () => numbers(file));
  const rows = Number(values.rows);
  if (rows > 0) {
    const many = Math.floor(rows / sizes.length);
    let peak = memoryOf(server.pid);
    say(`memory before: ${peak} MB`);
    const watch = setInterval(() => {
      peak = Math.max(peak, memoryOf(server.pid));
    }, 100);
    await measure(`a job of ${many * sizes.length} rows`, many, async () => {
      const { body } = await post(fileOf(2_000_000, 2_000_000 + many));
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 250));
        let status = '';
        await bench.asSuperuser(async (client) => {
          const found = await client.query('select status from data_exchange_import where id = $1', [body.importId]);
          status = (found.rows[0] as { status: string }).status;
        });
        if (status !== 'queued' && status !== 'running') {
          if (status !== 'completed') throw new Error(`the import ended as ${status}`);
          return { created: many };
        }
      }
    });
    clearInterval(watch);
    say(`memory at most: ${peak} MB`);
  }
  await server.stop();
} finally {
  await bench.stop();
}
