// Cost of row-level security for product lists, and of a search over 300,000 products of a tenant: `node bench/row-security.ts
// [--goods 300000] [--rounds 1500] [--searches 60] [--data folder]`. A given folder is filled once and kept. Exit code 1 if a
// target is missed.
import { parseArgs } from 'node:util';
import type { Kernel } from '@storeloom/core';
import pg from 'pg';
import { Pool } from 'undici';
import { find } from '../plugins/search/src/find.ts';
import { uncached } from './load.ts';
import { cpu, type Server, say, startBench } from './processes.ts';
import { fill, host, names, openShop, series, seriesCount, tenantsOf } from './row-security-shop.ts';

const { values } = parseArgs({
  options: {
    goods: { type: 'string', default: '300000' },
    rounds: { type: 'string', default: '1500' },
    searches: { type: 'string', default: '60' },
    data: { type: 'string' },
  },
});
const [goods, rounds, searches] = [Number(values.goods), Number(values.rounds), Number(values.searches)];
/** Ratio of the list statements' medians with and without row-level security; milliseconds of a search. */
const aims = { ratio: 1.25, search: 25 };
const at = (times: number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
const missed: string[] = [];
const aim = (what: string, figure: number, most: number): string => {
  if (figure > most) missed.push(what);
  return `(aim ≤ ${most}${figure > most ? ', missed' : ''})`;
};

const bench = await startBench(values.data);

interface Statement {
  text: string;
  values: readonly unknown[];
}

/** The statements of a response as the unit of work sends them, grouped by batch. */
async function statementsOf(kernel: Kernel, path: string): Promise<Statement[][]> {
  const client = new Pool(`http://127.0.0.1:${kernel.port}`, { connections: 1 });
  const ask = async (): Promise<void> => {
    const { statusCode, body } = await client.request({ method: 'GET', path: uncached(host, path), headers: { host } });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text}`);
  };
  await ask();
  const sent: Statement[][] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [batch] = given as [{ statements?: Statement[] }];
    if (batch.statements) sent.push(batch.statements.map(({ text, values }) => ({ text, values })));
    return (query as (...all: unknown[]) => unknown).apply(this, given);
  } as typeof query;
  await ask();
  pg.Client.prototype.query = query;
  await client.close();
  // Statements that set the scope of the unit of work differ between the two sides.
  return sent
    .map((batch) =>
      batch.filter(({ text }) => text.includes('catalog_') || text.includes('plan_cache_mode') || text.includes('inventory_')),
    )
    .filter((batch) => batch.length > 0);
}

/** Medians of the same statements, alternately as in a request and as the platform role, whose policy allows every row. */
async function compare(
  rules: Kernel,
  free: Kernel,
  tenantId: string,
  batches: readonly Statement[][],
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  const rows: [number, number] = [0, 0];
  for (let round = -200; round < rounds; round++)
    for (const side of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const started = performance.now();
      // Some conditions read the setting with either role.
      const scope = { text: "select set_config('app.tenant_id', $1, true)", values: [tenantId] };
      const work = async (tx: { execute(statement: Statement): Promise<{ rows: unknown[] }> }): Promise<number> => {
        let read = 0;
        for (const batch of batches)
          for (const result of await Promise.all([scope, ...batch].map((statement) => tx.execute(statement))))
            read += result.rows.length;
        return read;
      };
      rows[side as 0 | 1] = await (side === 0
        ? rules.database.withTenant(tenantId, work, { readOnly: true })
        : free.database.withPlatform(work, { readOnly: true }));
      if (round >= 0) times[side as 0 | 1].push(performance.now() - started);
    }
  if (rows[0] !== rows[1]) throw new Error(`${rows[0]} rows behind the rules, ${rows[1]} without`);
  return [at(times[0], 0.5), at(times[1], 0.5)];
}

interface Asked {
  /** Milliseconds of each sequential request. */
  times: number[];
  /** CPU milliseconds per request, server and database. */
  cpu: number;
  /** Average number of results. */
  found: number;
  /** Unsuccessful responses. */
  failed: number;
}
async function ask(server: Server, path: (n: number) => string, count: number): Promise<Asked> {
  const client = new Pool(server.base, { connections: 1 });
  const times: number[] = [];
  let [total, failed] = [0, 0];
  let before = cpu(server.pid, bench.postmaster);
  for (let n = -10; n < count; n++) {
    if (n === 0) before = cpu(server.pid, bench.postmaster);
    const started = performance.now();
    const { statusCode, body } = await client.request({ method: 'GET', path: uncached(host, path(n + 10)), headers: { host } });
    const text = await body.text();
    if (n < 0) continue;
    if (statusCode !== 200) failed++;
    times.push(performance.now() - started);
    total += (JSON.parse(text) as { page?: { total?: number } }).page?.total ?? 0;
  }
  const after = cpu(server.pid, bench.postmaster);
  await client.close();
  return { times, failed, found: total / count, cpu: (after.server + after.database - before.server - before.database) / count };
}
const told = ({ times, cpu, failed }: Asked): string =>
  `p50 ${at(times, 0.5).toFixed(1)}, p95 ${at(times, 0.95).toFixed(1)} ms, ${cpu.toFixed(1)} ms of CPU, ${failed} failed`;

/** As a superuser, without row-level security. */
const fillOnce = (kernel: Kernel): Promise<void> =>
  bench.asSuperuser(async (client) => {
    const { rows } = await client.query('select from catalog_product limit 1');
    if (rows.length > 0) return;
    const started = performance.now();
    for (const [slug, id] of await tenantsOf(kernel)) await fill(client, id, slug === 'bench' ? goods : Math.round(goods / 10));
    await client.query('vacuum analyze');
    say(`filled in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  });

/** Evenly distributed, the same in every run. */
const pick = <T>(all: readonly T[], n: number): T => all[(n * 7919) % all.length] as T;
const name = (n: number): string => series((n * 6007) % seriesCount);
const kinds: Record<string, (n: number) => string> = {
  'a series': (n) => name(n),
  'material and noun': (n) => `${pick(names.materials, n)} ${pick(names.nouns, n)}`,
  'noun and colour': (n) => `${pick(names.nouns, n)} ${pick(names.colours, n)}`,
  'a noun, from the most frequent': (n) => names.nouns[n % names.nouns.length] as string,
  'an unfinished word': (n) => name(n).slice(0, 4),
  'an SKU': (n) => `SL-${1 + ((n * 7919) % goods)}`,
  'a misspelt series': (n) => `${name(n).slice(0, 3)}x${name(n).slice(4)}`,
  'what nothing has': (n) => `qq${name(n)}qq`,
};

try {
  const rules = await openShop();
  const free = await rules.prepared.start({ port: 0, host: '127.0.0.1', workers: false, pool: 2 });
  await fillOnce(rules.kernel);

  const lists = {
    'first page': '/api/storefront/products/?limit=24',
    'a category': '/api/storefront/products/?limit=24&category=shirt',
    'a brand in stock, by price': '/api/storefront/products/?limit=24&sort=price&brand=brand-7&inStock=true',
  };
  for (const [what, path] of Object.entries(lists)) {
    const [own, bare] = await compare(rules.kernel, free, rules.tenantId, await statementsOf(rules.kernel, path));
    const ratio = own / bare;
    say(
      `list, ${what}: p50 ${own.toFixed(2)} ms behind the rules, ${bare.toFixed(2)} without: ${ratio.toFixed(2)} ${aim(`list, ${what}`, ratio, aims.ratio)}`,
    );
  }
  await free.stop({ immediately: true });

  // The search without HTTP: statements, policies and ranking, without product cards.
  const looked: number[] = [];
  for (const [what, words] of Object.entries(kinds)) {
    const times: number[] = [];
    for (let n = -10; n < searches; n++) {
      const started = performance.now();
      await rules.kernel.inTenant(rules.tenantId, 'search', (ctx) => find(ctx, words(n + 10)), { readOnly: true });
      if (n >= 0) times.push(performance.now() - started);
    }
    looked.push(...times);
    say(`found, ${what}: p50 ${at(times, 0.5).toFixed(1)}, p95 ${at(times, 0.95).toFixed(1)} ms`);
  }
  const found95 = at(looked, 0.95);
  say(
    `full-text search of ${goods} goods: p50 ${at(looked, 0.5).toFixed(1)}, p95 ${found95.toFixed(1)} ms ${aim('full-text search', found95, aims.search)}`,
  );
  await rules.kernel.stop({ immediately: true });

  const server = await bench.ours();
  const all: number[] = [];
  for (const [what, words] of Object.entries(kinds)) {
    const asked = await ask(server, (n) => `/api/storefront/search/?q=${encodeURIComponent(words(n))}`, searches);
    all.push(...asked.times);
    if (asked.failed > 0) missed.push(`${what}: ${asked.failed} failed`);
    say(`search, ${what}: ${told(asked)}, ${asked.found.toFixed(0)} found`);
  }
  say(`answers to searches: p50 ${at(all, 0.5).toFixed(1)}, p95 ${at(all, 0.95).toFixed(1)} ms`);
  // These have no target.
  const others: Record<string, [path: (n: number) => string, count: number]> = {
    suggestions: [(n) => `search/suggest?q=${name(n).slice(0, 3 + (n % 3))}`, searches],
    'filters of a search': [(n) => `facets/?q=${encodeURIComponent(`${pick(names.materials, n)} ${pick(names.nouns, n)}`)}`, 20],
    'filters of a category': [(n) => `facets/?category=${pick(names.nouns, n)}`, 10],
    'filters of everything': [() => 'facets/', 10],
  };
  for (const [what, [path, count]] of Object.entries(others)) {
    say(`${what}: ${told(await ask(server, (n) => `/api/storefront/${path(n)}`, count))}`);
  }
  await server.stop();
} finally {
  await bench.stop();
}
if (missed.length > 0) {
  say(`missed: ${missed.join('; ')}`);
  process.exitCode = 1;
}
