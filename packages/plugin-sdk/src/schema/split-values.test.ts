import { expect, it } from 'vitest';
import { splitValues } from './split-values.ts';

it.each([
  ['S,M', ['S', 'M']],
  ['', ['']],
  ['20 L,0\\,5 L', ['20 L', '0,5 L']],
  ['a\\\\,b', ['a\\', 'b']],
  ['a\\b\\', ['a\\b\\']],
  [',', ['', '']],
  ['👟\\,,x', ['👟,', 'x']],
])('%s has its values', (text, values) => {
  expect(splitValues(text)).toEqual(values);
});
