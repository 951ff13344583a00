import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import type { ResponseParts } from './response.ts';
import { send } from './send.ts';
import { type HttpServer, listen } from './server.ts';

let server: HttpServer | undefined;
let socket: Socket | undefined;
afterEach(async () => {
  socket?.destroy();
  await server?.close();
});

// More than the sockets of both sides buffer.
const text = 'x'.repeat(32 * 1024 * 1024);
const headers = { 'content-type': 'text/plain' };
const forms: Record<string, () => ResponseParts['body']> = {
  text: () => text,
  buffer: () => Buffer.from(text),
  stream: () => Readable.from([Buffer.from(text)]),
};

/** Requests the response and calls `read` with each part of it. Resolves once the server has closed the response. */
async function request(body: ResponseParts['body'], read: (socket: Socket) => void): Promise<{ isWhole: boolean }> {
  const closed = Promise.withResolvers<{ isWhole: boolean }>();
  server = await listen(
    async (koa) => {
      koa.res.once('close', () => closed.resolve({ isWhole: koa.res.writableFinished }));
      send(koa, { status: 200, headers: { ...headers }, body }, { ms: 400, bytes: 1024 });
    },
    0,
    '127.0.0.1',
    () => undefined,
  );
  const client = connect(server.port, '127.0.0.1');
  socket = client;
  client.on('error', () => undefined);
  client.on('data', () => read(client));
  client.write('GET / HTTP/1.1\r\nhost: a.test\r\n\r\n');
  return closed.promise;
}

describe.each(Object.entries(forms))('a response that is a %s', (_, body) => {
  it('is ended for a client that stops reading it', async () => {
    expect(await request(body(), (client) => client.pause())).toEqual({ isWhole: false });
  });
  it('is sent completely to a client that reads it slowly over several windows', async () => {
    let parts = 0;
    const read = (client: Socket): void => {
      if (++parts % 8 !== 0) return;
      client.pause();
      setTimeout(() => client.resume(), 20);
    };
    expect(await request(body(), read)).toEqual({ isWhole: true });
  });
});
