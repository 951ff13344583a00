import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { f } from '../field.ts';
import { responseShape } from '../resource.ts';
import { parseBody } from './body.ts';
import { shapeSchema } from './shape-schema.ts';

describe('f.anyJson', () => {
  const shape = { value: f.anyJson({ max: 100 }) };
  const read = (value: unknown) => parseBody(shape, { value }, { partial: false });

  it.each([['text'], [5], [true], [['a', 1]], [{ amount: 5 }]])('accepts %j', async (value) => {
    expect(await read(value)).toEqual({ value });
  });
  it.each([[null], [undefined], ['\ud800'], ['x'.repeat(200)], [Array.from({ length: 60 }, () => 1)]])(
    'refuses %j',
    async (value) => {
      await expect(read(value)).rejects.toMatchObject({ code: 'validation_failed' });
    },
  );
});

describe('amounts of money', () => {
  it('have their own code at any depth', async () => {
    const shape = { price: f.money(), value: f.object({ amounts: f.list(f.money()) }) };
    const half = { amount: 0.5, currency: 'RON' };
    const price = { amount: 5, currency: 'RON' };
    const read = (body: object) => parseBody(shape, body, { partial: false });
    await expect(read({ price: half, value: { amounts: [] } })).rejects.toMatchObject({ code: 'money_invalid' });
    await expect(read({ price, value: { amounts: [price, half] } })).rejects.toMatchObject({
      code: 'money_invalid',
      extra: { errors: [{ pointer: '/value/amounts/1/amount', code: 'money_invalid' }] },
    });
    await expect(read({ price, value: { amounts: 5 } })).rejects.toMatchObject({ code: 'validation_failed' });
  });
});

describe("amounts in the shop's own currency", () => {
  const shape = {
    rules: f.list(f.object({ rate: f.money({ own: true }).optional() })),
    steps: f.list(f.money({ own: true })).default([]),
    other: f.money().optional(),
  };
  const tenant = { defaultLocale: 'ro', locales: ['ro'], currency: 'RON' };
  const read = (body: object) => parseBody(shape, body, { partial: false, tenant });
  const [ron, eur] = ['RON', 'EUR'].map((currency) => ({ amount: 5, currency }));

  it('are rejected in another currency, at any depth', async () => {
    await expect(read({ rules: [{ rate: ron }, { rate: null }, {}], steps: [ron], other: eur })).resolves.toBeDefined();
    await expect(read({ rules: [{ rate: ron }, { rate: eur }], steps: [ron, eur] })).rejects.toMatchObject({
      code: 'currency_mismatch',
      extra: {
        errors: [
          { pointer: '/rules/1/rate/currency', code: 'currency_mismatch' },
          { pointer: '/steps/1/currency', code: 'currency_mismatch' },
        ],
      },
    });
  });
});

describe('a text that is too long', () => {
  // With so many letters this pattern alone would take minutes.
  const shape = { code: f.text({ max: 20, pattern: /^[a-z]+(?:[a-z]|-)*$/ }) };
  it('is rejected before its pattern is tested', async () => {
    const started = process.threadCpuUsage();
    await expect(parseBody(shape, { code: `${'a'.repeat(200_000)}!` }, { partial: false })).rejects.toMatchObject({
      extra: { errors: [{ pointer: '/code', code: 'too_big' }] },
    });
    expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(2000);
    await expect(parseBody(shape, { code: 'no good' }, { partial: false })).rejects.toMatchObject({ code: 'validation_failed' });
  });
});

describe('write-only fields', () => {
  const shape = { name: f.text(), force: f.bool().default(false).writeOnly() };

  it('are read from a body, marked in its schema, and unknown in a response', async () => {
    expect(await parseBody(shape, { name: 'Lamp', force: true }, { partial: false })).toEqual({ name: 'Lamp', force: true });
    expect(await parseBody(shape, { force: true }, { partial: true })).toEqual({ force: true });
    expect(z.toJSONSchema(shapeSchema(shape, 'create'), { io: 'input' })).toMatchObject({
      properties: { force: { type: 'boolean', writeOnly: true } },
    });
    expect(shapeSchema(shape, 'answer').safeParse({ name: 'Lamp' }).success).toBe(true);
    expect(shapeSchema(shape, 'answer').safeParse({ name: 'Lamp', force: true }).success).toBe(false);
    expect(Object.keys(responseShape(shape))).toEqual(['id', 'createdAt', 'updatedAt', 'version', 'name']);
  });
});
