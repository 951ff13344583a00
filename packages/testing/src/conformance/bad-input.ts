import type { CompiledRoute } from '@storeloom/core/internal';
import { isChoice, type SchemaLike } from '@storeloom/plugin-sdk';
import type { TestClient, TestResponse } from '../shop/client.ts';
import type { TestShop } from '../shop/shop.ts';

/** A seeded generator, so that a run can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

const values: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  '',
  ' ',
  'x'.repeat(5000),
  [],
  {},
  [[[]]],
  { $ne: null },
  { $like: '%' },
  { amount: 1.5, currency: 'RON' },
  { amount: '100', currency: 'RON' },
  { amount: 100, currency: 'XXQ' },
  "'; drop table core_tenant; --",
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '\u0000',
  '\ud800',
  '٣',
  '2026-02-31',
  '2026-11-27T10:00:00',
  'not-an-id',
  '00000000-0000-0000-0000-000000000000',
  Array.from({ length: 600 }, () => 'x'),
  { ro: 5 },
  { xx: 'text' },
];
const memberNames = [
  'id',
  'tenantId',
  'role',
  'price',
  'total',
  'status',
  'paid',
  'createdAt',
  'version',
  '__proto__',
  'constructor',
  'prototype',
  'name',
  'code',
  'lines',
  'email',
  'quantity',
  'variantId',
];

function membersOf(body: SchemaLike | undefined): string[] {
  if (body === undefined) return [];
  return isChoice(body) ? body['~choice'].shapes.flatMap((shape) => Object.keys(shape)) : Object.keys(body);
}

/** Result of `badInputs`. */
export interface BadInputReport {
  /** Number of requests sent. */
  requests: number;
  /** Undocumented responses of 500 and above, and broken connections. */
  faults: string[];
}

/**
 * Sends invalid bodies, queries and paths to every route of the given plugins: wrong types, deep and huge bodies, unknown
 * properties, NUL, operator objects.
 */
export async function badInputs(
  shop: TestShop,
  options: { count: number; seed?: number; strings?: readonly string[]; plugins?: readonly string[] },
): Promise<BadInputReport> {
  const next = random(options.seed ?? 7);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T;
  const customer = await shop.a.customer();
  const routes = (shop.kernel.routes as readonly CompiledRoute[]).filter(
    (route) =>
      !route.path.startsWith('/api/v1') &&
      (options.plugins === undefined || (route.plugin !== null && options.plugins.includes(route.plugin))),
  );
  const strings = options.strings ?? [];
  const report: BadInputReport = { requests: 0, faults: [] };
  if (routes.length === 0) return report;
  const anyValue = (): unknown => (strings.length > 0 && next() < 0.4 ? pick(strings) : pick(values));
  const deep = (depth: number): unknown => {
    let value: unknown = 1;
    for (let i = 0; i < depth; i++) value = next() < 0.5 ? [value] : { a: value };
    return value;
  };
  for (let i = 0; i < options.count; i++) {
    const route = routes[i % routes.length] as CompiledRoute;
    const caller: TestClient =
      route.family === 'admin'
        ? shop.a.admin
        : route.family === 'super-admin'
          ? shop.operator
          : next() < 0.5
            ? shop.a.guest
            : customer;
    const path = route.path.replace(/\{(\w+)\}/g, () =>
      next() < 0.5
        ? '0190a000-0000-7000-8000-000000000001'
        : encodeURIComponent(String(pick([...strings.slice(0, 40), 'x', "'", '%', '..']))) || 'x',
    );
    const query =
      next() < 0.4
        ? `?${encodeURIComponent(pick(['limit', 'sort', 'cursor', 'q', 'status', 'price[gte]', '$ne', 'from', 'id[in]']))}=${encodeURIComponent(String(anyValue()).toWellFormed())}`
        : '';
    let raw: { content: string; type: string } | undefined;
    if (route.route.method !== 'GET') {
      const kind = next();
      if (kind < 0.1) raw = { content: JSON.stringify(deep(40)), type: 'application/json' };
      else if (kind < 0.13) raw = { content: `{"a":"${'x'.repeat(1_100_000)}"}`, type: 'application/json' };
      else if (kind < 0.2) raw = { content: '{"a":', type: 'application/json' };
      else if (kind < 0.24) raw = { content: 'a=b', type: 'application/x-www-form-urlencoded' };
      else {
        const declared = membersOf(route.route.options.body).filter((name) => /^[a-z]\w*$/i.test(name));
        const body: Record<string, unknown> = {};
        for (let n = 0; n < 4; n++) body[declared.length > 0 && next() < 0.8 ? pick(declared) : pick(memberNames)] = anyValue();
        const text = kind < 0.3 ? JSON.stringify(anyValue()) : JSON.stringify(body);
        raw = { content: text ?? '{}', type: 'application/json' };
      }
    }
    report.requests++;
    let response: TestResponse;
    try {
      response = await caller.call(route.route.method, `${path}${query}`, raw ? { raw } : {});
    } catch (error) {
      // A body over the limit may end in a cut connection: that is an answer too.
      if (raw && raw.content.length > 1_000_000) continue;
      report.faults.push(`${route.route.method} ${path}${query}: ${(error as Error).message}`);
      continue;
    }
    if (response.status >= 500 && response.status !== 501)
      report.faults.push(
        `${route.route.method} ${path}${query}: ${response.status} ${response.text.slice(0, 200)} for ${raw?.content.slice(0, 300) ?? ''}`,
      );
    if (response.status >= 400 && !String(response.headers['content-type'] ?? '').includes('application/problem+json'))
      report.faults.push(`${route.route.method} ${path}: ${response.status} without a problem`);
  }
  return report;
}
