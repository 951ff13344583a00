import { f, shapeSchema } from '@storeloom/plugin-sdk';
import { expect, test } from 'vitest';
import { exampleOf } from './example.ts';
import { jsonSchemaOf } from './json-schema.ts';

test.each([
  /^[A-Z]{2}\d{4}$/,
  /^\d{6}$/,
  /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
  /^#[0-9a-f]{6}$/i,
  /^(?:in|out)-[A-Z]{3,5}$/,
  /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/,
  /^\+?[\d\s().\-/]{3,32}$/,
  /^\p{L}+$/u,
  /^(?<year>\d{4})-\d{2}$/,
  /^[\w.-]{1,64}$/,
  /^[a-z][a-z0-9_]{0,63}$/,
  /^\/[\w/-]*$/,
  /^RO\d{2,10}$/,
  /^[A-Z0-9]{20}$/,
])('the example of a text with pattern %s matches it', (pattern) => {
  const example = exampleOf({ type: 'string', pattern: pattern.source }, () => undefined);
  expect(example).toBeDefined();
  expect(example).toMatch(pattern);
});

test.each([/^(?=.*\d)[a-z\d]{8}$/, /^a{5000}$/])('a text with pattern %s has no example', (pattern) => {
  expect(exampleOf({ type: 'string', pattern: pattern.source }, () => undefined)).toBeUndefined();
});

test('an example that cannot be made is left out, up to the nearest member that may be missing', () => {
  const shape = { name: f.text(), odd: f.text({ pattern: /^(?=zz)[a-z]+$/ }).optional() };
  const schema = jsonSchemaOf(shape, 'create', { view: 'every-language', refs: undefined });
  const example = exampleOf(schema, () => undefined);
  expect(example).toEqual({ name: 'example', odd: null });
  expect(shapeSchema(shape, 'create').safeParse(example).success).toBe(true);
  expect(
    exampleOf(
      jsonSchemaOf({ odd: f.text({ pattern: /^(?=zz)[a-z]+$/ }) }, 'create', { view: 'every-language', refs: undefined }),
      () => undefined,
    ),
  ).toBeUndefined();
});

test('a schema that contains itself has an end', () => {
  const tree = {
    type: 'object',
    properties: { label: { type: 'string' }, child: { $ref: '#/t' }, children: { type: 'array', items: { $ref: '#/t' } } },
    required: ['label', 'children'],
  };
  expect(exampleOf(tree, () => tree)).toMatchObject({ label: 'example' });
});
