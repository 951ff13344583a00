import type { CompiledRoute } from '@storeloom/core/internal';
import { List, type Operator, type Shape } from '@storeloom/plugin-sdk';
import { type Samples, sampleValues } from '../leaks/samples.ts';
import type { TestClient } from '../shop/client.ts';
import type { TestShop } from '../shop/shop.ts';

const operators: readonly Operator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'];

/**
 * Requests every list of a plugin with each filter and operator, each sort key in both directions, and a search. Returns the responses of
 * 500 and above, for instance of a filter whose column doesn't exist.
 */
export async function listFaults(shop: TestShop, plugin: string): Promise<string[]> {
  const samples = await sampleValues(shop);
  const customer = await shop.a.customer();
  const faults: string[] = [];
  for (const route of shop.kernel.routes as readonly CompiledRoute[]) {
    const { query } = route.route.options;
    if (route.plugin !== plugin || !(query instanceof List) || route.path.startsWith('/api/v1')) continue;
    const caller: TestClient =
      route.family === 'admin'
        ? shop.a.admin
        : route.family === 'super-admin'
          ? shop.operator
          : route.route.options.auth === 'customer'
            ? customer
            : shop.a.guest;
    const [path] = samples.paths(route.path, (route.route.options.params ?? {}) as Shape);
    for (const parameters of queriesOf(query, samples)) {
      const { status, text } = await caller.get(`${path}?${parameters}`);
      if (status >= 500 && status !== 501) faults.push(`GET ${path}?${parameters}: ${status} ${text.slice(0, 200)}`);
    }
  }
  return faults;
}

function queriesOf({ options }: List, samples: Samples): URLSearchParams[] {
  const queries = Object.keys(options.sorts ?? {}).flatMap((name) => [{ sort: name }, { sort: `-${name}` }] as object[]);
  if (options.search) queries.push({ q: 'x' });
  for (const [name, filter] of Object.entries(options.filters ?? {})) {
    const value = textOf(samples.bodies({ [name]: filter.field })[1]?.[name]);
    if (value === undefined) continue;
    for (const operator of filter.operators ?? operators)
      queries.push({ [operator === 'eq' ? name : `${name}[${operator}]`]: value });
  }
  return queries.map((query) => new URLSearchParams(query as Record<string, string>));
}

/** The value of a parameter: one of a list, the amount of money in minor units. */
function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return textOf(value[0]);
  return String(typeof value === 'object' && value !== null && 'amount' in value ? value.amount : value);
}
