import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { cancelStatement } from './cancel.ts';

let server: Server | undefined;
afterEach(() => server?.close());

async function cancel(onConnection: (socket: Socket) => void): Promise<boolean> {
  server = createServer({ allowHalfOpen: true }, onConnection);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return cancelStatement({ host: '127.0.0.1', port, processID: 1, secretKey: 2 } as unknown as pg.PoolClient);
}

it('is certain once the server has read the request and closed the connection', async () => {
  let received = 0;
  expect(await cancel((socket) => socket.on('data', ({ length }) => (received += length)).on('end', () => socket.end()))).toBe(
    true,
  );
  expect(received).toBe(16);
});

it('is uncertain of a request that the server doesn’t acknowledge, or that is cut off', async () => {
  const sockets: Socket[] = [];
  expect(await cancel((socket) => void sockets.push(socket))).toBe(false);
  for (const socket of sockets) socket.destroy();
  server?.close();
  expect(await cancel((socket) => setTimeout(() => socket.resetAndDestroy(), 50))).toBe(false);
});

it('is certain of a request that was never sent', async () => {
  expect(await cancelStatement({ host: '127.0.0.1', port: 1, processID: 1, secretKey: 2 } as unknown as pg.PoolClient)).toBe(
    true,
  );
});
