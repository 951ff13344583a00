import { Writable } from 'node:stream';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createLog } from './log.ts';
import { isSecretKey, luhn, redactText } from './redact.ts';

function sink(): { lines(): Record<string, unknown>[]; text(): string; stream: Writable } {
  let text = '';
  return {
    stream: new Writable({
      write(chunk, _, done) {
        text += String(chunk);
        done();
      },
    }),
    text: () => text,
    lines: () =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

const jwt =
  'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwidGlkIjoieCJ9.c2lnbmF0dXJlLXdpdGgtdGhpcnR5LXR3by1ieXRlcw';

/** Where a secret may stand, and the part of it that must not come out. */
const planted: [name: string, fields: Record<string, unknown>, message: string, secret: string][] = [
  ['authorization header', { headers: { authorization: `Bearer ${jwt}` } }, 'x', jwt],
  ['basic header', { headers: { Authorization: 'Basic dXNlcjpodW50ZXIyMg==' } }, 'x', 'dXNlcjpodW50ZXIyMg'],
  ['cookie', { headers: { cookie: 'session=9f8e7d6c5b4a' } }, 'x', '9f8e7d6c5b4a'],
  ['set-cookie', { headers: { 'set-cookie': ['refresh=aa11bb22cc33; HttpOnly'] } }, 'x', 'aa11bb22cc33'],
  ['cart token', { headers: { 'x-cart-token': 'cart-token-value-1' } }, 'x', 'cart-token-value-1'],
  ['setup token', { headers: { 'X-Setup-Token': 'setup-value-2' } }, 'x', 'setup-value-2'],
  ['csrf', { headers: { 'x-csrf-token': 'csrf-value-3' } }, 'x', 'csrf-value-3'],
  ['password', { body: { email: 'a@example.com', password: 'correct horse 4' } }, 'x', 'correct horse 4'],
  ['new password', { body: { newPassword: 'correct horse 5' } }, 'x', 'correct horse 5'],
  ['refresh token', { body: { refreshToken: 'refresh-value-6' } }, 'x', 'refresh-value-6'],
  ['otp', { body: { otp: '492039' } }, 'x', '492039'],
  ['client secret', { settings: { client_secret: 'client-secret-7' } }, 'x', 'client-secret-7'],
  ['api key', { settings: { 'api-key': 'api-key-value-8' } }, 'x', 'api-key-value-8'],
  ['deep member', { a: { b: [{ c: { privateKey: 'private-key-9' } }] } }, 'x', 'private-key-9'],
  ['cvc', { card: { cvc: '737' } }, 'x', '737'],
  ['card in a text', { note: 'pay with 4111 1111 1111 1111 please' }, 'x', '4111 1111 1111 1111'],
  ['card without gaps', { note: 'card 5555555555554444' }, 'x', '5555555555554444'],
  ['card as a number', { note: 378282246310005 }, 'x', '378282246310005'],
  ['card with dashes', {}, 'refused 6011-1111-1111-1117', '6011-1111-1111-1117'],
  ['IBAN', { note: 'to RO49AAAA1B31007593840000' }, 'x', 'RO49AAAA1B31007593840000'],
  ['IBAN with gaps', {}, 'to DE89 3704 0044 0532 0130 00.', '3704 0044 0532'],
  ['e-mail', { to: 'Ana.Pop@Example.com' }, 'x', 'Ana.Pop'],
  ['e-mail in the message', {}, 'mail to ana.pop@example.com failed', 'ana.pop'],
  ['jwt in a text', {}, `token ${jwt} refused`, jwt.slice(0, 40)],
  ['token in a query', { url: '/api/storefront/orders/1?token=order-token-10&x=1' }, 'x', 'order-token-10'],
  ['password in a URL', { url: 'postgres://app:hunter2-11@127.0.0.1/shop' }, 'x', 'hunter2-11'],
  ['JSON text', { raw: '{"password":"json-text-12","name":"x"}' }, 'x', 'json-text-12'],
  [
    'PEM',
    { pem: '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEI13\n-----END PRIVATE KEY-----' },
    'x',
    'MC4CAQAwBQYDK2VwBCIEI13',
  ],
  ['webhook secret', { note: `uses ${'whsec_'}MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw` }, 'x', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  [
    'opaque token',
    { note: 'cart Zk3vT0p9QhW1xYb7LmN2cR5dF8gJ4sUeA6iOqXtBzVw' },
    'x',
    'Zk3vT0p9QhW1xYb7LmN2cR5dF8gJ4sUeA6iOqXtBzVw',
  ],
  ['header line', {}, 'sent Authorization: Bearer header-value-15 to us', 'header-value-15'],
  ['card after a colon', {}, 'card: 4111 1111 1111 1111', '1111 1111'],
  ['cookie line', {}, 'Cookie: a=b; session=cookie-value-16', 'cookie-value-16'],
  ['nested query', { note: 'url=/x?a=1&next=/y?token=nested-value-17' }, 'x', 'nested-value-17'],
  ['error message', { err: new Error('login of ana.pop@example.com with password=oops-14') }, 'x', 'oops-14'],
  ['error cause', { err: new Error('x', { cause: new Error(`sent ${jwt}`) }) }, 'x', jwt.slice(0, 40)],
];

test.each(planted)('a secret never reaches the log: %s', (_, fields, message, secret) => {
  const out = sink();
  const log = createLog({ level: 'debug', to: out.stream, hashKey: 'k' });
  log.info(fields, message);
  log.child({ plugin: 'p', ...fields }).error({ again: fields }, message);
  expect(out.lines()).toHaveLength(2);
  expect(out.text()).not.toContain(secret);
  expect(out.text().toLowerCase()).not.toContain(secret.toLowerCase());
});

test('at least thirty secrets are planted', () => expect(planted.length).toBeGreaterThanOrEqual(30));

test('what is no secret stays readable', () => {
  const out = sink();
  const log = createLog({ to: out.stream });
  const fields = {
    request_id: '0190aaaa-1111-7222-8333-444455556666',
    id: '41111111-1111-4111-8111-111111111111',
    status: 404,
    ms: 1_764_262_320_000,
    at: '2026-11-27T20:12:00.000Z',
    gtin: '4006381333931',
    url: '/api/admin/orders?limit=20&status=paid',
    company: 'Ana SRL',
    nextCursor: null,
    sku: 'AB-1234-5678',
    count: 4111111111111112,
    none: undefined,
  };
  log.info(fields, 'GET /api/admin/orders 404 in 12 ms');
  const { none, ...kept } = fields;
  expect(none).toBeUndefined();
  expect(out.lines()[0]).toMatchObject({ ...kept, level: 'info', msg: 'GET /api/admin/orders 404 in 12 ms' });
  expect(out.lines()[0]?.time).toMatch(/^\d{4}-\d\d-\d\dT/);
});

test('an e-mail address becomes a keyed hash: equal ones stay equal, other keys give other hashes', () => {
  const lines = ['k', 'k', 'l'].map((hashKey) => {
    const out = sink();
    createLog({ to: out.stream, hashKey }).info({ to: 'Ana@example.com' }, 'sent to ana@example.com');
    return out.lines()[0] as { to: string; msg: string };
  });
  expect(lines[0]?.to).toMatch(/^email:[0-9a-f]{16}$/);
  expect(lines[0]?.msg).toBe(`sent to ${lines[0]?.to}`);
  expect(lines[1]?.to).toBe(lines[0]?.to);
  expect(lines[2]?.to).not.toBe(lines[0]?.to);
});

test('a database error keeps its SQLSTATE and names, never its text', () => {
  const out = sink();
  const error = new pg.DatabaseError('duplicate key value "ana" violates', 20, 'error');
  Object.assign(error, {
    code: '23505',
    severity: 'ERROR',
    constraint: 'catalog_product_slug_key',
    table: 'catalog_product',
    detail: 'Key (slug)=(ana) already exists.',
  });
  createLog({ to: out.stream }).error({ err: error }, 'failed');
  const [line] = out.lines() as { err: Record<string, unknown> }[];
  expect(line?.err).toMatchObject({
    message: 'database error 23505',
    sqlstate: '23505',
    constraint: 'catalog_product_slug_key',
    table: 'catalog_product',
  });
  expect(out.text()).not.toContain('ana');
});

test('in development a database error keeps its text and its statement', () => {
  const out = sink();
  const error = new pg.DatabaseError('column "colour" does not exist', 20, 'error');
  Object.assign(error, { code: '42703', severity: 'ERROR' });
  Object.defineProperty(error, 'statement', { value: 'select colour from catalog_product where id = $1' });
  createLog({ to: out.stream, databaseText: true }).error({ err: error, plugin: 'catalog' }, 'a request failed');
  createLog({ to: out.stream }).error({ err: error, plugin: 'catalog' }, 'a request failed');
  const [development, production] = out.lines() as { err: Record<string, unknown> }[];
  expect(development).toMatchObject({
    plugin: 'catalog',
    err: {
      message: 'database error 42703: column "colour" does not exist',
      statement: 'select colour from catalog_product where id = $1',
    },
  });
  expect(production?.err).toMatchObject({ message: 'database error 42703', sqlstate: '42703' });
  expect(JSON.stringify(production)).not.toContain('colour');
});

test('children carry the names of their unit of work, and levels hold', () => {
  const out = sink();
  const log = createLog({ level: 'warn', to: out.stream }).child({
    request_id: 'r-12345678',
    tenant_id: 't',
    user_id: 'u',
    route: '/x/{id}',
    plugin: 'orders',
  });
  log.info({}, 'not written');
  log.warn({ more: 1 }, 'written');
  expect(out.lines()).toHaveLength(1);
  expect(out.lines()[0]).toMatchObject({
    level: 'warn',
    request_id: 'r-12345678',
    tenant_id: 't',
    user_id: 'u',
    route: '/x/{id}',
    plugin: 'orders',
    more: 1,
  });
});

test('long, deep and circular values are cut, not written out', () => {
  const out = sink();
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  createLog({ to: out.stream }).info({ circle, list: Array.from({ length: 500 }, (_, i) => i), bytes: Buffer.alloc(2048) }, 'x');
  const [line] = out.lines() as { list: unknown[]; bytes: string }[];
  expect(line?.list).toHaveLength(101);
  expect(line?.bytes).toBe('[2048 bytes]');
  expect(out.text().length).toBeLessThan(2000);
});

test('names of members are judged without case and punctuation', () => {
  for (const name of ['Authorization', 'x-api-key', 'client_secret', 'accessToken', 'cardNumber', 'recovery-codes', 'setCookie'])
    expect(isSecretKey(name), name).toBe(true);
  for (const name of ['key', 'name', 'company', 'timespan', 'nextCursor', 'tokenised', 'status', 'description'])
    expect(isSecretKey(name), name).toBe(false);
});

test('a card number needs its check digit', () => {
  expect(luhn('4111111111111111')).toBe(true);
  expect(redactText('4111111111111112')).toBe('4111111111111112');
  expect(redactText('4242424242424242')).toBe('[card …4242]');
});

test('a hostile text takes no time', () => {
  for (const text of [
    'a'.repeat(200_000),
    `${'a=" '.repeat(40_000)}`,
    '1 '.repeat(80_000),
    `${'a.'.repeat(50_000)}@`,
    `-----BEGIN ${'A '.repeat(50_000)}`,
    `eyJ${'a'.repeat(90_000)}`,
    'RO49 '.repeat(30_000),
    'ab:'.repeat(70_000),
    'token='.repeat(30_000),
    `"${'token:"'.repeat(30_000)}`,
    '-'.repeat(200_000),
    'a-'.repeat(100_000),
  ]) {
    // Of the processor: a busy machine has less of it.
    const started = process.threadCpuUsage();
    redactText(text, { opaque: true, email: () => 'x' });
    expect(process.threadCpuUsage(started).user / 1000, text.slice(0, 12)).toBeLessThan(500);
  }
});
