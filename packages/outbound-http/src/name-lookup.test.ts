import { createSocket, type Socket } from 'node:dgram';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpGuard } from './guard.ts';
import { createNameLookup, isUnknownName } from './name-lookup.ts';

/** Type A and AAAA, class IN: RFC 1035 and 3596. */
const kinds = { 1: Buffer.from([93, 184, 215, 14]), 28: Buffer.from('26064700470000000000000000001111', 'hex') };

/** The answer of a name server; undefined where it keeps silent. */
function answerOf(query: Buffer): Buffer | undefined {
  let end = 12;
  const labels: string[] = [];
  for (let size = query[end] as number; size > 0; size = query[end] as number) {
    labels.push(query.toString('latin1', end + 1, end + 1 + size));
    end += size + 1;
  }
  const name = labels.join('.').toLowerCase();
  const type = query.readUInt16BE(end + 1) as keyof typeof kinds;
  const question = query.subarray(12, end + 5);
  const reply = (code: number, address?: Buffer): Buffer => {
    const head = Buffer.from([query[0] as number, query[1] as number, 0x81, 0x80 | code, 0, 1, 0, address ? 1 : 0, 0, 0, 0, 0]);
    if (!address) return Buffer.concat([head, question]);
    const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length]);
    return Buffer.concat([head, question, record, address]);
  };
  if (name.endsWith('.slow.example.com')) return undefined;
  if (name === 'half.example.com' && type === 28) return undefined;
  if (name.startsWith('missing.')) return reply(3);
  if (name.startsWith('empty.')) return reply(0);
  if (name.startsWith('broken.')) return reply(2);
  if (name === 'four.example.com' && type === 28) return reply(0);
  return reply(0, kinds[type]);
}

let server: Socket;
let servers: string[];
beforeAll(async () => {
  server = createSocket('udp4');
  server.on('message', (query, { port, address }) => {
    const answer = answerOf(query);
    if (answer) server.send(answer, port, address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  servers = [`127.0.0.1:${server.address().port}`];
});
afterAll(() => void server?.close());

const within = (ms: number): AbortSignal => AbortSignal.timeout(ms);
const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.fail('no error'),
    (error: unknown) => error,
  );

describe('looking up a name', () => {
  test('every address of both families', async () => {
    const lookup = createNameLookup({ servers });
    expect(await lookup('shop.example.com', within(3000))).toEqual(['93.184.215.14', '2606:4700:4700::1111']);
    expect(await lookup('Shop.Example.com.', within(3000))).toHaveLength(2);
    expect(await lookup('four.example.com', within(3000))).toEqual(['93.184.215.14']);
  });

  test('distinguishes an unknown name, one without addresses, and one without a response', async () => {
    const lookup = createNameLookup({ servers });
    for (const [name, unknown] of [
      ['missing.example.com', true],
      ['empty.example.com', true],
      ['broken.example.com', false],
      ['a.slow.example.com', false],
    ] as const)
      expect([name, isUnknownName(await errorOf(lookup(name, within(1500))))]).toEqual([name, unknown]);
  });

  test('a family that keeps silent takes nothing from the other', async () => {
    expect(await createNameLookup({ servers })('half.example.com', within(1500))).toEqual(['93.184.215.14']);
  });

  test('names of the machine itself', async () => {
    const hostsFile = join(mkdtempSync(join(tmpdir(), 'hosts-')), 'hosts');
    writeFileSync(
      hostsFile,
      '# 1.1.1.1 no.example.com\n192.0.2.7 One.example.com two.example.com # two\r\n2001:db8::7 two.example.com\n',
    );
    const lookup = createNameLookup({ servers, hostsFile });
    expect(await lookup('one.example.com', within(3000))).toEqual(['192.0.2.7']);
    expect(await lookup('two.example.com', within(3000))).toEqual(['192.0.2.7', '2001:db8::7']);
    expect(await lookup('no.example.com', within(3000))).toContain('93.184.215.14');
    expect(await createNameLookup({ servers, hostsFile: `${hostsFile}-not` })('four.example.com', within(3000))).toHaveLength(1);
    expect(await createNameLookup()('localhost', within(3000))).toContain('127.0.0.1');
  });
});

// Retried, since a busy machine can be slow once.
test('four hundred names without a response delay no other lookup, and are cancelled', { retry: 2 }, async () => {
  const guard = createHttpGuard({ resolve: createNameLookup({ servers }) });
  const started = performance.now();
  const slow = Promise.all(
    Array.from({ length: 400 }, async (_, i) => {
      const error = (await errorOf(guard.check(`https://n${i}.slow.example.com/`))) as {
        code: string;
        extra: { errors: object[] };
      };
      return [error.code, error.extra.errors];
    }),
  );
  // Simultaneous queries exceed the buffer of the test's name server.
  await setTimeout(200);
  const waits: number[] = [];
  for (let i = 0; i < 20; i++) {
    const asked = performance.now();
    await guard.check(`https://good${i}.example.com/`);
    waits.push(performance.now() - asked);
  }
  expect(performance.now() - started).toBeLessThan(2500);
  waits.sort((a, b) => a - b);
  console.info(
    `400 silent names: 20 others took ${waits[10]?.toFixed(1)} ms in the middle, ${waits.at(-1)?.toFixed(0)} ms at most`,
  );
  for (const [code, errors] of await slow) {
    expect(code).toBe('validation_failed');
    expect(errors).toMatchObject([{ pointer: '/url', code: 'host_unanswered' }]);
  }
  expect(performance.now() - started).toBeLessThan(6000);
});
