import { f } from '@storeloom/plugin-sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, changesOf } from './changes.ts';

const of = (before: object | null, after: object | null, extra?: Record<string, unknown>) => ({
  entity: 'x.y',
  entityId: null,
  before,
  after,
  ...(extra ? { extra } : {}),
});

test('only changed members are kept, and none of the silent ones', () => {
  const row = {
    id: '1',
    createdAt: 'a',
    updatedAt: 'b',
    version: 1,
    name: 'Old',
    price: { amount: 1, currency: 'RON' },
    tags: ['a'],
    same: { b: 1, a: [1, 2] },
  };
  expect(
    changesOf(
      of(row, {
        ...row,
        updatedAt: 'c',
        version: 2,
        name: 'New',
        price: { currency: 'RON', amount: 1 },
        tags: ['a', 'b'],
        same: { a: [1, 2], b: 1 },
      }),
    ),
  ).toEqual({
    before: { name: 'Old', tags: ['a'] },
    after: { name: 'New', tags: ['a', 'b'] },
  });
});

test('a create has no before, a delete no after; absent and null are the same', () => {
  expect(changesOf(of(null, { name: 'N', note: null }))).toEqual({ before: null, after: { name: 'N' } });
  expect(changesOf(of({ name: 'N', note: null }, null))).toEqual({ before: { name: 'N' }, after: null });
  expect(changesOf(of({ a: null }, {}))).toEqual({ before: {}, after: {} });
  expect(changesOf(of(null, null, { amount: 500, reason: 'late' }))).toEqual({
    before: null,
    after: null,
    extra: { amount: 500, reason: 'late' },
  });
});

test('secrets stay out: by kind of field, by name, and by shape inside texts', () => {
  const shape = {
    code: f.secret(),
    login: f.object({ user: f.text(), phrase: f.secret() }),
    keys: f.list(f.object({ value: f.secret() })),
    note: f.text(),
  };
  const before = {
    code: '••••1111',
    login: { user: 'ana', phrase: 'open sesame' },
    keys: [{ value: 'first key' }],
    note: 'a',
    password: 'hunter2',
    newToken: null,
    deep: { apiKey: 'k-1' },
  };
  const after = {
    code: '••••2222',
    login: { user: 'eva', phrase: 'open sesame' },
    keys: [{ value: 'other key' }],
    note: 'card 4111 1111 1111 1111',
    password: 'hunter3',
    newToken: 't-1',
    deep: { apiKey: 'k-2' },
  };
  const text = JSON.stringify(changesOf(of(before, after, { token: 't-2' }), shape));
  for (const secret of [
    '••1111',
    '2222',
    '4111',
    '1111 1111',
    'sesame',
    'first key',
    'other key',
    'hunter',
    't-1',
    't-2',
    'k-1',
    'k-2',
  ])
    expect(text).not.toContain(secret);
  expect(changesOf(of(before, after), shape)).toMatchObject({
    before: { newToken: null, login: { user: 'ana' } },
    after: { newToken: '[redacted]', login: { user: 'eva' } },
  });
});

test('keeps of personal data only that it changed', () => {
  const shape = {
    name: f.text().personal(),
    address: f.object({ line1: f.text(), country: f.text() }).optional().personal(),
    lines: f.list(f.object({ sku: f.text(), engraving: f.text().personal() })),
    status: f.text(),
  };
  const before = { name: 'Ana', address: null, lines: [{ sku: 'A', engraving: 'For Ana' }], status: 'new' };
  const after = {
    name: 'Eva',
    address: { line1: 'Lungă 1', country: 'RO' },
    lines: [{ sku: 'A', engraving: 'For Eva' }],
    status: 'old',
  };
  expect(changesOf(of(before, after), shape)).toEqual({
    before: { name: '[personal]', address: null, lines: [{ sku: 'A', engraving: '[personal]' }], status: 'new' },
    after: { name: '[personal]', address: '[personal]', lines: [{ sku: 'A', engraving: '[personal]' }], status: 'old' },
  });
});

test('a long text is kept by beginning, length and hash, and what jsonb cannot hold is replaced', () => {
  const changes = changesOf(of({ text: 'a'.repeat(3000) }, { text: `${'a'.repeat(2999)}b`, odd: 'x\0y\ud800', 'na\0me': 1 }));
  expect(changes.before?.text).toMatch(/^a{200}… \[3000 characters, sha256 [0-9a-f]{64}\]$/);
  expect(changes.after?.text).not.toBe(changes.before?.text);
  expect(changes.after).toMatchObject({ odd: 'x\uFFFDy\uFFFD', 'na\uFFFDme': 1 });
});

test('equal values have equal canonical JSON, for any order of properties', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const shuffled = (v: unknown): unknown =>
        Array.isArray(v)
          ? v.map(shuffled)
          : typeof v === 'object' && v !== null
            ? Object.fromEntries(
                Object.entries(v)
                  .reverse()
                  .map(([k, m]) => [k, shuffled(m)]),
              )
            : v;
      expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
