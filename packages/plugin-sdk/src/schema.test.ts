import { describe, expect, it } from 'vitest';
import { f } from './field.ts';
import { parseBody } from './schema.ts';

describe('f.anyJson', () => {
  const shape = { value: f.anyJson({ max: 100 }) };
  const read = (value: unknown) => parseBody(shape, { value }, { partial: false });

  it.each([['text'], [5], [true], [['a', 1]], [{ amount: 5 }]])('takes %j', async (value) => {
    expect(await read(value)).toEqual({ value });
  });
  it.each([[null], [undefined], ['\ud800'], ['x'.repeat(200)], [Array.from({ length: 60 }, () => 1)]])(
    'refuses %j',
    async (value) => {
      await expect(read(value)).rejects.toMatchObject({ code: 'validation_failed' });
    },
  );
});
