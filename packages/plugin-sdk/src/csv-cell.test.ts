import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formulas } from '../test/formulas.ts';
import { escapeCsvCell, unescapeCsvCell } from './csv-cell.ts';

/** What readers that split at any of these, quotes or not, would take for a cell. */
const cells = (text: string): string[] => text.split(/[,;|\t\r\n"]/).map((cell) => cell.replace(/^[\s\uFEFF]+/, ''));
const raw = (text: string): boolean => cells(text).some((cell) => /^[=+\-@＝＋－＠]/.test(cell));

test.each(formulas)('%j is not a formula after escaping, and is restored', (text) => {
  expect(raw(text)).toBe(true);
  const cell = escapeCsvCell(text);
  expect(raw(cell)).toBe(false);
  expect(/^[\t\r]/.test(cell)).toBe(false);
  expect(unescapeCsvCell(cell)).toBe(text);
});

test.each(['', '-5', '+40 721 000 000', '-1,299.50', '12,5', 'plain', 'a-b', 'x = y', 'a@b.example', 'Size M - long', "it's"])(
  '%j stays as it is',
  (text) => {
    expect(escapeCsvCell(text)).toBe(text);
    expect(unescapeCsvCell(text)).toBe(text);
  },
);

test('any text is restored, and none is a formula', () => {
  const texts = fc.string({ unit: fc.constantFrom(...`=+-@'",;|\t\r\n \uFEFF＝－a1`), maxLength: 12 });
  fc.assert(
    fc.property(texts, (text) => {
      const cell = escapeCsvCell(text);
      expect(unescapeCsvCell(cell)).toBe(text);
      if (!/^[+-]?\d[\d., ]*$/.test(text)) expect(raw(cell)).toBe(false);
    }),
    { numRuns: 3000 },
  );
});

test.each(['"', ' ', "'", '\t', `,'`, ' "'])('a hundred thousand times %j takes no time', (part) => {
  const started = process.threadCpuUsage();
  for (const text of [part.repeat(100_000), `${part.repeat(100_000)}=`]) expect(unescapeCsvCell(escapeCsvCell(text))).toBe(text);
  const { user } = process.threadCpuUsage(started);
  expect(user / 1000).toBeLessThan(500);
});
