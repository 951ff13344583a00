import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { readBytes } from './body.ts';
import { type HttpServer, listen } from './server.ts';
import { slowClientLimits } from './slow-clients.ts';

let server: HttpServer | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close();
});

const limits = {
  ...slowClientLimits,
  headersMs: 300,
  windowMs: 300,
  windowBytes: 200,
  graceMs: 100,
  perAddress: 5,
};
const start = async (change: Partial<typeof limits> = {}, isProxy = () => false): Promise<void> => {
  server = await listen(
    async (koa) => {
      koa.body = String((await readBytes(koa.req, 1_000_000)).length);
    },
    0,
    '127.0.0.1',
    () => undefined,
    { limits: { ...limits, ...change }, isProxy },
  );
};
/** A client that sends the text, then so many bytes every 20 ms. It never closes its side. */
function dribble(
  head: string,
  bytes = 1,
): { socket: Socket; received: () => string; closed: Promise<number>; isOpen: () => boolean } {
  const started = performance.now();
  const socket = connect({ port: server?.port as number, host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  let text = '';
  let isOpen = true;
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.write(head);
  const timer = setInterval(() => socket.write('a'.repeat(bytes)), 20);
  const closed = new Promise<number>((resolve) => {
    // A write to a closed connection fails: then it is closed at the server too.
    const end = (): void => {
      clearInterval(timer);
      isOpen = false;
      resolve(performance.now() - started);
    };
    socket.once('error', end);
    socket.once('close', end);
  });
  return { socket, received: () => text, closed, isOpen: () => isOpen };
}
const post = (length: number): string => `POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: ${length}\r\n\r\n`;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it('a connection whose headers arrive byte by byte is closed at the deadline, not half', async () => {
  await start();
  const { closed } = dribble('GET / HTTP/1.1\r\nHost: a.test\r\nX-Slow: ');
  expect(await closed).toBeLessThan(3000);
  await expect.poll(() => new Promise((resolve) => server?.server.getConnections((_, n) => resolve(n)))).toBe(0);
});

it('a body below the least rate is answered with 408 and closed', async () => {
  await start();
  const slow = dribble(post(100_000));
  expect(await slow.closed).toBeLessThan(3000);
  expect(slow.received()).toMatch(/^HTTP\/1\.1 408 /);
  expect(slow.received()).toContain('application/problem+json');
});

it('a body above the least rate is received whole, however long it takes', async () => {
  await start();
  const steady = dribble(post(10_000), 200);
  await expect.poll(steady.received).toContain('10000');
  expect(steady.received()).toMatch(/^HTTP\/1\.1 200 /);
});

it('an address with too many unfinished requests loses the oldest of them', async () => {
  await start({ windowMs: 60_000, headersMs: 60_000 });
  const clients: ReturnType<typeof dribble>[] = [];
  for (let i = 0; i < 8; i++) {
    clients.push(dribble(i % 2 === 0 ? post(100_000) : 'GET / HTTP/1.1\r\nX: '));
    await pause(60);
  }
  await expect.poll(() => clients.filter(({ isOpen }) => isOpen()).length).toBe(5);
  await pause(400);
  const open = clients.map(({ isOpen }) => isOpen());
  expect(open.filter(Boolean)).toHaveLength(5);
  // A busy machine may accept adjacent ones in another order.
  expect([open[0], ...open.slice(-3)]).toEqual([false, true, true, true]);
});

it('a trusted proxy may have any number of them', async () => {
  await start({ windowMs: 60_000, headersMs: 60_000 }, () => true);
  const clients = Array.from({ length: 8 }, () => dribble(post(100_000)));
  await pause(500);
  expect(clients.every(({ isOpen }) => isOpen())).toBe(true);
});

const chunk = (bytes: number): string => `${bytes.toString(16)}\r\n${'a'.repeat(bytes)}\r\n`;
const chunked = 'POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n';

it('a body that exceeds its limit before it ends is refused, and the server goes on', async () => {
  await start({ windowMs: 60_000 });
  const large = dribble(chunked + chunk(1_000_000) + chunk(1), 0);
  await expect.poll(large.received).toMatch(/^HTTP\/1\.1 /);
  // Some rounds of the timer that looks for slow clients, in which an error would end the process.
  await pause(400);
  const next = dribble(`${post(3)}abc`, 0);
  await expect.poll(next.received).toMatch(/^HTTP\/1\.1 200 /);
});

it('a request that its handler destroys is forgotten', async () => {
  server = await listen(
    async (koa) => {
      koa.req.destroy();
    },
    0,
    '127.0.0.1',
    () => undefined,
    { limits: { ...limits, windowMs: 60_000 } },
  );
  const destroyed = dribble(post(100_000));
  await destroyed.closed;
  await pause(400);
  expect(server.server.listening).toBe(true);
});
