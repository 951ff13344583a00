import { createServer, type Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import Koa from 'koa';

export interface HttpServer {
  readonly server: Server;
  readonly port: number;
  readonly draining: () => boolean;
  /**
   * Loses no request: stops accepting, tells busy keep-alive connections to leave, lets idle ones go after the keep-alive time, waits for the rest.
   */
  drain(limitMs?: number): Promise<void>;
  /** Cuts every connection. */
  close(): Promise<void>;
}

const keepAliveMs = 5000;

/** Waits for the work, but no longer. A timer that is left would keep the process until it fires. */
async function atMost(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

export async function listen(
  middleware: Koa.Middleware,
  port: number,
  host: string | undefined,
  onDrain: () => void,
): Promise<HttpServer> {
  const app = new Koa();
  app.silent = true;
  app.use(middleware);
  let draining = false;
  const server = createServer(
    { maxHeaderSize: 16_384, keepAliveTimeout: keepAliveMs, headersTimeout: 20_000, requestTimeout: 120_000 },
    app.callback(),
  );
  server.on('clientError', (_, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    server,
    port: (server.address() as AddressInfo).port,
    draining: () => draining,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    async drain(limitMs = 30_000) {
      if (draining) return;
      draining = true;
      onDrain();
      // Only the listening socket: http.Server.close would drop idle connections that a client may be about to use.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      const connections = await new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
      if (connections > 0) {
        await atMost(closed, keepAliveMs + 1000);
        server.closeIdleConnections();
        await atMost(closed, limitMs);
        server.closeAllConnections();
      }
      await closed;
    },
  };
}
