import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { f } from '../field.ts';
import { responseFilter } from './response-filter.ts';

const shape = {
  id: f.id(),
  note: f.text().optional(),
  price: f.money(),
  facts: f.json(),
  title: f.i18n(),
  lines: f.list(f.object({ sku: f.text(), tax: f.money().optional() })),
  cost: f.money().optional().sensitive('shop.product.cost'),
};
const price = { amount: 5, currency: 'RON' };
const body = { id: '1', note: null, price, facts: { any: 1 }, title: { ro: 'a' }, lines: [{ sku: 'a', tax: price }], cost: null };

describe('the filter of a response', () => {
  const filter = responseFilter(shape)!;

  it('returns the same value if all of it is declared', () => {
    expect(filter(body)).toBe(body);
  });
  it('removes undeclared properties at any depth, but not of free JSON, texts by locale and `masked`', () => {
    const given = {
      ...body,
      tokenHash: 'secret',
      price: { ...price, margin: 1 },
      lines: [{ sku: 'a', tax: price, cost: 3 }],
      masked: ['cost'],
    };
    const removed: string[] = [];
    expect(filter(given, (property) => removed.push(property))).toEqual({ ...body, masked: ['cost'] });
    expect(removed).toEqual(['tokenHash', 'price.margin', 'lines.cost']);
    expect(filter(given)).toEqual({ ...body, masked: ['cost'] });
    expect(given.lines[0]).toHaveProperty('cost');
  });
  it('sets nullable properties that are missing to null', () => {
    const { note: _, cost: __, ...rest } = body;
    expect(filter({ ...rest, lines: [{ sku: 'a' }] })).toEqual({ ...body, lines: [{ sku: 'a', tax: null }] });
  });
  it('writes an object with toJSON as its JSON', () => {
    expect(filter({ toJSON: () => ({ ...body, internal: 1 }) })).toEqual(body);
  });
  it('follows zod schemas, also recursive ones', () => {
    interface Tree {
      label: string;
      children: Tree[];
    }
    const tree: z.ZodType<Tree> = z.strictObject({
      label: z.string(),
      get children() {
        return z.array(tree);
      },
    });
    const given = { label: 'a', children: [{ label: 'b', children: [], secret: 1 }] };
    expect(responseFilter(tree)!(given)).toEqual({ label: 'a', children: [{ label: 'b', children: [] }] });
    expect(responseFilter(z.looseObject({ a: z.string() }))).toBeUndefined();
  });
});
