import type { TestShop } from '@storeloom/testing';

interface Operation {
  parameters?: { name: string; in: string; schema?: { format?: string } }[];
  requestBody?: { content?: Record<string, { schema?: { $ref?: string } }> };
}
export interface Sample {
  method: string;
  path: string;
  family: 'admin' | 'storefront';
  /** A body that fits the route, by its documentation. */
  body: unknown;
  /** Query parameters that are ids. */
  query: string[];
}

/** What a caller could send to each route that takes a body, or ids in its query: read from the document, so that none is forgotten. */
export async function bodiesOf(shop: TestShop): Promise<Sample[]> {
  const document = (await shop.kernel.openapi()) as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, { examples?: unknown[] }> };
  };
  const samples: Sample[] = [];
  for (const [path, item] of Object.entries(document.paths)) {
    const family = /^\/api\/(admin|storefront)\//.exec(path)?.[1] as Sample['family'] | undefined;
    if (family === undefined) continue;
    for (const [method, operation] of Object.entries(item)) {
      const ref = operation.requestBody?.content?.['application/json']?.schema?.$ref?.split('/').at(-1);
      const body = ref === undefined ? undefined : document.components.schemas[ref]?.examples?.[0];
      const query = (operation.parameters ?? [])
        .filter((parameter) => parameter.in === 'query' && parameter.schema?.format === 'uuid')
        .map(({ name }) => name);
      if (body !== undefined || query.length > 0) samples.push({ method: method.toUpperCase(), path, family, body, query });
    }
  }
  return samples;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The value with every id in it replaced by a foreign one: of the table that the member is called after, else of any. Notes what it took. */
export function withIds<T>(
  value: T,
  foreign: ReadonlyMap<string, readonly string[]>,
  round: number,
  taken: Set<string>,
  name = '',
): T {
  if (typeof value === 'string' && uuid.test(value)) {
    const stem = name.replace(/(Ids?|s)$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const ids = stem === '' ? [] : [...foreign].filter(([table]) => table.endsWith(`_${stem}`)).flatMap(([, own]) => own);
    const choice = ids.length > 0 ? ids : [...foreign.values()].flat();
    const id = choice[(round * 7) % choice.length] as string;
    taken.add(id);
    return id as T;
  }
  if (Array.isArray(value)) return value.map((item) => withIds(item, foreign, round, taken, name)) as T;
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, withIds(member, foreign, round, taken, key)]),
    ) as T;
  return value;
}
