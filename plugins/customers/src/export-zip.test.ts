import { expect, test } from 'vitest';
import { formulas } from '../../../packages/plugin-sdk/test/formulas.ts';
import { strictCsv } from '../../../packages/plugin-sdk/test/strict-csv.ts';
import { tableOf } from './export-zip.ts';

test.each(['\n', '\r', '\r\n', '\n\r', '"\n"', ',\r,'])('%j in a text makes no row of its own', (part) => {
  const text = `Cluj${part}forged`;
  const rows = strictCsv(
    tableOf([
      { city: text, [`x${part}y`]: 1 },
      { city: 'Iași', other: { note: text } },
    ]),
  );
  expect(rows).toEqual([
    ['city', `x${part}y`, 'other'],
    [text, '1', ''],
    ['Iași', '', JSON.stringify({ note: text })],
  ]);
});

test('a table has its records, with any texts', () => {
  expect(strictCsv(tableOf(formulas.map((text, id) => ({ id, text })))).map(([id]) => id)).toEqual([
    'id',
    ...formulas.map((_, id) => String(id)),
  ]);
});
