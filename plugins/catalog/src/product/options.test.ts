import { describe, expect, it } from 'vitest';
import { mergeOptions, optionFault, optionKey, optionsFault, optionTitle } from './options.ts';

const options = [
  { name: 'Color', values: ['Red', 'Blue'] },
  { name: 'Size', values: ['S', 'M'] },
];

describe('optionFault', () => {
  it('takes exactly the options of the product, in any order', () => {
    expect(optionFault(options, { Color: 'Red', Size: 'M' })).toBeUndefined();
    expect(optionFault(options, { Size: 'M', Color: 'Red' })).toBeUndefined();
    expect(optionFault([], {})).toBeUndefined();
  });
  it.each([
    [{ Color: 'Red' }, /must set the option Size/],
    [{ Color: 'Red', Size: 'M', Fit: 'Slim' }, /no option Fit/],
    [{ Color: 'Green', Size: 'M' }, /can't be Green/],
    [{ Color: 'Red', Size: 3 }, /must set the option Size/],
    [{}, /Color/],
  ])('refuses %j', (values, message) => expect(optionFault(options, values)).toMatch(message));
  it('refuses values where the product has no options', () =>
    expect(optionFault([], { Color: 'Red' })).toMatch(/no option Color/));
  it('is not fooled by inherited members', () => {
    expect(optionFault([{ name: 'toString', values: ['x'] }], {})).toMatch(/must set the option toString/);
  });
});

describe('optionsFault', () => {
  it.each(['__proto__', 'constructor', 'prototype'])('no option is called %s', (name) => {
    expect(optionsFault([...options, { name, values: ['S'] }])).toEqual({
      index: 2,
      code: 'invalid',
      message: `an option can't be called ${name}`,
    });
  });

  it('names a repeated option and a repeated value', () => {
    expect(optionsFault(options)).toBeUndefined();
    expect(optionsFault([...options, { name: 'Size', values: ['L'] }])).toEqual({
      index: 2,
      code: 'duplicate',
      message: 'the option Size is duplicated',
    });
    expect(optionsFault([{ name: 'Size', values: ['L', 'L'] }])).toEqual({
      index: 0,
      code: 'duplicate',
      message: 'a value of Size is duplicated',
    });
  });
});

describe('optionKey and optionTitle', () => {
  it('do not depend on the order of the members', () => {
    expect(optionKey(options, { Size: 'M', Color: 'Red' })).toBe(optionKey(options, { Color: 'Red', Size: 'M' }));
    expect(optionTitle(options, { Size: 'M', Color: 'Red' })).toBe('Red / M');
    expect(optionTitle([], {})).toBe('');
  });
  it('keep combinations apart that only look alike', () => {
    const two = [
      { name: 'A', values: [] },
      { name: 'B', values: [] },
    ];
    expect(optionKey(two, { A: 'x","y', B: 'z' })).not.toBe(optionKey(two, { A: 'x', B: 'y","z' }));
  });
});

describe('mergeOptions', () => {
  it('keeps known values, takes new ones, and drops options that the file no longer has', () => {
    expect(mergeOptions(options, [{ name: 'Size', values: ['M', 'L'] }])).toEqual([{ name: 'Size', values: ['S', 'M', 'L'] }]);
    expect(mergeOptions(options, options)).toEqual(options);
  });
});
