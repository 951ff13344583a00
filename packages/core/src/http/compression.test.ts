import { expect, it } from 'vitest';
import { compress } from './compression.ts';

const filler = 'x'.repeat(2000);
const codingOf = async (body: string | Buffer, type: string): Promise<unknown> =>
  (await compress({ status: 200, headers: { 'content-type': type }, body }, 'br, gzip')).headers['content-encoding'];

it('compresses texts, as strings and as buffers', async () => {
  for (const body of [filler, Buffer.from(filler)]) expect(await codingOf(body, 'text/html; charset=utf-8')).toBe('br');
});

it.each([
  ['a property with a token', '{"accessToken": "x"}', 'application/json'],
  ['a link with a token', '<a href="https://shop.test/orders/1?token=x">', 'text/html'],
  ['a link whose token is not its first parameter, escaped', '<a href="https://shop.test/o?lang=ro&amp;token=x">', 'text/html'],
  ['the same with a numeric entity', '<a href="https://shop.test/o?lang=ro&#38;token=x">', 'text/html'],
  ['the same in JSON', '{"url": "https://shop.test/o?lang=ro\\u0026manageToken=x"}', 'application/json'],
  ['a hidden field', '<input type="hidden" name="csrf_token" value="x">', 'text/html'],
  ['a meta element', '<meta content="x" name="csrf-token">', 'text/html'],
])('does not compress %s, in a string or in a buffer', async (_, secret, type) => {
  for (const body of [`${filler}${secret}`, Buffer.from(`${filler}ș${secret}`)])
    expect(await codingOf(body, type)).toBeUndefined();
});

it('examines a text made to take long within milliseconds', async () => {
  for (const part of ['<input ', '<meta name="', '"', '?', ';token', `"${'a'.repeat(50)}`]) {
    const body = Buffer.from(part.repeat(400_000 / part.length));
    const started = performance.now();
    await compress({ status: 200, headers: { 'content-type': 'text/html' }, body }, undefined);
    expect(performance.now() - started, part).toBeLessThan(1000);
  }
});
