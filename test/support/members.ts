import { uuidv7 } from '@storeloom/plugin-sdk';
import type { TestClient, TestShop } from '@storeloom/testing';
import type { Json } from '../../plugins/checkout/test/goods.ts';

/** A member of a body, by its pointer; `*` stands for what a map or list holds. */
export interface Member {
  pointer: string[];
  /** The part of its schema that a text fits; its format, pattern and length. */
  schema: Json;
  /** HTML: sanitised, and shown as it is. */
  html: boolean;
}
export interface Body {
  method: 'POST' | 'PUT' | 'PATCH';
  path: string;
  example: Json;
  members: Member[];
}

/** The texts in the bodies of administration, from the document. */
export async function textsOf(shop: Pick<TestShop, 'kernel'>): Promise<Body[]> {
  const document = (await shop.kernel.openapi()) as Json;
  const resolve = (schema: Json): Json => (schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema);
  const bodies: Body[] = [];
  for (const [path, item] of Object.entries<Json>(document.paths))
    for (const [method, operation] of Object.entries<Json>(item)) {
      const schema = operation.requestBody?.content?.['application/json']?.schema;
      if (!path.startsWith('/api/admin/') || !schema) continue;
      const members: Member[] = [];
      const walk = (given: Json, pointer: string[], html: boolean): void => {
        const own = resolve(given);
        if (pointer.length > 6) return;
        const isHtml = html || own.contentMediaType === 'text/html';
        for (const option of [...(own.anyOf ?? []), ...(own.oneOf ?? [])]) walk(option, pointer, isHtml);
        if ([own.type].flat().includes('string') && !own.enum && own.const === undefined)
          members.push({ pointer, schema: own, html: isHtml });
        if (own.items) walk(own.items, [...pointer, '*'], false);
        for (const [name, member] of Object.entries<Json>(own.properties ?? {})) walk(member, [...pointer, name], false);
        // What isn't named by the schema: languages of a text.
        if (typeof own.additionalProperties === 'object') walk(own.additionalProperties, [...pointer, '*'], isHtml);
      };
      walk(schema, [], false);
      bodies.push({
        method: method.toUpperCase() as Body['method'],
        path,
        example: resolve(schema).examples?.[0],
        members,
      });
    }
  return bodies;
}

/** The body with a value at the member; undefined where its example has no such place. */
export function withMember(body: Json, pointer: readonly string[], value: unknown): Json | undefined {
  const [name, ...rest] = pointer;
  if (name === undefined) return value;
  const own = structuredClone(body ?? {});
  if (name === '*') {
    if (!Array.isArray(body) || body.length === 0) return undefined;
    const inner = withMember(own[0], rest, value);
    return inner === undefined ? undefined : [inner, ...own.slice(1)];
  }
  const inner = withMember(own[name], rest, value);
  return inner === undefined ? undefined : { ...own, [name]: inner };
}

/** The path with ids, slugs and codes of what is there; of nothing, where a list is empty. */
export async function filledPath(client: TestClient, path: string): Promise<string> {
  let filled = '';
  for (const segment of path.split('/').slice(1)) {
    const parameter = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (parameter === undefined) {
      filled += `/${segment}`;
      continue;
    }
    const { body } = await client.get<Json>(`${filled}/?limit=1`);
    const row = Array.isArray(body?.data) ? body.data[0] : undefined;
    const stem = parameter.replace(/Id$/, '');
    filled += `/${encodeURIComponent(row?.[parameter] ?? row?.[stem]?.id ?? row?.id ?? row?.[stem] ?? row?.slug ?? row?.code ?? row?.key ?? row?.name ?? uuidv7())}`;
  }
  return filled;
}
