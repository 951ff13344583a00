import { expect, it } from 'vitest';
import { byteRange } from './byte-range.ts';

it('selects bytes from the start, from an offset, and from the end', () => {
  expect(byteRange('bytes=0-0', 10)).toEqual({ start: 0, end: 0 });
  expect(byteRange('bytes=4-', 10)).toEqual({ start: 4, end: 9 });
  expect(byteRange('bytes=4-99', 10)).toEqual({ start: 4, end: 9 });
  expect(byteRange('bytes=-3', 10)).toEqual({ start: 7, end: 9 });
  expect(byteRange('bytes=-30', 10)).toEqual({ start: 0, end: 9 });
});

it('reports a range behind the end', () => {
  expect(byteRange('bytes=10-', 10)).toBe('unsatisfiable');
  expect(byteRange('bytes=-0', 10)).toBe('unsatisfiable');
  expect(byteRange('bytes=0-', 0)).toBe('unsatisfiable');
});

it('ignores other units, several ranges and malformed ones', () => {
  for (const header of [undefined, '', 'bytes', 'bytes=-', 'bytes=5-4', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=a-b', 'bytes=1--2'])
    expect(byteRange(header, 10)).toBeUndefined();
});
